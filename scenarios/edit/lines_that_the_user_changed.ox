An edit by number of lines that the user changed meanwhile is refused with the lines there now.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/a.txt --
one
two
three
-- user --
Spell two in capitals.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
two
three
[a.txt: 3 lines]
-- repo-change/a.txt --
one
twenty-two
three
-- model --
@edit_lines
path: a.txt
from: = 2
to: = 2
new: TWO
-- tool: edit_lines failed --
`a.txt` changed on disk after you read it, at the very place of this edit; nothing was changed.
Line 2 is now:
    twenty-two
Send the edit again for the text as it is now.
-- model --
@edit_lines
path: a.txt
from: = 2
to: = 2
new: TWENTY-TWO
expected: twenty-two
-- tool: edit_lines --
edited a.txt:2
@@ -2,1 +2,1 @@
-twenty-two
+TWENTY-TWO
-- model --
It said twenty-two by then.
-- after/a.txt --
one
TWENTY-TWO
three
-- stop: done_unchecked --
