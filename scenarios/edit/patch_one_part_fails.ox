Where one file of a patch has no certain place, none is touched and the places are named; a diff does as well.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/a.txt --
one
-- repo/b.txt --
two
two
-- user --
Make it capitals, in b.txt only the last line.
-- model --
@apply_patch
patch: |
  *** Begin Patch
  *** Update File: a.txt
  @@
  -one
  +ONE
  *** Update File: b.txt
  @@
  -two
  +TWO
  *** End Patch
-- tool: apply_patch failed --
`b.txt` was not edited. The search text fits 2 places equally well.
line 1:
    two
line 2:
    two
Add lines before or after which only the place you mean has, or give its line number.
None of the files of this call was changed.
-- model --
@apply_patch
diff: |
  --- a/a.txt
  +++ b/a.txt
  @@ -1 +1 @@
  -one
  +ONE
  --- a/b.txt
  +++ b/b.txt
  @@ -1,2 +1,2 @@
   two
  -two
  +TWO
-- tool: apply_patch --
edited a.txt:1
@@ -1,1 +1,1 @@
-one
+ONE
edited b.txt:1-2
@@ -2,1 +2,1 @@
-two
+TWO
-- model --
Done.
-- after/a.txt --
ONE
-- after/b.txt --
two
TWO
-- stop: done_unchecked --
