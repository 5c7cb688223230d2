A method is named instead of repeated; what was not read is shown first, and a text that would not parse is not written.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/shape.py --
class Shape:
    sides = 0

    # In square metres.
    def area(self):
        return 1


class Square(Shape):
    def area(self):
        return self.side * self.side
-- user --
Shape.area must be abstract, and Square needs a perimeter.
-- model --
@edit_symbol
path: shape.py
symbol: area
action: replace_body
new: raise NotImplementedError
-- tool: edit_symbol failed --
`shape.py`: `area` names 2 definitions; nothing was changed:
4-6 Shape.area: def area(self):
10-11 Square.area: def area(self):
Give `line`, one of its lines.
-- model --
@edit_symbol
path: shape.py
symbol: Shape.area
action: replace_body
new: raise NotImplementedError
-- tool: edit_symbol failed --
`shape.py`: you have not read `Shape.area` (lines 4-6); nothing was changed. It is:
    # In square metres.
    def area(self):
        return 1
Send the call again if it still holds.
-- model --
@edit_symbol
path: shape.py
symbol: Shape.area
action: replace_body
new: raise NotImplementedError
@insert_after_symbol
path: shape.py
symbol: Square.area
new: |
  def perimeter(self):
      return 4 * self.side
-- tool: edit_symbol --
edited shape.py:6
@@ -6,1 +6,1 @@
-        return 1
+        raise NotImplementedError
-- tool: edit_symbol --
edited shape.py:13-14
@@ -12,0 +12,3 @@
+
+    def perimeter(self):
+        return 4 * self.side
-- model --
@edit_symbol
path: shape.py
symbol: Shape.area
action: replace_body
new: raise NotImplementedError("area"
-- tool: edit_symbol failed --
`shape.py` was not edited: it would no longer parse after the change at line 6. The parser stops at line 9, column 1: class Square(Shape):
    7 
    8 
    9 class Square(Shape):
   10     def area(self):
Correct `new`; if the parser is wrong, use edit_file.
-- model --
@edit_symbol
path: shape.py
symbol: Shape.area
action: replace_body
new: raise NotImplementedError("area")
-- tool: edit_symbol --
edited shape.py:6
@@ -6,1 +6,1 @@
-        raise NotImplementedError
+        raise NotImplementedError("area")
-- model --
Both are done.
-- after/shape.py --
class Shape:
    sides = 0

    # In square metres.
    def area(self):
        raise NotImplementedError("area")


class Square(Shape):
    def area(self):
        return self.side * self.side

    def perimeter(self):
        return 4 * self.side
-- stop: done_unchecked --
