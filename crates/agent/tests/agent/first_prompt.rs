//! What the first request of a turn costs, and that it speaks of nothing that is not in it.

use ox_context::{Budget, PromptFacts, load, mode_words, named_tools, system_prompt};
use ox_protocol::{Mode, Tokens, ToolSpec};
use ox_repo::Tree;
use ox_tools::Toolbox;

const MODES: [Mode; 4] = [Mode::Auto, Mode::Chat, Mode::Plan, Mode::Build];
/// The most tokens that system prompt, tools and context may take in a project of two hundred files.
const LIMIT: usize = 2_500;

/// The tools of a first request.
fn offered(mode: Mode, headless: bool) -> Vec<ToolSpec> {
    Toolbox::default().offered(mode, headless, std::iter::empty())
}

#[test]
fn prompts_name_only_tools_that_are_offered() {
    for mode in MODES {
        let names: Vec<String> = offered(mode, true).into_iter().map(|it| it.name).collect();
        let text = system_prompt() + "\n" + &mode_words(mode, true);
        // An argument of a tool, not a tool.
        let named = named_tools(&text).into_iter().filter(|it| *it != "no_change");
        for tool in named {
            assert!(names.iter().any(|it| it == tool), "{mode:?} names `{tool}`, which it does not offer");
        }
    }
}

#[test]
fn where_nobody_can_answer_no_tool_asks() {
    for mode in MODES {
        let asks = |headless| offered(mode, headless).iter().any(|it| it.name == "ask_user");
        assert_eq!((asks(false), asks(true)), (true, false), "{mode:?}");
    }
}

#[test]
fn the_words_of_tools_name_only_tools_that_exist() {
    for spec in Toolbox::default().all().iter().map(|it| it.spec()) {
        for tool in named_tools(&spec.description) {
            assert!(Toolbox::default().find(tool).is_some(), "`{}` names `{tool}`, which does not exist", spec.name);
        }
    }
}

#[test]
fn the_first_prompt_is_small() {
    let folder = tempfile::tempdir().unwrap();
    for i in 0..200 {
        let path = folder.path().join(format!("src/part_{}/module_{i}.rs", i % 12));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "pub fn f() {}\n").unwrap();
    }
    std::fs::write(folder.path().join("Cargo.toml"), "[package]\nname = \"x\"\n").unwrap();
    let tree = Tree::open(folder.path(), &[]).unwrap();
    let encoder = tiktoken_rs::o200k_base().unwrap();
    let count = |text: &str| encoder.encode_ordinary(text).len();
    for mode in MODES {
        let facts = PromptFacts {
            mode,
            prompt: "fix the failing test",
            os: "linux",
            date: "2026-11-20",
            ..PromptFacts::default()
        };
        let context: usize = load(&tree, &facts, Budget::of(Tokens(128_000))).iter().map(|it| count(&it.text)).sum();
        let tools = count(&serde_json::to_string(&offered(mode, false)).unwrap());
        let all = count(&system_prompt()) + tools + context;
        assert!(all <= LIMIT, "{mode:?}: {all} tokens, {tools} of them for tools and {context} for context");
    }
}
