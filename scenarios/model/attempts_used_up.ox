A provider that stays overloaded ends the turn after the last attempt; another fault in between is counted by itself.

-- set --
model_attempts: 3
-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model: fail 529 overloaded --
-- model: fail 503 down --
-- model: fail 529 overloaded --
-- model: fail 529 overloaded --
-- stop: model_failed overloaded --
