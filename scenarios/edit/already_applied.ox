An edit that was made already changes nothing and says where the new text stands.

-- repo/greet.py --
def greet(name):
    return "hello, " + name.strip()
-- user --
Strip the name in greet.
-- model --
@read_file
path: greet.py
-- tool: read_file --
def greet(name):
    return "hello, " + name.strip()
[greet.py: 2 lines]
-- model --
@edit_file
path: greet.py
old:     return "hello, " + name
new:     return "hello, " + name.strip()
-- tool: edit_file failed --
`greet.py` was not edited. The file already has the new text, at line 2.
Go on; there is nothing to do here.
-- model --
@attempt_completion
result: greet strips the name already.
no_change: It did so before.
-- stop: answered --
