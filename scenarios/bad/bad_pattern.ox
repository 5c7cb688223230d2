A pattern that is no regular expression is answered with the place of the mistake.

-- repo/src/a.rs --
fn alpha() {}
-- user: chat --
Where is alpha( called?
-- model --
@search_code
pattern: alpha(
-- tool: search_code --
src/a.rs
1:fn alpha() {}
[not a regex (unclosed group); searched as plain text]
-- model --
@search_code
pattern: alpha(
literal: = true
-- tool: search_code --
src/a.rs
1:fn alpha() {}
-- model --
It is only defined.
-- stop: answered --
