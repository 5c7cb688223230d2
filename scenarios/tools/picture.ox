A picture that the user allows is made as a new file in the folder of pictures.

-- set --
image_model: true
checks: none
speeds: agent wire (a server draws)
-- repo/public/index.html --
<h1>Ox</h1>
-- user --
Draw an ox for the page.
-- model --
@use_tool
name: generate_image
args: = {"prompt": "A red ox", "shape": "wide", "why": "the page has none"}
-- ask: generate_image --
{"prompt":"A red ox","shape":"wide","why":"the page has none"}
approval.why.system · always: generate_image
-- user: allow --
-- tool: generate_image --
made public/images/red-ox.png (1 KB) with mine/gpt-image-2
-- model --
@attempt_completion
result: The picture is public/images/red-ox.png.
-- after/public/images/red-ox.png (base64) --
iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
-- stop: done_unchecked --
