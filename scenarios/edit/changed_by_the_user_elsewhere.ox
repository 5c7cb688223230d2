An edit by text still fits where the user changed another place of the file.

-- repo/a.txt --
one
two
-- user --
Spell one in capitals.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
two
-- repo-change/a.txt --
one
two
three
-- model --
@edit_file
path: a.txt
old: one
new: ONE
-- tool: edit_file --
edited a.txt:1
@@ -1,1 +1,1 @@
-one
+ONE
-- model --
Done.
-- after/a.txt --
ONE
two
three
-- stop: done_unchecked --
