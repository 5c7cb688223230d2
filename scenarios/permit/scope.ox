An edit outside the given scope is refused, whatever the policy.

-- set --
scope: src/**
-- repo/src/a.rs --
one
-- repo/docs/a.md --
one
-- user --
Make it two everywhere.
-- model --
@edit_file
path: docs/a.md
old: one
new: two
-- tool: edit_file denied --
`docs/a.md` is outside the allowed scope (src/**). Change only files within it, or ask the user to widen it.
-- model --
@edit_file
path: src/a.rs
old: one
new: two
-- tool: edit_file --
edited src/a.rs:1
-- model --
src/a.rs says two; docs/a.md is outside the scope.
-- after/src/a.rs --
two
-- stop: done_unchecked --
