A file without a line break at its end keeps it so, and its mode too.

-- repo/run.sh (no newline) (exec) --
#!/bin/sh
echo one
-- user --
Say two.
-- model --
@edit_file
path: run.sh
old: one
new: two
-- tool: edit_file --
edited run.sh:2
-- model --
It says two.
-- after/run.sh (no newline) (exec) --
#!/bin/sh
echo two
-- stop: done_unchecked --
