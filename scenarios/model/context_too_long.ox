A prompt that exceeds the window ends the turn with that reason.

-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model: fail 400 prompt is too long: 250000 tokens > 200000 maximum --
-- stop: model_failed context_too_long --
