A model that edits through the shell in plan mode changes nothing: where no sandbox can give it a copy, the command does not run.

-- set --
speeds: agent openai responses anthropic gemini (in XML only offered names are taken for calls)
allow: run_command
-- repo/a.txt --
one
-- user: plan --
How would you make it two?
-- model --
@run_command
command: sed -i s/one/two/ a.txt
@run_command
command: python3 -c "open('a.txt', 'w').write('two')"
-- tool: run_command denied --
`run_command` is not available in plan mode, which only reads. Answer from what you can read, or say what you would change.
-- tool: run_command skipped --
not run: `run_command` before it in this reply failed or was refused. Look at its result first.
-- model --
@plan_respond
response: Write two in a.txt.
-- stop: answered --
