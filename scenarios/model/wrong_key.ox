A wrong key is not tried twice.

-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model: fail 401 invalid x-api-key --
-- error: model.key_rejected_unnamed --
page: 
provider: scripted
variable: 
-- stop: model_failed auth --
