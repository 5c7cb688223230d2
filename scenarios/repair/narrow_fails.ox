The tests that the edit can reach run first; what they say goes back to the model, and the whole check waits until they pass.

-- set --
speeds: agent (only there the code is indexed)
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
-- tool: edit_file --
edited app/a.py:2
-- model --
Done.
-- check: fail --
tests/test_a.py:4: [assert] assert 3 == 2
-- prompt: new --
tool_choice: required
[assistant]
Done.
[user]
Checks fail: round 1 of 5.

pytest (narrow) (`python3 -m pytest -q tests/test_a.py`) failed with exit code 1:
tests/test_a.py:4 assert: assert 3 == 2

Changed so far: app/a.py.

Find the root cause; read or search before you edit. Make the smallest fix, suppress nothing, leave assertions alone, break no other test. If your approach is wrong, change it.
-- model --
@edit_file
path: app/a.py
old: return 3
new: return 2
-- tool: edit_file --
edited app/a.py:2
-- model --
It gives 2.
-- check: pass --
-- check: pass --
-- events --
conversation_id
turn_start mode="build" prompt="first() should give 2." continues=false verification="full"
prompted system=… tools=[read_file edit_file write_file search_code list_files run_command run_checks todo_write ask_user attempt_completion find_tools use_tool] context=[environment project files mode]
workflow state="explore"
iteration_start iteration=1 tool_choice="required"
stream_complete calls=[edit_file] finish="calls"
approval call="checks_1" decision=allow by="rule"
checks_start baseline=true round=0
check_result baseline=true round=0 report=[passed]
tool_start call="call_12_0" tool="edit_file" iteration=1
tool_complete call="call_12_0" tool="edit_file" outcome=ok
workflow state="implement"
iteration_start iteration=2 tool_choice="auto"
stream_complete text="Done." finish="stop"
audited changes=1
checks_start baseline=false round=1
workflow state="verify"
check_result baseline=false round=1 report=[failed skipped]
workflow state="fix"
iteration_start iteration=3 tool_choice="required"
stream_complete calls=[edit_file] finish="calls"
tool_start call="call_29_0" tool="edit_file" iteration=3
tool_complete call="call_29_0" tool="edit_file" outcome=ok
workflow state="implement"
iteration_start iteration=4 tool_choice="auto"
stream_complete text="It gives 2." finish="stop"
audited changes=2
checks_start baseline=false round=2
workflow state="verify"
check_result baseline=false round=2 report=[passed passed]
workflow state="summarize"
stopped stop=done
summary summary="It gives 2."
completion stop=done
-- after/app/a.py --
def first():
    return 2
-- stop: done --
