In plan mode nothing is written, not even a new file.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/a.txt --
a
-- user: plan --
Plan a second file.
-- model --
@list_files
@write_file
path: b.txt
content: b
-- tool: list_files --
a.txt
-- tool: write_file denied --
`write_file` is not available in plan mode, which only reads. Answer from what you can read, or say what you would change.
-- model --
@plan_respond
response: Add b.txt with the letter b.
steps: = ["Add b.txt"]
-- stop: answered --
