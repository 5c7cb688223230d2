Reading some lines of a file says which ones they are.

-- repo/a.txt --
1
2
3
4
5
6
-- user: chat --
What is in lines 2 to 3?
-- model --
@read_file
path: a.txt
start_line: = 2
end_line: = 3
@read_file
path: a.txt
start_line: = 9
-- tool: read_file --
2
3
[a.txt: lines 2-3 of 6]
-- tool: read_file --
[a.txt: has only 6 lines]
-- model --
2 and 3.
-- stop: answered --
