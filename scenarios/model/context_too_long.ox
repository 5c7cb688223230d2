A prompt that the provider finds too long is made shorter, and asked once more; a second refusal ends the turn.

-- set --
speeds: agent wire (the fold alone has no sections that could be left out)
rewrites: the pruning leaves sections out
-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model: fail 400 prompt is too long: 250000 tokens > 200000 maximum --
-- model: fail 400 prompt is too long: 250000 tokens > 200000 maximum --
-- stop: model_failed context_too_long --
