//! The tools of a session, found by the names that models call them; they may come and go while the session runs.
//!
//! What a conversation was offered does not change by that: its list stays as it was recorded, byte for byte.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use ox_protocol::{CallKind, Mode, ToolSpec};
use serde_json::{Map, Value};

use super::context::Listed;
use super::tool::{Need, Operation, Tool};
use crate::args::alias::snake;
use crate::builtin;

/// Tools of other agents that have no equal here, with what to use instead.
const SUBSTITUTES: &[(&str, &str)] = &[
    ("insert_content", "Use edit_file: a line beside the place as `old`, the same with the new lines as `new`."),
    ("notebook_edit", "Use edit_file on the notebook's JSON."),
    ("browser_action", "There is no browser here."),
    ("spawn_subagent", "There are no sub-agents here; do it yourself, step by step."),
    ("switch_mode", "Only the user changes the mode."),
];

/// Names of one tool that does several things, told apart by `command`.
const EDITORS: &str =
    "str_replace_editor str_replace_based_edit_tool text_editor text_editor_20250124 editor file_editor";

/// The tools of a session, the built-in ones first. Their order is the order in a request and never changes within a
/// version, so that prompt caches hit.
pub struct Toolbox {
    builtin: usize,
    tools: RwLock<Vec<Arc<Tool>>>,
    /// What is let in, beside what is in already.
    keep: Vec<Keep>,
    /// The lists of servers' tools that are in it, by the beginning of their names.
    lists: RwLock<BTreeMap<String, u64>>,
}

/// True for a tool that may be in a toolbox.
type Keep = Arc<dyn Fn(&Tool) -> bool + Send + Sync>;

impl Default for Toolbox {
    /// The built-in tools.
    fn default() -> Toolbox {
        let tools: Vec<Arc<Tool>> = builtin::all().into_iter().map(Arc::new).collect();
        Toolbox { builtin: tools.len(), tools: RwLock::new(tools), keep: Vec::new(), lists: RwLock::default() }
    }
}

impl Toolbox {
    /// Every tool, offered or not.
    pub fn all(&self) -> Vec<Arc<Tool>> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Those of the tools that `keep` holds for, in the same order. No other is let in later.
    pub fn only(&self, keep: impl Fn(&Tool) -> bool + Send + Sync + 'static) -> Toolbox {
        let all = self.all();
        let builtin = all[..self.builtin].iter().filter(|it| keep(it)).count();
        let tools = RwLock::new(all.into_iter().filter(|it| keep(it)).collect());
        let keep = self.keep.iter().cloned().chain([Arc::new(keep) as Keep]).collect();
        // Its servers' tools are brought anew, past all that keeps them out.
        Toolbox { builtin, tools, keep, lists: RwLock::default() }
    }

    /// Puts the tools of a server, whose names begin with `prefix`, in the place of those that it had. `number` tells its lists
    /// apart: one that is in already stays as it is.
    pub(crate) fn replace(&self, prefix: &str, number: u64, new: Vec<Tool>) {
        let mut lists = self.lists.write().unwrap_or_else(PoisonError::into_inner);
        if lists.insert(prefix.to_owned(), number) == Some(number) {
            return;
        }
        let mut tools = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let mut at = 0;
        tools.retain(|it| {
            at += 1;
            at <= self.builtin || !it.name.starts_with(prefix)
        });
        let fits = |it: &Tool| it.name.starts_with(prefix) && self.keep.iter().all(|keep| keep(it));
        tools.extend(new.into_iter().filter(fits).map(Arc::new));
    }

    /// Puts a tool into the box. False where its name is taken or is none, and the box is as it was.
    pub fn add(&self, tool: Tool) -> bool {
        let mut tools = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let new = tool.name == snake(&tool.name) && !tools.iter().any(|it| names(it).any(|name| name == tool.name));
        if new {
            tools.push(Arc::new(tool));
        }
        new
    }

    /// Takes a tool out of the box. False where there is none of that name, or it is a built-in one.
    pub fn remove(&self, name: &str) -> bool {
        let mut tools = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let at = tools.iter().skip(self.builtin).position(|it| it.name == name);
        at.map(|at| tools.remove(self.builtin + at)).is_some()
    }

    /// The tool of that name or accepted name, whatever its case, prefix or separators.
    pub fn find(&self, name: &str) -> Option<Arc<Tool>> {
        let (plain, tools) = (plain(name), self.all());
        let accepts = |it: &&Arc<Tool>| it.aliases.iter().any(|it| it.name == plain);
        tools.iter().find(|it| it.name == plain).or_else(|| tools.iter().find(accepts)).cloned()
    }

    /// The name of the tool that is the plain way to do something.
    pub fn name_for(&self, operation: Operation) -> String {
        self.all().iter().find(|it| it.operation == Some(operation)).map(|it| it.name.to_string()).unwrap_or_default()
    }

    /// True when calls of that tool need this in their context.
    pub fn needs(&self, name: &str, need: Need) -> bool {
        self.find(name).is_some_and(|it| it.needs == Some(need))
    }

    /// The tools that are part of a request in `mode`, in a stable order. `recorded` is what the conversation was offered so
    /// far, the oldest list first: the last of them that has what this mode needs is offered again as it is, since another
    /// list would cost the provider's cache more than a few tools that the mode refuses. Where none has, those of the last
    /// list stay beside the mode's own.
    pub fn offered<'a>(
        &self,
        mode: Mode,
        headless: bool,
        recorded: impl DoubleEndedIterator<Item = &'a [ToolSpec]>,
    ) -> Vec<ToolSpec> {
        let tools = self.all();
        let (builtin, added) = tools.split_at(self.builtin);
        let asks = |it: &Tool| headless && it.kind == CallKind::Question;
        let needed = |it: &Tool| it.is_offered(mode, headless);
        let fits = |list: &[ToolSpec]| {
            builtin.iter().all(|tool| match list.iter().find(|it| it.name == tool.name) {
                Some(spec) => !asks(tool) && *spec == tool.spec(),
                None => !needed(tool),
            })
        };
        let mut recorded = recorded.rev().peekable();
        let last = recorded.peek().copied().unwrap_or_default();
        if let Some(list) = recorded.find(|it| fits(it)) {
            return list.to_vec();
        }
        let stays = |it: &Tool| needed(it) || !asks(it) && last.iter().any(|spec| spec.name == it.name);
        let own = builtin.iter().filter(|it| stays(it)).chain(added.iter().filter(|it| needed(it)));
        own.map(|it| it.spec()).collect()
    }

    /// The tools that may be called in `mode` and are not among those that the conversation was `offered`; none: those of
    /// the mode.
    pub(crate) fn directory(&self, mode: Mode, offered: Option<&[String]>) -> Vec<Listed> {
        let is_offered = |it: &Tool| match offered {
            Some(names) => names.iter().any(|name| *name == it.name),
            None => it.is_offered(mode, false),
        };
        let hidden = |it: &&Arc<Tool>| !is_offered(it) && it.is_allowed(mode, true) && it.kind != CallKind::Conclude;
        let listed = |it: &Arc<Tool>| {
            let aliases: Vec<&str> = it.aliases.iter().map(|it| it.name).collect();
            Listed { spec: it.spec(), aliases: aliases.join(" "), foreign: it.strict.is_some() }
        };
        self.all().iter().filter(hidden).map(listed).collect()
    }

    /// Like [`Toolbox::find`], looking at the arguments where a name stands for several tools, and adding the argument that a
    /// name stands for; otherwise the words for the model.
    pub(crate) fn resolve(&self, name: &str, args: &mut Map<String, Value>) -> Result<Arc<Tool>, String> {
        let mut plain = plain(name);
        if EDITORS.split(' ').any(|it| it == plain) {
            plain = format!("editor:{}", args.get("command").and_then(Value::as_str).unwrap_or_default());
        }
        for tool in self.all() {
            if tool.name == plain {
                return Ok(tool);
            }
            if let Some(alias) = tool.aliases.iter().find(|it| it.name == plain) {
                if let Some((key, value)) = alias.implies {
                    args.entry(key).or_insert_with(|| value.into());
                }
                return Ok(tool);
            }
        }
        Err(self.unknown(name))
    }

    /// Words for a tool that does not exist: the substitute, else the nearest names.
    pub(crate) fn unknown(&self, name: &str) -> String {
        let plain = plain(name);
        let shown: String = name.trim().chars().take(60).collect();
        if let Some((_, instead)) = SUBSTITUTES.iter().find(|(known, _)| *known == plain) {
            return format!("There is no tool `{shown}`. {instead}");
        }
        let near = self.nearest(&plain).join(" or ");
        if plain.starts_with(ox_protocol::MCP_PREFIX) {
            let server = shown.split("__").nth(1).unwrap_or_default();
            return format!(
                "There is no tool `{shown}`, or it is not known yet. find_tools with the query `{server}` brings the tools of that MCP server."
            );
        }
        let others = match near.is_empty() {
            true => "find_tools lists the tools there are beside those of the request.".to_owned(),
            false => format!("Did you mean {near}? find_tools lists all others."),
        };
        format!("There is no tool `{shown}`. {others}")
    }

    /// Up to three tools whose name or accepted name is near, best first.
    fn nearest(&self, name: &str) -> Vec<String> {
        let mut scored: Vec<(usize, String)> = Vec::new();
        for tool in self.all() {
            let best = names(&tool).map(|known| strsim::levenshtein(name, known)).min().unwrap_or(usize::MAX);
            let shares_word = name.split('_').any(|word| word.len() > 3 && tool.name.split('_').any(|it| it == word));
            match (best, shares_word) {
                (best, _) if best <= name.len() / 3 => scored.push((best, tool.name.to_string())),
                (best, true) => scored.push((100 + best, tool.name.to_string())),
                _ => {}
            }
        }
        scored.sort_unstable();
        let best = scored.first().map_or(0, |it| it.0);
        scored.retain(|it| it.0 <= best + 1 || best >= 100);
        scored.into_iter().take(3).map(|(_, name)| name).collect()
    }
}

/// A tool's own name and the accepted ones.
fn names(tool: &Tool) -> impl Iterator<Item = &str> {
    std::iter::once(&*tool.name).chain(tool.aliases.iter().map(|it| it.name))
}

/// `functions.ReadFile` as `read_file`.
fn plain(name: &str) -> String {
    let bare = name.trim().rsplit(['.', ':', '/']).next().unwrap_or(name);
    snake(bare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::tool::{Availability, Run, RunAsync, object};
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use ox_protocol::Outcome;
    use serde_json::json;

    #[test]
    fn names_of_other_agents_find_our_tools() {
        let toolbox = Toolbox::default();
        let cases = [
            ("read_file Read functions.read_file ReadFile view_file cat open_file", "read_file"),
            ("Edit str_replace search_replace MultiEdit multi_edit edit replace", "edit_file"),
            ("Write write_to_file create_file new_file", "write_file"),
            (
                "Bash bash shell exec_shell execute_command run_terminal_cmd run_shell_command local_shell exec",
                "run_command",
            ),
            ("grep Grep search_files grep_search ripgrep search_file_content", "search_code"),
            ("list_dir LS ls Glob glob list_directory find_files file_search", "list_files"),
            ("get_project_structure tree", "project_structure"),
            ("run_build run_tests", "run_checks"),
            ("ask_followup_question request_user_input AskUserQuestion", "ask_user"),
            ("plan_mode_respond exit_plan_mode ExitPlanMode", "plan_respond"),
            ("finish submit task_complete", "attempt_completion"),
            ("TodoWrite update_plan update_todo_list", "todo_write"),
            ("rename_file mv", "move_file"),
            ("remove_file rm", "delete_file"),
            ("applyPatch apply_diff functions.apply_patch", "apply_patch"),
            ("replace_lines line_edit", "edit_lines"),
        ];
        for (names, tool) in cases {
            for name in names.split(' ') {
                assert_eq!(toolbox.find(name).map(|it| it.name.to_string()).as_deref(), Some(tool), "{name}");
            }
        }
    }

    #[test]
    fn an_accepted_name_belongs_to_one_tool() {
        let mut seen = std::collections::BTreeSet::new();
        for tool in Toolbox::default().all() {
            for name in names(&tool) {
                assert!(seen.insert(name.to_string()), "{name} twice");
                assert_eq!(name, snake(name), "{name} is not snake case and would never be found");
            }
        }
    }

    #[test]
    fn one_editor_stands_for_several_tools() {
        let toolbox = Toolbox::default();
        let tool = |action: &str| {
            let Value::Object(mut args) = json!({"command": action}) else { unreachable!("an object was written") };
            toolbox.resolve("str_replace_based_edit_tool", &mut args).map(|it| it.name.to_string())
        };
        for (action, name) in [
            ("view", "read_file"),
            ("create", "write_file"),
            ("str_replace", "edit_file"),
            ("insert", "edit_lines"),
            ("undo_edit", "revert_file"),
        ] {
            assert_eq!(tool(action).as_deref(), Ok(name));
        }
        assert!(tool("dance").unwrap_err().contains("no tool"));
    }

    #[test]
    fn an_unknown_tool_is_answered_with_what_there_is() {
        let words: Vec<String> = ["raed_file", "insert_content", "semantic_search_code", "frobnicate", "git_status"]
            .map(|it| Toolbox::default().unknown(it))
            .to_vec();
        expect![[r#"
            There is no tool `raed_file`. Did you mean read_file or revert_file or write_file? find_tools lists all others.
            There is no tool `insert_content`. Use edit_file: a line beside the place as `old`, the same with the new lines as `new`.
            There is no tool `semantic_search_code`. Did you mean search_semantic? find_tools lists all others.
            There is no tool `frobnicate`. find_tools lists the tools there are beside those of the request.
            There is no tool `git_status`. Did you mean git_diff? find_tools lists all others."#]]
        .assert_eq(&words.join("\n"));
    }

    fn dynamic(availability: Availability) -> Tool {
        let run: Arc<RunAsync> = Arc::new(|_, args| {
            let words = format!("sunny in {}", args["place"].as_str().unwrap_or_default());
            Box::pin(async move { Ok(Outcome::ok(words).into()) })
        });
        Tool {
            name: "mcp_weather".into(),
            description: "Tell the weather of a place.".into(),
            schema: object(&["place"], json!({"place": {"type": "string"}})),
            availability,
            run: Run::Dynamic(run),
            ..Tool::base()
        }
    }

    #[test]
    fn tools_come_and_go_and_a_conversation_keeps_what_it_was_offered() {
        for availability in [Availability::OnDemand, Availability::Always] {
            let mut fixture = Fixture::new();
            let bytes = |list: &[ToolSpec]| serde_json::to_string(list).unwrap();
            let first = fixture.toolbox.offered(Mode::Build, false, std::iter::empty());
            let offered = |fixture: &Fixture| fixture.toolbox.offered(Mode::Build, false, [&first[..]].into_iter());
            fixture.cx.offered = Some(first.iter().map(|it| it.name.clone()).collect());
            let wrapped = json!({"name": "mcp_weather", "args": {"place": "Bern"}});
            assert!(fixture.fails("use_tool", wrapped.clone()).contains("There is no tool `mcp_weather`"));
            assert!(fixture.toolbox.add(dynamic(availability)));
            assert!(!fixture.toolbox.add(dynamic(availability)), "its name is taken");
            assert_eq!(bytes(&offered(&fixture)), bytes(&first), "the conversation goes on with the same list");
            assert!(fixture.ok("find_tools", json!({"query": "weather"})).starts_with("mcp_weather: Tell the weather"));
            assert_eq!(fixture.ok("use_tool", wrapped.clone()), "sunny in Bern");
            assert!(fixture.fails("use_tool", json!({"name": "mcp_weather"})).contains("`place` is missing"));
            // A new conversation is offered what there is now.
            let new = fixture.toolbox.offered(Mode::Build, false, std::iter::empty());
            assert_eq!(new.len() - first.len(), usize::from(availability == Availability::Always));
            // It goes, and the conversation that was offered it keeps its list.
            assert!(fixture.toolbox.remove("mcp_weather") && !fixture.toolbox.remove("mcp_weather"));
            let kept = fixture.toolbox.offered(Mode::Build, false, [&first[..], &new[..]].into_iter());
            assert_eq!(bytes(&kept), bytes(&new));
            assert_eq!(bytes(&offered(&fixture)), bytes(&first));
            assert!(fixture.fails("use_tool", wrapped).contains("There is no tool `mcp_weather`"));
        }
        let toolbox = Toolbox::default();
        assert!(!toolbox.remove("read_file"), "a built-in tool stays");
        assert!(
            !toolbox.add(Tool { name: "bash".into(), ..dynamic(Availability::OnDemand) }),
            "a name that is accepted"
        );
    }

    #[test]
    fn another_mode_or_other_built_in_tools_are_a_new_list() {
        let toolbox = Toolbox::default();
        let none = || std::iter::empty();
        let (build, plan) = (toolbox.offered(Mode::Build, false, none()), toolbox.offered(Mode::Plan, false, none()));
        let recorded = [&build[..], &plan[..]];
        assert_eq!(toolbox.offered(Mode::Build, false, recorded.into_iter()), build);
        let mut older = build.clone();
        older[0].description = "as it was in an earlier version".into();
        assert_eq!(toolbox.offered(Mode::Build, false, [&older[..]].into_iter()), build);
        // Another mode keeps the list where that has what it needs, and adds to it where it has not.
        let after = |mode, list: &[ToolSpec]| toolbox.offered(mode, false, [list].into_iter());
        assert_eq!(after(Mode::Chat, &build), build);
        let both = after(Mode::Plan, &build);
        assert!(build.iter().chain(&plan).all(|it| both.contains(it)) && both.len() == build.len() + 1);
        assert!([Mode::Auto, Mode::Chat, Mode::Plan, Mode::Build].into_iter().all(|mode| after(mode, &both) == both));
        let alone = toolbox.offered(Mode::Build, true, [&both[..]].into_iter());
        assert!(alone.iter().all(|it| it.name != "ask_user"), "nobody can answer");
    }
}
