A file of secrets is not written.

-- set --
allow: *
-- repo/a.txt --
one
-- user --
Put the key abc into .env.
-- model --
@list_files
@write_file
path: .env
content: KEY=abc
-- tool: list_files --
a.txt
-- tool: write_file failed --
`.env` is protected and is never written: it is a file of secrets; ask the user to change it, or write a template such as `.env.example`
-- model --
@attempt_completion
result: .env may not be written; put it there yourself.
no_change: It is not allowed.
-- stop: answered --
