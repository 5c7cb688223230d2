A host that refuses the connection is tried again, then the turn ends.

-- set --
model_attempts: 2
speeds: agent core (a served script cannot refuse the connection)
-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model: fail connect connection refused --
-- model: fail connect connection refused --
-- stop: model_failed connect --
