An account without credit ends the turn with that reason.

-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model: fail 402 insufficient credit --
-- stop: model_failed quota --
