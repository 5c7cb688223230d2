Where nothing tells which tests an edit can reach, the whole check runs at once.

-- set --
speeds: agent (only there the code is indexed)
index: true
checks: pytest
-- repo/app/a.py --
def first():
    return 1
-- repo/notes.txt --
one
-- repo/tests/test_a.py --
from app.a import first

def test_first():
    assert first() == 1
-- user --
Make it two.
-- model --
@edit_file
path: notes.txt
old: one
new: two
-- tool: edit_file --
edited notes.txt:1
-- model --
Two.
-- check: pass --
-- after/notes.txt --
two
-- stop: done --
