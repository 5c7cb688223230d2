An edit is merged with what the user changed in another place of the file.

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
[a.txt: 2 lines]
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
[changed on disk since you read it: a.txt (line 3); both changes are in it now]
-- model --
Done.
-- after/a.txt --
ONE
two
three
-- stop: done_unchecked --
