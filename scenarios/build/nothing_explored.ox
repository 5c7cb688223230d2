Success claimed without a look at the project is refused.

-- repo/a.txt --
one
-- user --
Is a.txt fine?
-- model --
Certainly.
-- refusal: nothing_explored --
Not accepted: you have not looked at the code. Read or search what your answer rests on, then conclude again. (refusal 1 of 5)
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
@attempt_completion
result: It is.
no_change: a.txt is fine as it is.
-- stop: answered --
