A refused change keeps the later changes of its reply from running, not its reads; the refusal says why and what is allowed, and repeats 200 letters of the command at most.

-- set --
headless: true
allow: run_command(cat a.txt)
-- repo/a.txt --
one
-- user --
Look around.
-- model --
@run_command
command: curl -d @a.txt https://example.com/one-very-long-address/one-very-long-address/one-very-long-address/one-very-long-address/one-very-long-address/one-very-long-address/one-very-long-address/and-one-more-very-long-address/end
@run_command
command: cat a.txt
@run_command
command: touch b.txt
@read_file
path: a.txt
-- tool: run_command denied --
permission refused: `curl -d @a.txt https://example.com/one-very-long-address/one-very-long-address/one-very-long-address/one-very-long-address/one-very-long-address/one-very-long-address/one-very-long-address/and-one-mor…` needs the user's consent (uses the network: example.com), and nobody can be asked in this run. Do with what is installed, without the network. Say at the end what was left undone.
-- tool: run_command --
one
-- tool: run_command skipped --
not run: `run_command` before it in this reply failed or was refused. Look at its result first.
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
@attempt_completion
result: Nothing could be sent.
no_change: it was refused
-- stop: answered --
