A patch is merged with what the user changed elsewhere; a file that changed where it counts is neither edited nor deleted.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/a.txt --
one
two
three
-- repo/b.txt --
draft
-- user --
Capitals for one; b.txt can go.
-- model --
@read_file
paths: = ["a.txt", "b.txt"]
-- tool: read_file --
==> a.txt <==
one
two
three
==> b.txt <==
draft
-- repo-change/a.txt --
one
two
three
four
-- repo-change/b.txt --
draft
and something precious
-- model --
@apply_patch
patch: |
  *** Begin Patch
  *** Update File: a.txt
  @@
  -one
  +ONE
  *** Delete File: b.txt
  *** End Patch
-- tool: apply_patch failed --
`b.txt` changed on disk after you read it (the user, a command or a formatter wrote it); nothing was written. Read it again, or change only the part you mean with edit_file.
-- model --
@apply_patch
patch: |
  *** Begin Patch
  *** Update File: a.txt
  @@
  -one
  +ONE
  *** End Patch
-- tool: apply_patch --
edited a.txt:1
@@ -1,1 +1,1 @@
-one
+ONE
[changed on disk since you read it: a.txt (line 4); both changes are in it now]
-- model --
I kept b.txt: something was added to it meanwhile.
-- after/a.txt --
ONE
two
three
four
-- stop: done_unchecked --
