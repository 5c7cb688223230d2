//! What the model is told of a project before its first request.

use std::fs;
use std::path::Path;

use expect_test::{Expect, expect};
use ox_context::{Budget, Git, PromptFacts, estimate, load, mode_words, system_prompt};
use ox_protocol::{Check, CheckKind, Event, Mode, Plan, PlanStep, Section, StepState, Tokens};
use ox_repo::Tree;
use tempfile::TempDir;

use crate::log::*;

/// A folder `demo` with these files; a path may leave it with `../`.
fn project(files: &[(&str, &str)]) -> (TempDir, Tree) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("demo");
    fs::create_dir(&root).unwrap();
    for (path, text) in files {
        write(&root, path, text);
    }
    let tree = Tree::open(&root, &[]).unwrap();
    (folder, tree)
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The sections of these names, as they are named and read.
fn reported(sections: &[Section], names: &[&str]) -> String {
    let is_wanted = |it: &&Section| names.iter().any(|name| it.name.split(':').next() == Some(name));
    let texts = sections.iter().filter(is_wanted).map(|it| format!("# {}\n{}\n", it.name, it.text));
    texts.collect()
}

fn check(sections: &[Section], names: &[&str], expected: Expect) {
    expected.assert_eq(&reported(sections, names));
}

fn test_check(command: &str) -> Check {
    Check::new(command, CheckKind::Test, command, 1, "x")
}

#[test]
fn a_small_project_from_top_to_bottom() {
    let (_folder, tree) = project(&[
        ("Cargo.toml", "[package]"),
        ("AGENTS.md", "Use tabs.\n"),
        ("src/lib.rs", ""),
        ("src/wire/mod.rs", ""),
        ("src/wire/json/parse.rs", ""),
        ("tests/a b.rs", ""),
        (".gitignore", "target\n"),
        ("target/junk.rs", ""),
        (".git/HEAD", ""),
    ]);
    let plan = Plan {
        text: "Two steps.".into(),
        steps: vec![PlanStep { state: StepState::Said, ..PlanStep::new("Read") }, PlanStep::new("Write")],
        ..Plan::default()
    };
    let facts = PromptFacts {
        prompt: "Fix src/lib.rs:12:5, parse.rs and src/gone.rs, not Node.js or and/or; see https://a.b/c.rs and https://github.com/o/r/blob/v1/src/wire/mod.rs#L60.",
        os: "linux",
        date: "2026-11-20",
        checks: &[test_check("cargo check"), test_check("cargo test")],
        scope: &["src/**".to_owned()],
        git: Some(Git { branch: "main".into(), linked: true, dirty: vec!["src/lib.rs".into()] }),
        plan: Some(&plan),
        ..PromptFacts::default()
    };
    let sections = load(&tree, &facts, Budget::default());
    let all = ["environment", "project", "rules", "files", "git", "scope", "plan", "named", "mode"];
    check(
        &sections,
        &all,
        expect![[r##"
            # environment
            Project `demo`, linux, 2026-11-20. Paths are relative to the project's root, where commands run.
            # project
            Rust (4 files), Cargo.toml
            Entry points: src/lib.rs
            Checks: `cargo check`, `cargo test`
            # rules:AGENTS.md
            Use tabs.
            # files
            6 files in 4 folders
            AGENTS.md Cargo.toml
            src/: lib.rs
            src/wire/: mod.rs
            src/wire/json/: parse.rs
            tests/: "a b.rs"
            # git
            Branch main; uncommitted: src/lib.rs. A linked work tree: commands cannot commit in it, the tool `git_commit` can.
            # scope
            Edits are refused outside: src/**
            # plan
            Two steps.
            - [x] Read
            - [ ] Write
            # named
            src/lib.rs: exists
            parse.rs: src/wire/json/parse.rs
            src/gone.rs: does not exist
            src/wire/mod.rs: exists
            # mode
            Mode: auto. A question or a greeting: answer it in plain text without calls, after a look where the answer rests on the code. A change that is asked for: make it. Change files with `edit_file` (many places in one call) and `write_file`, run commands with `run_command`, the project's checks with `run_checks`. Keep the steps of a larger task in `todo_write`.
            When done, call `attempt_completion`: the files changed and why, how to verify it by hand, what is left undone. Ox then runs the checks; what newly fails comes back to you. Claim nothing that you have not seen.
        "##]],
    );
    assert!(sections.iter().all(|it| it.tokens == estimate(&it.text) && !it.text.is_empty()));
    assert_eq!(sections, load(&tree, &facts, Budget::default()), "the same facts give the same sections");
}

#[test]
fn an_empty_folder_is_said_to_be_empty() {
    let (_folder, tree) = project(&[]);
    check(
        &load(&tree, &PromptFacts::default(), Budget::default()),
        &["environment", "project", "files"],
        expect![[r#"
        # environment
        Project `demo`. Paths are relative to the project's root, where commands run.
        # files
        The project is empty.
    "#]],
    );
}

#[test]
fn rules_come_nearest_first_and_each_text_once() {
    let (_folder, tree) = project(&[
        ("../.git/HEAD", ""),
        ("../AGENTS.md", "Of the repository."),
        ("AGENTS.md", "Of the root."),
        ("CLAUDE.md", "@AGENTS.md\n"),
        ("core/AGENTS.md", "Of core."),
        ("core/CLAUDE.md", "Of core."),
        ("core/src/CLAUDE.md", "Of its sources."),
        ("core/src/a.rs", ""),
        ("web/AGENTS.md", "Of the web."),
        (".oxrules", "Of Ox."),
        (".cursor/rules/always.mdc", "---\ndescription: style\nalwaysApply: true\n---\n\nAlways."),
        (".cursor/rules/some.mdc", "---\ndescription: the wire\nglobs: wire/**\nalwaysApply: false\n---\nSometimes."),
        (".cursor/rules/plain.md", "Plain."),
    ]);
    let facts = PromptFacts { prompt: "Look at core/src/a.rs", ..PromptFacts::default() };
    check(
        &load(&tree, &facts, Budget::default()),
        &["rules"],
        expect![[r#"
        # rules:core/src/CLAUDE.md
        Of its sources.
        # rules:core/AGENTS.md
        Of core.
        # rules:AGENTS.md
        Of the root.
        # rules:.oxrules
        Of Ox.
        # rules:.cursor/rules/always.mdc
        Always.
        # rules:.cursor/rules/plain.md
        Plain.
        # rules:.cursor/rules/some.mdc
        [read this file before work on: the wire; wire/**]
        # rules:../AGENTS.md
        Of the repository.
        # rules
        Read the rules of a folder before you work in it: web/AGENTS.md
    "#]],
    );
}

#[test]
fn rules_above_a_project_count_within_its_git_repository_only() {
    let (_folder, tree) = project(&[("../AGENTS.md", "Of somebody else."), (".git/HEAD", ""), ("a.rs", "")]);
    check(&load(&tree, &PromptFacts::default(), Budget::default()), &["rules"], expect![[""]]);
}

#[cfg(unix)]
#[test]
fn rules_that_lead_out_of_the_project_are_not_read() {
    let (folder, tree) = project(&[("../secret.md", "The secret."), ("../.git/HEAD", "")]);
    std::os::unix::fs::symlink(folder.path().join("secret.md"), tree.root().join("AGENTS.md")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("secret.md"), folder.path().join("CLAUDE.md")).unwrap();
    let text = reported(&load(&tree, &PromptFacts::default(), Budget::default()), &["rules"]);
    assert!(text.contains("not read") && !text.contains("The secret."), "{text}");
}

#[test]
fn rules_are_cut_to_their_budget_the_farthest_first() {
    let long = |word: &str| (1..=40).map(|it| format!("{word} {it}\n")).collect::<String>();
    let (_folder, tree) = project(&[
        ("core/AGENTS.md", &long("near")),
        ("AGENTS.md", &long("far")),
        (".oxrules", &long("farther")),
        ("core/a.rs", ""),
    ]);
    let facts = PromptFacts { prompt: "core/a.rs", ..PromptFacts::default() };
    let budget = Budget { rules: Tokens(110), ..Budget::default() };
    let text = reported(&load(&tree, &facts, budget), &["rules"]);
    assert!(text.contains("near 40\n#"), "{text}");
    check_tail(
        &text,
        expect![[r#"
        far 21
        far 22
        far 23
        [cut: 17 more lines, from line 24]
        # rules:.oxrules
        [no room for its 40 lines; read it before you change anything]
    "#]],
    );
}

fn check_tail(text: &str, expected: Expect) {
    let tail: Vec<&str> = text.lines().rev().take(6).collect();
    expected.assert_eq(&tail.into_iter().rev().map(|it| format!("{it}\n")).collect::<String>());
}

/// A project of 200 files in 21 folders, as large ones are laid out.
fn two_hundred() -> (TempDir, Tree) {
    let (folder, tree) =
        project(&[("Cargo.toml", ""), ("README.md", ""), ("AGENTS.md", "Run `make` before you commit.")]);
    let parts = ["server", "client", "storage", "protocol", "network"];
    for (index, part) in parts.iter().enumerate() {
        write(tree.root(), &format!("crates/{part}/Cargo.toml"), "");
        for file in 0..30 {
            write(tree.root(), &format!("crates/{part}/src/module_{file}.rs"), "");
        }
        for file in 0..8 {
            write(tree.root(), &format!("docs/part_{index}/chapter_{file}.md"), "");
        }
    }
    write(tree.root(), "tests/all.rs", "");
    write(tree.root(), "tests/common.rs", "");
    (folder, tree)
}

#[test]
fn a_large_tree_is_cut_to_its_budget_and_says_so() {
    let (_folder, tree) = two_hundred();
    let sections = load(&tree, &PromptFacts::default(), Budget::default());
    check(
        &sections,
        &["files"],
        expect![[r#"
            # files
            200 files in 18 folders; cut: (n) and +n count files not listed
            AGENTS.md Cargo.toml README.md
            crates/client/: Cargo.toml src/(30)
            crates/network/: Cargo.toml src/(30)
            crates/protocol/: Cargo.toml src/(30)
            crates/server/: Cargo.toml src/(30)
            crates/storage/: Cargo.toml src/(30)
            docs/: part_0/(8) part_1/(8) part_2/(8) part_3/(8) part_4/(8)
            tests/: all.rs common.rs
        "#]],
    );
    let files =
        |budget| load(&tree, &PromptFacts::default(), budget).into_iter().find(|it| it.name == "files").unwrap();
    for tokens in [60, 80, 120, 300, 600] {
        let section = files(Budget { files: Tokens(tokens), ..Budget::default() });
        assert!(section.tokens.0 <= tokens, "{} of {tokens}\n{}", section.tokens, section.text);
    }
}

#[test]
fn a_root_full_of_files_keeps_to_its_room() {
    let (_folder, tree) = project(&[("src/main.rs", "")]);
    for file in 0..80 {
        fs::write(tree.root().join(format!("a_rather_long_name_of_a_file_{file}.rs")), "").unwrap();
        fs::create_dir_all(tree.root().join(format!("folder_with_a_long_name_{file}"))).unwrap();
    }
    let sections = load(&tree, &PromptFacts::default(), Budget::default());
    let section = sections.iter().find(|it| it.name == "files").unwrap();
    assert!(section.tokens <= Budget::default().files && section.text.contains("+7"), "{}", section.text);
}

#[test]
fn what_the_task_names_is_listed_before_its_neighbours() {
    let mut files: Vec<String> = vec!["app/db/query.py".into(), "tests/runtests.py".into()];
    for (folder, count) in [("app/contrib/gis", 40), ("app/forms", 30), ("js_tests/admin", 20), ("tests/a", 90)] {
        files.extend((0..count).map(|it| format!("{folder}/some_module_of_it_{it}.py")));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|it| (it.as_str(), "")).collect();
    let (_folder, tree) = project(&files);
    let text = |prompt| {
        reported(&load(&tree, &PromptFacts { prompt, ..PromptFacts::default() }, Budget::default()), &["files"])
    };
    let asked = text("a query of the db joins twice");
    assert!(asked.contains("app/db/: query.py") && asked.contains("runtests.py"), "{asked}");
    assert!(asked.contains(" +") && asked.contains("/("), "{asked}");
}

#[test]
fn what_no_person_writes_is_counted_and_not_listed() {
    let files = ["src/main.rs", "Cargo.lock", "web/jquery.min.js", "web/app.js", "web/app.js.map", "web/yarn.lock"];
    let files = files.map(|it| (it, ""));
    let (_folder, tree) = project(&files);
    let text = reported(&load(&tree, &PromptFacts::default(), Budget::default()), &["files"]);
    assert!(text.contains("web/: app.js +3") && !text.contains("Cargo.lock"), "{text}");
}

#[test]
fn a_huge_folder_hides_none_of_its_neighbours() {
    let (_folder, tree) = project(&[("zebra/stripe.rs", "")]);
    for file in 0..6_000 {
        fs::create_dir_all(tree.root().join("aardvark")).unwrap();
        fs::write(tree.root().join(format!("aardvark/{file}.txt")), "").unwrap();
    }
    let text = reported(&load(&tree, &PromptFacts::default(), Budget::default()), &["files"]);
    assert!(text.contains("or more files") && text.contains("stripe.rs"), "{text}");
}

#[test]
fn the_first_prompt_in_a_project_of_two_hundred_files_leaves_the_tools_their_room() {
    let (_folder, tree) = two_hundred();
    let facts = PromptFacts {
        mode: Mode::Build,
        prompt: "fix the failing test",
        os: "linux",
        date: "2026-11-20",
        checks: &[test_check("cargo check"), test_check("cargo clippy"), test_check("cargo test")],
        git: Some(Git { branch: "main".into(), linked: false, dirty: vec!["tests/all.rs".into()] }),
        ..PromptFacts::default()
    };
    let context = load(&tree, &facts, Budget::default());
    let log = frames([turn(facts.prompt), Event::Prompted { system: None, tools: None, context }, iterate()]);
    let counter = tiktoken_rs::o200k_base().unwrap();
    let tokens = |text: &str| counter.encode_ordinary(text).len();
    let sent = tokens(&system_prompt()) + tokens(&shown(&transcript(&log)));
    // 2,500 in all, of which the offered tools take at most 1,500.
    assert!(sent <= 1_000, "{sent} tokens");
}

#[test]
fn each_mode_says_its_own_words() {
    let (_folder, tree) = project(&[]);
    for mode in [Mode::Chat, Mode::Plan, Mode::Build] {
        let sections = load(&tree, &PromptFacts { mode, ..PromptFacts::default() }, Budget::default());
        let last = sections.last().unwrap();
        assert_eq!((last.name.as_str(), last.text.as_str()), ("mode", mode_words(mode, false).as_str()));
    }
}

#[test]
fn a_long_plan_keeps_its_steps() {
    let (_folder, tree) = project(&[]);
    let text = (1..=100).map(|it| format!("Line {it} of the plan.\n")).collect();
    let plan = Plan { text, steps: vec![PlanStep::new("Write")], ..Plan::default() };
    let budget = Budget { task: Tokens(20), ..Budget::default() };
    check(
        &load(&tree, &PromptFacts { plan: Some(&plan), ..PromptFacts::default() }, budget),
        &["plan"],
        expect![[r#"
        # plan
        Line 1 of the plan.
        Line 2 of the plan.
        Line 3 of the plan.
        [97 more lines of the plan left out]
        - [ ] Write
    "#]],
    );
}

#[test]
fn a_project_begins_where_its_manifests_and_habits_say() {
    let table: &[(&[(&str, &str)], &str)] = &[
        (&[("Cargo.toml", ""), ("src/main.rs", ""), ("src/lib.rs", "")], "src/main.rs, src/lib.rs"),
        (
            &[("Cargo.toml", "[[bin]]\nname = \"rg\"\npath = \"crates/core/main.rs\"\n"), ("crates/core/main.rs", "")],
            "crates/core/main.rs",
        ),
        (&[("Cargo.toml", ""), ("a/src/lib.rs", ""), ("examples/x/src/main.rs", "")], "a/src/lib.rs"),
        (
            &[("package.json", r#"{"bin": {"x": "./cli.js"}, "scripts": {"test": "t", "dev": "d"}}"#), ("cli.js", "")],
            "cli.js, package.json scripts dev/test",
        ),
        (&[("package.json", "no JSON"), ("src/index.ts", "")], ""),
        (
            &[
                ("pyproject.toml", "[project.scripts]\nshop = \"shop.cli:main\"\n[tool.x]\na = 1\n"),
                ("shop/__main__.py", ""),
            ],
            "shop (shop.cli:main), shop/__main__.py",
        ),
        (&[("go.mod", ""), ("cmd/gh/main.go", ""), ("internal/test/main.go", "")], "cmd/gh/main.go"),
        (
            &[("pom.xml", "<mainClass>org.shop.Start</mainClass>"), ("src/main/java/org/shop/Start.java", "")],
            "src/main/java/org/shop/Start.java",
        ),
        (
            &[("CMakeLists.txt", "add_executable(shop src/shop.cpp)\nadd_library(x x.cpp)"), ("src/shop.cpp", "")],
            "src/shop.cpp",
        ),
        (&[("README.md", "main.rs")], ""),
    ];
    for (files, expected) in table {
        let (_folder, tree) = project(files);
        let reported = reported(&load(&tree, &PromptFacts::default(), Budget::default()), &["project"]);
        let entries = reported.lines().find_map(|it| it.strip_prefix("Entry points: ")).unwrap_or_default();
        assert_eq!(entries, *expected, "{files:?}");
    }
}

#[test]
fn folders_with_one_folder_alone_are_no_level_and_a_name_that_is_everywhere_tells_nothing() {
    let (_folder, tree) = project(&[
        ("src/main/java/com/example/shop/Tax.java", ""),
        ("src/main/java/com/example/shop/Basket.java", ""),
        ("src/test/java/com/example/shop/TaxTest.java", ""),
        ("LICENSE", ""),
        ("a/mod.rs", ""),
        ("b/mod.rs", ""),
        ("c/mod.rs", ""),
        ("d/mod.rs", ""),
    ]);
    let facts = PromptFacts { prompt: "Tax.java and mod.rs are wrong", ..PromptFacts::default() };
    let sections = load(&tree, &facts, Budget::default());
    let text = reported(&sections, &["files"]);
    assert!(text.contains("src/main/java/com/example/shop/: Basket.java Tax.java"), "{text}");
    assert!(!text.contains("LICENSE") && text.contains("+1"), "{text}");
    assert_eq!(reported(&sections, &["named"]), "# named\nTax.java: src/main/java/com/example/shop/Tax.java\n");
}
