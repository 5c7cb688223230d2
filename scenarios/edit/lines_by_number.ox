Lines are edited by number where they were read, and numbers go on counting in the text that was read.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/a.txt --
one
two
three
four
five
-- user --
Spell two and five in capitals.
-- model --
@edit_lines
path: a.txt
from: = 2
to: = 2
new: TWO
-- tool: edit_lines failed --
`a.txt`: you have not read this file as it is now, so its line numbers prove nothing; nothing was changed. Read it first, or give the text of these lines as `expected`.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
two
three
four
five
[a.txt: 5 lines]
-- repo-change/a.txt --
zero
one
two
three
four
five
-- model --
@edit_lines
path: a.txt
edits: = [{"from": 2, "new": "TWO"}, {"from": 5, "to": 5, "new": "FIVE", "expected": "five"}]
-- tool: edit_lines --
edited a.txt:3, 6
@@ -3,1 +3,1 @@
-two
+TWO
@@ -6,1 +6,1 @@
-five
+FIVE
[changed on disk since you read it: a.txt (line 1); both changes are in it now]
-- model --
Done; your new first line is still there.
-- after/a.txt --
zero
one
TWO
three
four
FIVE
-- stop: done_unchecked --
