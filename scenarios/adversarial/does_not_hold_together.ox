A change that does not hold together does not end: files that import each other, a name that is nowhere, JSON that is none.

-- set --
checkpoints: true
checks: none
index: true
speeds: agent (the audit reads the files of the project)
-- repo/a.txt --
one
-- user --
Write x.py, y.py and z.json.
-- model --
@write_file
path: x.py
content: from y import missing
@write_file
path: y.py
content: import x
@write_file
path: z.json
content: {bad
-- tool: write_file --
created x.py (1 line)
-- tool: write_file --
created y.py (1 line)
-- tool: write_file --
created z.json (1 line)
-- model --
Done.
-- refusal: audit --
Not accepted: an audit of your change found what stands below. Repair what is broken. Where a test or a check was made weaker, put it back and repair the code; keep it only if the task asks for just that, then conclude again and say why. What stays is named to the user. (refusal 1 of 5)
x.py:1: imports a name that is not there (`missing of y.py`)
+ from y import missing
x.py:1: closes a circle of imports that was not there before (`x.py → y.py → x.py`)
+ from y import missing
y.py:1: imports a name that is not there (`x of x.py`)
+ import x
z.json:1: does not parse from here on, and did before (`bad`)
+ {bad
-- model --
@write_file
path: y.py
content: missing = 1
@write_file
path: z.json
content: {"good": 1}
-- tool: write_file --
wrote y.py (1 line, +1 -1)
-- tool: write_file --
wrote z.json (1 line, +1 -1)
-- model --
Done.
-- after/x.py (no newline) --
from y import missing
-- after/y.py (no newline) --
missing = 1
-- after/z.json (no newline) --
{"good": 1}
-- stop: done_unchecked --
