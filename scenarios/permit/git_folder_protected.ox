Git's own folder is never written, not even with consent.

-- set --
allow: *
-- repo/a.txt --
one
-- user --
Add a hook.
-- model --
@list_files
@write_file
path: .git/hooks/pre-commit
content: exit 1
-- tool: list_files --
a.txt
-- tool: write_file failed --
`.git/hooks/pre-commit` is protected and is never written: it belongs to git; use git commands instead
-- model --
@attempt_completion
result: Hooks are git's own and may not be written.
no_change: It is not allowed.
-- stop: answered --
