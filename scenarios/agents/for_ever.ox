A model that starts sub-agents for ever is refused by name, and stopped; what they used is counted.

-- set --
speeds: core agent (the requests of two conversations have no common beginning)
agents: 2
-- repo/a.txt --
one
-- user: chat --
Look at everything.
-- model --
@spawn_subagent
kind: explore
task: Look at the first part.
-- model --
Seen.
-- tool: spawn_subagent --
Seen.
[explore 20330518-3ajyds.1: answered; 1 requests, 1100 tokens]
-- model --
@spawn_subagent
kind: explore
task: Look at the second part.
-- model --
Seen.
-- tool: spawn_subagent --
Seen.
[explore 20330518-3ajyds.2: answered; 1 requests, 1100 tokens]
-- model --
@spawn_subagent
kind: explore
task: Look at the third part.
-- tool: spawn_subagent failed --
not started: this turn has started 2 sub-agents, and no more are allowed (`agents.per_turn`). Go on with what they found, and do the rest yourself.
-- model --
@spawn_subagent
kind: explore
task: Look at the fourth part.
-- tool: spawn_subagent failed --
not started: this turn has started 2 sub-agents, and no more are allowed (`agents.per_turn`). Go on with what they found, and do the rest yourself.
-- model --
@spawn_subagent
kind: explore
task: Look at the fifth part.
-- tool: spawn_subagent failed --
not started: this turn has started 2 sub-agents, and no more are allowed (`agents.per_turn`). Go on with what they found, and do the rest yourself.
-- stop: all_calls_failed --
