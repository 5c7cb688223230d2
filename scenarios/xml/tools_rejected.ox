An endpoint without tools is asked with the calls as XML in the text.

-- set --
rewrites: once tools are refused, all that was said is sent again in words
speeds: core agent openai anthropic (a model of XML calls is never offered tools)
-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model: fail 400 this model does not support tools --
-- model --
I will look.
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- prompt: new --
tool_choice: auto
[assistant]
I will look.

<read_file>
<path>a.txt</path>
</read_file>
[user]
<result tool="read_file">
one
[a.txt: 1 line]
</result>
-- model --
It says one.
-- stop: answered --
