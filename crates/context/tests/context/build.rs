//! What is picked from the index for a task, told on a small project: the right file, the right lines, and nothing for
//! those who ask nothing.

use std::collections::BTreeMap;
use std::io;

use ox_context::{Because, Budget, Item, Known, Picked, Rank, build};
use ox_index::{FileState, Index, Snapshot};
use ox_protocol::Tokens;
use tempfile::TempDir;

/// A project as its index knows it.
struct Project {
    files: BTreeMap<String, String>,
    snapshot: Snapshot,
    _cache: TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let files: BTreeMap<String, String> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let cache = tempfile::tempdir().unwrap();
        let index = Index::open(cache.path(), "the project").unwrap();
        let state = |(path, text): (&String, &String)| FileState {
            path: path.clone(),
            size: text.len() as u64,
            mtime: 1,
            ctime: 1,
            inode: 1,
            mode: 0o100_644,
        };
        let states: Vec<FileState> = files.iter().map(state).collect();
        index.update(&states, &|path| read(&files, path), &|_| {}).unwrap();
        Project { snapshot: index.snapshot(), files, _cache: cache }
    }

    fn pick(&self, task: &str, tokens: u32) -> Picked {
        self.pick_having_read(task, tokens, "")
    }

    fn pick_having_read(&self, task: &str, tokens: u32, known: &str) -> Picked {
        let known = Known {
            snapshot: &self.snapshot,
            read: &|path| read(&self.files, path),
            task,
            has_read: &|path| path == known,
            behind: false,
        };
        build(&known, &Budget::default().with_picked(Some(tokens)))
    }
}

fn read(files: &BTreeMap<String, String>, path: &str) -> io::Result<Vec<u8>> {
    files.get(path).map(|it| it.clone().into_bytes()).ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn shop() -> Project {
    Project::new(&[
        ("src/main.rs", "mod basket;\nmod tax;\nfn main() {\n    println!(\"{}\", basket::total(&[1, 2]));\n}\n"),
        (
            "src/basket.rs",
            "use crate::tax::with_duty;\n\n/// Adds up the prices of a basket.\npub fn total(prices: &[u64]) -> u64 {\n    prices.iter().map(|price| with_duty(*price)).sum()\n}\n\n/// Empties it.\npub fn clear(prices: &mut Vec<u64>) {\n    prices.clear();\n}\n",
        ),
        (
            "src/tax.rs",
            "/// The price with the duty of the country.\npub fn with_duty(price: u64) -> u64 {\n    price + price / 5\n}\n",
        ),
        ("src/.ac.mod.md", "# shop\n"),
        ("tests/basket.rs", "#[test]\nfn an_empty_basket_costs_nothing() {}\n"),
        ("README.md", "# Shop\nA small shop with a basket.\n"),
    ])
}

fn text<'a>(picked: &'a Picked, section: &str) -> &'a str {
    picked.sections.iter().find(|it| it.name == section).map_or("", |it| it.text.as_str())
}

fn all(picked: &Picked) -> String {
    picked.sections.iter().map(|it| format!("# {}\n{}\n", it.name, it.text)).collect()
}

fn of<'a>(items: impl IntoIterator<Item = &'a Item>, section: &str) -> Vec<&'a str> {
    items.into_iter().filter(|it| it.section == section).map(|it| it.path.as_str()).collect()
}

#[test]
fn the_file_that_a_task_is_about_is_named_with_its_signature_its_test_and_its_notes_and_quoted() {
    let picked = shop().pick("`with_duty` charges too much: the duty is a tenth, not a fifth", 2_000);
    let map = text(&picked, "map");
    assert!(map.lines().nth(1).is_some_and(|it| it.starts_with("src/tax.rs")), "{map}");
    assert!(map.contains("pub fn with_duty(price: u64) -> u64"), "{map}");
    assert!(text(&picked, "beside").contains("src/.ac.mod.md"), "{}", all(&picked));
    let code = picked.sections.iter().find(|it| it.name.starts_with("code:src/tax.rs:")).expect("it is quoted");
    assert!(code.text.contains("price + price / 5"), "{}", code.text);
    let basket = shop().pick("basket::total forgets the last price", 2_000);
    assert!(text(&basket, "map").contains("[test tests/basket.rs]"), "{}", all(&basket));
}

#[test]
fn words_about_nothing_here_cost_nothing() {
    let shop = shop();
    for words in ["thanks", "Thanks, that looks great!", "ok", "", "   ", "Wie spät ist es?", "🙂"] {
        assert!(shop.pick(words, 2_000).sections.is_empty(), "{words}: {}", all(&shop.pick(words, 2_000)));
    }
    assert!(Project::new(&[]).pick("fix `with_duty` in src/tax.rs", 2_000).sections.is_empty());
    assert!(shop.pick("fix `with_duty` in src/tax.rs", 0).sections.is_empty());
}

#[test]
fn what_the_user_names_comes_first_whatever_it_scores() {
    let picked = shop().pick("src/main.rs prints the wrong number", 2_000);
    let main = picked.items.iter().find(|it| it.path == "src/main.rs" && it.section == "map").expect("it is named");
    assert_eq!(main.rank, Rank::Required);
    assert_eq!(of(&picked.items, "code").first(), Some(&"src/main.rs"), "{}", all(&picked));
}

#[test]
fn a_file_that_the_model_has_read_is_named_and_not_quoted_again() {
    let task = "`with_duty` charges too much";
    let picked = shop().pick_having_read(task, 2_000, "src/tax.rs");
    assert!(text(&picked, "map").contains("src/tax.rs"));
    assert!(!of(&picked.items, "code").contains(&"src/tax.rs"), "{}", all(&picked));
    assert!(picked.left_out.iter().any(|(it, why)| it.path == "src/tax.rs" && *why == Because::Read));
}

#[test]
fn no_budget_is_exceeded_and_what_has_no_room_is_told() {
    let shop = shop();
    let task = "`with_duty` in src/tax.rs, `total` and `clear` in src/basket.rs and src/main.rs are all wrong";
    for tokens in (0..=900).step_by(30) {
        let picked = shop.pick(task, tokens);
        let used: u64 = picked.sections.iter().map(|it| it.tokens.0).sum();
        // Each section may round up once.
        assert!(used <= u64::from(tokens) + picked.sections.len() as u64, "{used} of {tokens}");
    }
    let narrow = shop.pick(task, 60);
    assert!(narrow.left_out.iter().any(|(_, why)| *why == Because::Room), "{:?}", narrow.left_out);
}

#[test]
fn a_definition_that_is_too_long_keeps_signatures_and_whole_lines() {
    let body: String =
        (0..400).map(|it| format!("    total += weigh(letters, {it}, \"as long as it takes\");\n")).collect();
    let long = format!(
        "/// Weighs letters.\npub fn weigh_letters(letters: &[u8]) -> u64 {{\n    let mut total = 0;\n{body}    total\n}}\n"
    );
    let project = Project::new(&[("src/post.rs", &long), ("src/lib.rs", "mod post;\n")]);
    let picked = project.pick("`weigh_letters` in src/post.rs is slow", 800);
    let quoted = picked.sections.iter().filter(|it| it.name.starts_with("code:"));
    let known: Vec<&str> = long.lines().collect();
    for section in quoted {
        assert!(section.tokens <= Tokens(800), "{}", section.tokens.0);
        let is_whole = |line: &str| line.starts_with("[lines ") || known.contains(&line);
        assert!(section.text.lines().all(is_whole), "{}", section.text);
    }
    assert!(text(&picked, "map").contains("pub fn weigh_letters(letters: &[u8]) -> u64"), "{}", all(&picked));
}

#[test]
fn lines_are_never_sent_twice_and_the_same_task_has_the_same_answer() {
    let shop = shop();
    let task = "`total` in src/basket.rs adds up the prices of the basket wrongly, see src/basket.rs:5 and `clear`";
    let picked = shop.pick(task, 5_000);
    let pieces: Vec<(&str, (u32, u32))> =
        picked.items.iter().filter_map(|it| Some((it.path.as_str(), it.lines?))).collect();
    for (at, (path, (from, to))) in pieces.iter().enumerate() {
        let twice = |(other, (first, last)): &&(&str, (u32, u32))| other == path && first <= to && from <= last;
        assert_eq!(pieces[at + 1..].iter().find(twice), None);
    }
    assert_eq!(picked.sections, shop.pick(task, 5_000).sections);
}

#[test]
fn design_rules_are_named_for_what_is_seen_in_a_web_project_alone() {
    let files = [
        ("package.json", "{}"),
        ("docs/design-system.md", "# Colours"),
        ("app/globals.css", ":root { --accent: red; }"),
        ("app/Button.tsx", "export function Button() {\n  return <button className=\"accent\">Go</button>;\n}\n"),
        ("server/queue.ts", "export function drainQueue() {\n  return 1;\n}\n"),
    ];
    let web = Project::new(&files);
    let seen = web.pick("the `Button` in app/Button.tsx has the wrong colour", 2_000);
    assert!(text(&seen, "beside").contains("docs/design-system.md, app/globals.css"), "{}", all(&seen));
    let elsewhere = Project::new(&files[1..]).pick("the `Button` in app/Button.tsx has the wrong colour", 2_000);
    assert!(!text(&elsewhere, "beside").contains("globals"), "{}", all(&elsewhere));
}

#[test]
fn a_lagging_index_is_told_of() {
    let shop = shop();
    let known = Known {
        snapshot: &shop.snapshot,
        read: &|path| read(&shop.files, path),
        task: "thanks",
        has_read: &|_| false,
        behind: true,
    };
    let picked = build(&known, &Budget::default());
    assert_eq!(picked.sections.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["index"]);
}
