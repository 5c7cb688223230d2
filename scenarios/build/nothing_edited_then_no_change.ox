Claiming success without an edit is refused; declaring that nothing has to change is accepted.

-- repo/a.txt --
two
-- user --
Make a.txt say two.
-- model --
@read_file
path: a.txt
-- tool: read_file --
two
[a.txt: 1 line]
-- model --
It says two.
-- refusal: nothing_edited --
Not accepted: a change was asked for and nothing was changed. Make it; or, if none is needed, conclude again and say why in `no_change`. (refusal 1 of 5)
-- model --
@attempt_completion
result: It says two already.
no_change: a.txt already says two.
-- stop: answered --
