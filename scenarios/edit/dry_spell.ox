Whitespace that is a little off still finds its place, and the file's own indentation wins.

-- repo/a.py --
class A:
    def f(self):
        return 1
-- user --
f must return 2.
-- model --
@edit_file
path: a.py
old: |-
  def f(self):
      return 1
new: |-
  def f(self):
      return 2
-- tool: edit_file --
edited a.py:2-3 (not to the letter: indentation, 99 % alike)
@@ -3,1 +3,1 @@
-        return 1
+        return 2
-- model --
It returns 2.
-- after/a.py --
class A:
    def f(self):
        return 2
-- stop: done_unchecked --
