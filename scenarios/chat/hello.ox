Where no mode was given, words that change nothing are the answer: one request, in whatever language.

-- set --
mode: auto
-- repo/a.txt --
apple
-- user --
hi
-- prompt --
-- model --
Hello! What shall I do?
-- events --
-- stop: answered --
-- user --
你好
-- model --
你好！
-- stop: answered --
-- user --
What does a.txt say?
-- model --
@read_file
path: a.txt
-- model --
It says apple.
-- stop: answered --
-- user: chat --
thanks
-- model --
You are welcome.
-- stop: answered --
-- user: plan --
hello
-- model --
Hello.
-- events --
-- stop: answered --
