The provider's filter stops the reply.

-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model: fail content_filter blocked by the provider's policy --
-- stop: model_failed content_filter --
