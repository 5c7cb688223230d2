The older block syntax is understood too.

-- set --
speeds: core agent openai anthropic (in XML only offered names are taken for calls)
-- repo/a.txt --
one
two
-- user --
Replace two by three.
-- model --
@replace_in_file
path: a.txt
diff: |
  <<<<<<< SEARCH
  two
  =======
  three
  >>>>>>> REPLACE
-- tool: replace_in_file --
edited a.txt:2
-- model --
It says three.
-- after/a.txt --
one
three
-- stop: done_unchecked --
