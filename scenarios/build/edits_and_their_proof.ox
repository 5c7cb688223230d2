Edits in several files and the command that proves them stand in one reply; they run in this order, and the last sees the rest.

-- set --
allow: run_command
-- repo/cli.txt --
threads = 1..
batch = 0..
-- repo/tests.txt --
fails: --threads=a
fails: --threads=0
-- user --
`threads` is read as the wrong type.
-- model --
@search_code
pattern: threads
-- tool: search_code --
cli.txt
1:threads = 1..

tests.txt
1:fails: --threads=a
2:fails: --threads=0
-- model --
The declared type and that of the field differ.
@edit_file
edits: = [{"path": "cli.txt", "old": "threads = 1..", "new": "threads = u32 1.."}, {"path": "tests.txt", "old": "fails: --threads=0", "new": "fails: --threads=0\npasses: --threads=1"}]
why: the parser's type must be the field's
@run_command
command: grep -c u32 cli.txt && tail -1 tests.txt
-- tool: edit_file --
edited cli.txt:1
edited tests.txt:2-3
-- tool: run_command --
1
passes: --threads=1
-- model --
It is read as a u32 now, and a test holds it to that.
-- after/cli.txt --
threads = u32 1..
batch = 0..
-- after/tests.txt --
fails: --threads=a
fails: --threads=0
passes: --threads=1
-- stop: done_unchecked --
