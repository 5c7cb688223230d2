//! All tools as models see them, with their cost in tokens, kept as a snapshot in `catalogue.md`.

use std::fmt::Write as _;
use std::path::Path;

use ox_protocol::{Mode, ToolSpec};
use serde_json::json;

use crate::call::tool::Tool;
use crate::call::toolbox::Toolbox;

/// Tokens of the build request's tools at most, so that with the system prompt the first request stays small.
const BUDGET: usize = 1_500;

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

/// What of a tool is sent: the shape that providers share.
fn wire(spec: &ToolSpec) -> String {
    json!({"name": spec.name, "description": spec.description, "parameters": spec.schema}).to_string()
}

fn offered(mode: Mode) -> Vec<ToolSpec> {
    Toolbox::default().offered(mode, false, std::iter::empty())
}

/// Its other names; those that tell the commands of an editor apart are none.
fn aliases(tool: &Tool) -> String {
    let names: Vec<&str> = tool.aliases.iter().map(|it| it.name).filter(|it| !it.contains(':')).collect();
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}

fn cost(specs: &[ToolSpec]) -> usize {
    specs.iter().map(|it| tokens(&wire(it))).sum()
}

fn catalogue() -> String {
    let mut out = String::from(
        "# The tools as models see them\n\nWritten by the tests of `ox-tools` (`UPDATE=1 cargo test -p ox-tools catalogue`). Tokens are counted with o200k over name, words and schema.\n\n| mode | tools in the request | tokens |\n|---|---|---|\n",
    );
    for (name, mode) in [("build", Mode::Build), ("plan", Mode::Plan), ("chat", Mode::Chat)] {
        let offered = offered(mode);
        let names: Vec<&str> = offered.iter().map(|it| it.name.as_str()).collect();
        let _ = writeln!(out, "| {name} | {} | {} |", names.join(", "), cost(&offered));
    }
    let toolbox = Toolbox::default();
    let tools = toolbox.all();
    let all: Vec<ToolSpec> = tools.iter().map(|it| it.spec()).collect();
    let _ = writeln!(out, "| all {} | | {} |", all.len(), cost(&all));
    for (tool, spec) in tools.iter().zip(&all) {
        let _ = write!(
            out,
            "\n## {} ({} tokens)\n{:?}, level {:?}, offered: {:?}\n\n{}\n\n```json\n{}\n```\nAlso accepted: {}\n",
            tool.name,
            tokens(&wire(spec)),
            tool.kind,
            tool.level,
            tool.availability,
            tool.description,
            serde_json::to_string_pretty(&spec.schema["properties"]).unwrap(),
            aliases(tool)
        );
    }
    out
}

#[test]
fn the_catalogue_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("catalogue.md");
    let now = catalogue();
    if ["UPDATE", "UPDATE_EXPECT"].iter().any(|it| std::env::var_os(it).is_some()) {
        std::fs::write(&path, &now).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == now,
        "catalogue.md is stale; run `UPDATE=1 cargo test -p ox-tools catalogue` and look at the difference"
    );
}

#[test]
fn the_request_stays_small() {
    let cost = cost(&offered(Mode::Build));
    assert!(cost <= BUDGET, "the tools of a build request cost {cost} tokens, {BUDGET} at most");
}

#[test]
fn words_name_only_tools_of_the_same_request() {
    for mode in [Mode::Build, Mode::Plan, Mode::Chat] {
        let offered = offered(mode);
        let toolbox = Toolbox::default();
        let all = toolbox.all();
        let hidden = all.iter().filter(|it| !it.is_offered(mode, false)).map(|it| &it.name);
        for name in hidden.filter(|it| it.contains('_')) {
            for spec in &offered {
                assert!(!wire(spec).contains(&**name), "{} names {name}, which {mode:?} does not offer", spec.name);
            }
        }
    }
}

#[test]
fn every_schema_is_an_object_whose_required_properties_exist() {
    for tool in Toolbox::default().all() {
        let schema = &tool.schema;
        assert_eq!(schema["type"], "object", "{}", tool.name);
        let properties = schema["properties"].as_object().unwrap();
        for key in schema["required"].as_array().into_iter().flatten() {
            assert!(properties.contains_key(key.as_str().unwrap()), "{} requires {key}", tool.name);
        }
    }
}

#[test]
fn what_a_tool_says_of_itself_fits_together() {
    use crate::call::tool::{Operation, Run};
    use ox_protocol::CallKind::{Checks, Conclude, Mutate, Question};

    for tool in Toolbox::default().all() {
        let by_core = tool.wraps || matches!(tool.kind, Checks | Question | Conclude);
        assert_eq!(matches!(tool.run, Run::Core), by_core, "{}: who runs it", tool.name);
        for mode in [Mode::Chat, Mode::Plan].into_iter().filter(|_| matches!(tool.kind, Mutate | Checks)) {
            // A command may run where the sandbox keeps it from changing anything.
            let command = tool.operation == Some(Operation::Command);
            assert!(!tool.is_allowed(mode, false), "{} changes something", tool.name);
            let (allowed, offered) = (tool.is_allowed(mode, true), tool.is_offered(mode, false));
            assert_eq!((allowed, offered), (command, command), "{} in the sandbox", tool.name);
        }
    }
}
