Text that is not there is answered with what comes nearest.

-- repo/a.py --
def total(items):
    return sum(item.price for item in items)
-- user --
Count the tax in.
-- model --
@edit_file
path: a.py
old: return sum(i.cost for i in items) + shipping
new: return sum(i.cost * 1.2 for i in items) + shipping
-- tool: edit_file failed --
`a.py` was not edited. The search text is not in the file. Nearest: line 2 (68 % alike).
What was sought (-) and what the file has there (+):
-return sum(i.cost for i in items) + shipping
+    return sum(item.price for item in items)
Take the lines from the file as it is now (read it again if in doubt) and send the edit again.
-- model --
@edit_file
path: a.py
old: item.price for
new: item.price * 1.2 for
-- tool: edit_file --
edited a.py:2
-- model --
The tax is in.
-- after/a.py --
def total(items):
    return sum(item.price * 1.2 for item in items)
-- stop: done_unchecked --
