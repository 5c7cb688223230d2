Text that occurs twice is not edited by guessing; the places are shown and one is chosen.

-- repo/a.py --
def one():
    return 0

def two():
    return 0
-- user --
two() must return 2.
-- model --
@edit_file
path: a.py
old:     return 0
new:     return 2
-- tool: edit_file failed --
`a.py` was not edited. The search text fits 2 places equally well.
line 2 (in `def one():`):
        return 0
line 5 (in `def two():`):
        return 0
Add lines before or after which only the place you mean has, or give its line number.
-- model --
@edit_file
path: a.py
old:     return 0
new:     return 2
line: = 5
-- tool: edit_file --
edited a.py:5
-- model --
two() returns 2.
-- after/a.py --
def one():
    return 0

def two():
    return 2
-- stop: done_unchecked --
