A model that the provider does not know ends the turn with that reason.

-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model: fail 404 the model `gpt-99` does not exist --
-- stop: model_failed unknown_model --
