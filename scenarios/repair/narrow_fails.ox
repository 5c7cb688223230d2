The tests that the edit can reach run first; what they say goes back to the model, and the whole check waits until they pass.

-- set --
speeds: agent
index: true
checks: pytest
-- repo/app/__init__.py --
-- repo/app/a.py --
def first():
    return 1
-- repo/app/b.py --
def second():
    return 2
-- repo/tests/test_a.py --
from app.a import first

def test_first():
    assert first() == 2
-- repo/tests/test_b.py --
from app.b import second

def test_second():
    assert second() == 2
-- user --
first() should give 2.
-- model --
@edit_file
path: app/a.py
old: return 1
new: return 3
-- model --
Done.
-- check: fail --
tests/test_a.py:4: [assert] assert 3 == 2
-- prompt: new --
-- model --
@edit_file
path: app/a.py
old: return 3
new: return 2
-- model --
It gives 2.
-- check: pass --
-- check: pass --
-- events --
-- after/app/a.py --
-- stop --
