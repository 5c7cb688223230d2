Two sub-agents of one reply run side by side; their results come back in the order of the calls.

-- set --
speeds: core agent (the requests of two conversations have no common beginning)
-- repo/a.txt --
one
-- user: chat --
What do the two parts do?
-- model --
@spawn_subagent
kind: explore
task: What does the first part do?
@spawn_subagent
kind: explore
task: What does the second part do?
-- model --
It reads.
-- model --
It writes.
-- tool: spawn_subagent --
It reads.
[explore 20330518-3ajyds.1: answered; 1 requests, 1100 tokens]
-- tool: spawn_subagent --
It writes.
[explore 20330518-3ajyds.2: answered; 1 requests, 1100 tokens]
-- model --
The first reads, the second writes.
-- stop: answered --
