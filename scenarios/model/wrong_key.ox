A wrong key is not tried twice.

-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model: fail 401 invalid x-api-key --
-- stop: model_failed auth --
