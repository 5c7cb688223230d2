In an empty folder the first file is written.

-- user --
Start a README.
-- prompt --
tool_choice: required
[user]
<environment>
Project `project`, linux, 2033-05-18. Paths are relative to the project's root, where commands run.
</environment>
<files>
The project is empty.
</files>
<mode>
Mode: build. Change files with `edit_file` (many places in one call) and `write_file`, run commands with `run_command`, the project's checks with `run_checks`. Keep the steps of a larger task in `todo_write`.
When done, call `attempt_completion`: the files changed and why, how to verify it by hand, what is left undone. Ox then runs the checks; what newly fails comes back to you. Claim nothing that you have not seen.
</mode>
Start a README.
-- model --
@list_files
-- tool: list_files --
[. is empty, but for what .gitignore names]
-- model --
@write_file
path: README.md
content: |
  # Project
-- tool: write_file --
created README.md (1 line)
-- model --
README.md is there.
-- after/README.md --
# Project
-- stop: done_unchecked --
