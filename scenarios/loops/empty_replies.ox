Empty replies are asked again, and three in a row end the turn.

-- set --
rewrites: an empty reply is not sent, so two refusals stand in one message of the user
-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
-- refusal: unfinished --
Your reply was empty or cut off at the output limit. Go on in smaller steps: make the next call, or conclude. (refusal 1 of 5)
-- prompt: new --
tool_choice: required
[assistant]
@read_file {"path":"a.txt"}
[result of read_file]
one
[a.txt: 1 line]
[user]
Your reply was empty or cut off at the output limit. Go on in smaller steps: make the next call, or conclude. (refusal 1 of 5)
-- model --
-- refusal: unfinished --
Your reply was empty or cut off at the output limit. Go on in smaller steps: make the next call, or conclude. (refusal 2 of 5)
-- model --
-- stop: empty_replies --
