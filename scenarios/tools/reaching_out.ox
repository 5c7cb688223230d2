Pages and pictures reach outside: where nobody can be asked, neither is fetched or made.

-- set --
headless: true
checks: none
-- repo/a.txt --
one
-- user --
Read example.org and draw an ox.
-- model --
@use_tool
name: web_fetch
args: = {"url": "https://example.org/"}
-- tool: web_fetch denied --
permission refused: `web_fetch` needs the user's consent (uses the network: example.org), and nobody can be asked in this run. Do with what is installed, without the network. Say at the end what was left undone.
-- model --
@use_tool
name: generate_image
args: = {"prompt": "An ox"}
-- tool: generate_image denied --
permission refused: `generate_image` on `assets/images/ox.png` needs the user's consent (uses the network: an image model), and nobody can be asked in this run. Do with what is installed, without the network. Say at the end what was left undone.
-- model --
Neither was allowed.
-- stop: permission_refused --
