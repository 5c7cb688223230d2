//! What is picked from the index for a task, told on a small project: the right file, the right lines, and nothing for
//! those who ask nothing.

use std::collections::BTreeMap;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use ox_context::{Budget, Freshness, Item, OmitReason, PickInputs, Picked, Rank, build};
use ox_index::{Commit, FileState, Index, Snapshot};
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
        Project::committed(files, &[])
    }

    /// The same with one commit of this moment, of the files `changed`.
    fn committed(files: &[(&str, &str)], changed: &[&str]) -> Project {
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
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().cast_signed();
        let changed: Vec<String> = changed.iter().map(|it| (*it).to_owned()).collect();
        let commit = Commit { id: "head".into(), time, message: String::new(), files: changed };
        index.history("head", &[commit]);
        Project { snapshot: index.snapshot(), files, _cache: cache }
    }

    fn pick(&self, task: &str, tokens: u32) -> Picked {
        self.pick_having_read(task, tokens, "")
    }

    /// What is picked where nobody says how much.
    fn offer(&self, task: &str) -> Picked {
        self.build(task, &Budget::default(), "")
    }

    fn pick_having_read(&self, task: &str, tokens: u32, known: &str) -> Picked {
        self.build(task, &Budget::default().with_picked(Some(tokens)), known)
    }

    fn build(&self, task: &str, budget: &Budget, known: &str) -> Picked {
        let known = PickInputs {
            left_out: &|_| false,
            snapshot: &self.snapshot,
            read: &|path| read(&self.files, path),
            task,
            similar: &[],
            has_read: &|path| path == known,
            fresh: Freshness::Whole,
        };
        build(&known, budget)
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
    let picked = shop().offer("`with_duty` charges too much: the duty is a tenth, not a fifth");
    let map = text(&picked, "map");
    assert!(map.lines().nth(1).is_some_and(|it| it.starts_with("src/tax.rs")), "{map}");
    assert!(map.contains("pub fn with_duty(price: u64) -> u64"), "{map}");
    assert!(text(&picked, "beside").contains("src/.ac.mod.md"), "{}", all(&picked));
    let code = picked.sections.iter().find(|it| it.name.starts_with("code:src/tax.rs:")).expect("it is quoted");
    assert!(code.text.contains("price + price / 5"), "{}", code.text);
    let basket = shop().offer("basket::total forgets the last price");
    assert!(text(&basket, "map").contains("[test tests/basket.rs]"), "{}", all(&basket));
}

#[test]
fn that_a_file_changed_lately_is_said_where_few_did() {
    let files =
        ["duty", "price", "sum", "tip", "fee"].map(|it| (format!("src/{it}.rs"), format!("pub fn {it}() {{}}\n")));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let map = |changed: &[&str]| text(&Project::committed(&files, changed).offer("`duty` is wrong"), "map").to_owned();
    assert!(map(&["src/duty.rs"]).contains("src/duty.rs [changed 0d ago]"), "{}", map(&["src/duty.rs"]));
    let all: Vec<&str> = files.iter().map(|it| it.0).collect();
    assert!(!map(&all).contains("changed"), "{}", map(&all));
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
    assert_eq!(of(&picked.items, "active").first(), Some(&"src/main.rs"), "{}", all(&picked));
}

#[test]
fn a_file_that_the_model_has_read_is_named_and_not_quoted_again() {
    let task = "`with_duty` charges too much";
    let picked = shop().pick_having_read(task, 2_000, "src/tax.rs");
    assert!(text(&picked, "map").contains("src/tax.rs"));
    assert!(!picked.sections.iter().any(|it| it.name.starts_with("code:src/tax.rs")), "{}", all(&picked));
    assert!(picked.left_out.iter().any(|(it, why)| it.path == "src/tax.rs" && *why == OmitReason::Read));
}

#[test]
fn no_budget_is_exceeded_and_what_has_no_room_is_reported() {
    let shop = shop();
    let task = "`with_duty` in src/tax.rs, `total` and `clear` in src/basket.rs and src/main.rs are all wrong";
    for tokens in (0..=900).step_by(30) {
        let picked = shop.pick(task, tokens);
        let used: u64 = picked.sections.iter().map(|it| it.tokens.0).sum();
        // Each section may round up once.
        assert!(used <= u64::from(tokens) + picked.sections.len() as u64, "{used} of {tokens}");
    }
    let narrow = shop.pick(task, 60);
    assert!(narrow.left_out.iter().any(|(_, why)| *why == OmitReason::Room), "{:?}", narrow.left_out);
}

#[test]
fn a_definition_that_is_too_long_keeps_signatures_and_whole_lines() {
    let body: String =
        (0..400).map(|it| format!("    total += measure(letters, {it}, \"as long as it takes\");\n")).collect();
    let long = format!(
        "/// Weighs letters.\npub fn weigh_letters(letters: &[u8]) -> u64 {{\n    let mut total = 0;\n{body}    total\n}}\n"
    );
    let project = Project::new(&[("src/post.rs", &long), ("src/lib.rs", "mod post;\n")]);
    let picked = project.pick("`weigh_letters` in src/post.rs is slow", 800);
    let quoted = picked.sections.iter().filter(|it| it.name.starts_with("code:src/post.rs"));
    let known: Vec<&str> = long.lines().collect();
    for section in quoted {
        assert!(section.tokens <= Tokens(800), "{}", section.tokens.0);
        let is_whole = |line: &str| line.starts_with("[lines ") || known.contains(&line);
        assert!(section.text.lines().all(is_whole), "{}", section.text);
    }
    assert!(all(&picked).contains("pub fn weigh_letters(letters: &[u8]) -> u64"), "{}", all(&picked));
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
fn a_lagging_index_is_reported_of() {
    let shop = shop();
    let lagging = |task, fresh| {
        let known = PickInputs {
            left_out: &|_| false,
            snapshot: &shop.snapshot,
            read: &|path| read(&shop.files, path),
            task,
            similar: &[],
            has_read: &|_| false,
            fresh,
        };
        build(&known, &Budget::default())
    };
    let names = |picked: &Picked| picked.sections.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&lagging("thanks", Freshness::Behind)), ["index"]);
    // Which of its files are best cannot be told of an index that is being built; what is named can.
    let listed = |task, fresh| text(&lagging(task, fresh), "map").lines().skip(1).count();
    let (vague, exact) = ("basket::total forgets the last price", "src/main.rs prints the wrong number");
    assert!(listed(vague, Freshness::Behind) > 0 && listed(vague, Freshness::Building) == 0);
    assert_eq!(listed(exact, Freshness::Building), 1);
}

/// A project with something for every section.
fn post() -> Project {
    let long: String = (0..150).map(|it| format!("    total += rate({it});\n")).collect();
    let stamps = format!(
        "use crate::rates::rate;\nuse crate::scale::ounces;\n\n/// What a letter costs.\npub fn postage(grams: u32) -> u32 {{\n    rate(grams)\n}}\n\n/// What a year costs.\npub fn yearly() -> u32 {{\n    let mut total = ounces(0);\n{long}    total\n}}\n"
    );
    Project::new(&[
        ("Cargo.toml", "[package]\nname = \"post\"\n"),
        ("src/lib.rs", "mod office;\nmod rates;\nmod scale;\nmod stamps;\n"),
        ("src/stamps.rs", &stamps),
        ("src/rates.rs", "/// The rate by weight.\npub fn rate(grams: u32) -> u32 {\n    grams * 2\n}\n"),
        ("src/scale.rs", "/// By another measure.\npub fn ounces(count: u32) -> u32 {\n    count / 28\n}\n"),
        (
            "src/office.rs",
            "use crate::stamps::postage;\n\n/// Sells a stamp.\npub fn sell(grams: u32) -> u32 {\n    postage(grams) + 1\n}\n",
        ),
        (
            "tests/stamps.rs",
            "use post::stamps::postage;\n\n#[test]\nfn a_letter_has_its_postage() {\n    assert_eq!(postage(2), 4);\n}\n",
        ),
        ("src/.ac.mod.md", "# Stamps and rates\nThe postage of a letter grows with its weight.\n"),
        ("docs/postage.md", "# Postage\nThe postage of a letter is twice its weight in grams.\n"),
    ])
}

const POSTAGE: &str = "`postage` in src/stamps.rs is wrong for a letter of 20 grams";

#[test]
fn whoever_asks_for_much_gets_every_kind_of_thing_within_the_bounds_of_each() {
    // In a project as small as this one every piece would be quoted, and no signature be left to tell.
    let budget = Budget { related: Tokens(30), ..Budget::default().with_picked(Some(20_000)) };
    let picked = post().build(POSTAGE, &budget, "");
    for section in ["map", "active", "symbols", "tests", "docs"] {
        assert!(picked.items.iter().any(|it| it.section == section), "{section}: {}", all(&picked));
    }
    let names: Vec<&str> = picked.sections.iter().map(|it| it.name.as_str()).collect();
    let first = |of: &str| names.iter().position(|it| it.starts_with(of)).unwrap_or(usize::MAX);
    assert!(first("map") < first("symbols") && first("symbols") < first("code:src/stamps.rs"), "{names:?}");
    assert!(first("code") < first("test:tests/stamps.rs") && first("test") < first("doc:"), "{names:?}");
    // One step in the graph: what the named file uses, and what uses it.
    let near: Vec<&Item> = picked.items.iter().filter(|it| it.section == "symbols").collect();
    for path in ["src/rates.rs", "src/office.rs", "src/scale.rs"] {
        let sent = |it: &&str| it.starts_with(&format!("code:{path}"));
        assert!(near.iter().any(|it| it.path == path) || names.iter().any(sent), "{path} {}", all(&picked));
    }
    for name in &names {
        assert!(picked.purpose(name).is_some() || ["index", "left_out"].contains(name), "{name}");
    }
}

#[test]
fn no_section_takes_more_than_its_own_budget() {
    let post = post();
    for window in [4_000, 16_000, 64_000, 128_000] {
        let budget = Budget::of(Tokens(window)).with_picked(Some(50_000));
        let picked = post.build(POSTAGE, &budget, "");
        for section in ["map", "active", "related", "symbols", "tests", "docs", "beside", "recent"] {
            let used: u64 = picked.items.iter().filter(|it| it.section == section).map(|it| it.tokens.0).sum();
            assert!(Some(Tokens(used)) <= budget.of_section(section), "{section} of {window}: {used}");
        }
    }
}

#[test]
fn required_things_come_before_high_ones_and_these_before_the_rest() {
    let post = post();
    let ranks = |tokens: u32| {
        let picked = post.pick(POSTAGE, tokens);
        let out: Vec<(Rank, &str)> = picked
            .left_out
            .iter()
            .filter(|(_, why)| *why == OmitReason::Room)
            .map(|(it, _)| (it.rank, it.section))
            .collect();
        let inside: Vec<(Rank, &str)> = picked.items.iter().map(|it| (it.rank, it.section)).collect();
        (inside, out)
    };
    for tokens in (100..2_000).step_by(50) {
        let (inside, out) = ranks(tokens);
        let required = |all: &[(Rank, &str)]| all.iter().any(|it| it.0 == Rank::Required && it.1 == "active");
        if required(&out) {
            let pieces = inside.iter().filter(|it| ["related", "tests", "docs"].contains(&it.1)).count();
            // What is smaller than the room that the named file cannot use may still come.
            assert!(tokens < 1_000, "{tokens}: {pieces} pieces, but not the file that was named");
        }
    }
    let (inside, out) = ranks(20_000);
    assert!(out.is_empty() && inside.len() > 6, "{out:?}");
}

#[test]
fn a_long_file_that_was_named_keeps_the_definition_that_is_meant_and_the_signatures_of_the_others() {
    let picked = post().pick(POSTAGE, 900);
    let code = picked.sections.iter().find(|it| it.name.starts_with("code:src/stamps.rs")).expect("it is quoted");
    for words in ["    rate(grams)\n}", "pub fn yearly() -> u32 {", "left out]"] {
        assert!(code.text.contains(words), "{words}: {}", code.text);
    }
    assert!(!code.text.contains("rate(149)"), "a definition is whole or only its signature: {}", code.text);
}

#[test]
fn what_had_no_room_is_reported_in_the_prompt() {
    let picked = post().pick(POSTAGE, 400);
    let reported = text(&picked, "left_out");
    assert!(reported.starts_with("No room here for: ") && reported.contains("src/stamps.rs"), "{}", all(&picked));
    assert!(picked.left_out.iter().any(|(it, why)| *why == OmitReason::Room && it.path == "src/stamps.rs"));
    assert_eq!(text(&post().pick(POSTAGE, 20_000), "left_out"), "");
}

#[test]
fn unasked_a_file_that_is_named_is_sent_whole_and_little_is_said_of_others() {
    let picked = shop().offer("`with_duty` in src/tax.rs charges too much");
    assert_eq!(of(&picked.items, "active"), ["src/tax.rs"], "{}", all(&picked));
    assert!(text(&picked, "map").lines().any(|it| it == "src/tax.rs"), "{}", all(&picked));
    assert!(picked.items.iter().all(|it| !["symbols", "tests", "docs"].contains(&it.section)), "{}", all(&picked));
    let used: u64 = picked.sections.iter().map(|it| it.tokens.0).sum();
    assert!(used < 250, "{used} {}", all(&picked));
}

#[test]
fn the_same_project_and_task_give_the_same_bytes_however_it_was_indexed() {
    for tokens in [None, Some(700), Some(20_000)] {
        let budget = Budget::default().with_picked(tokens);
        let (one, other) = (post().build(POSTAGE, &budget, ""), post().build(POSTAGE, &budget, ""));
        assert_eq!(one.sections, other.sections);
        assert_eq!((one.items, one.left_out), (other.items, other.left_out));
    }
}
