Tools under the names that other agents use are understood.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/a.txt --
one
-- user --
Make it two.
-- model --
@Read
file_path: a.txt
@Grep
pattern: one
-- tool: read_file --
one
[a.txt: 1 line]
-- tool: search_code --
a.txt
1:one
-- model --
@str_replace
file_path: a.txt
old_string: one
new_string: two
-- tool: edit_file --
edited a.txt:1
-- prompt: new --
tool_choice: auto
[assistant]
@str_replace {"file_path":"a.txt","old_string":"one","new_string":"two"}
[result of str_replace]
edited a.txt:1
-- model --
It says two.
-- after/a.txt --
two
-- stop: done_unchecked --
