//! Edits of the tree between two updates.

use ox_index::{Change, Fields, How, Scope};
use ox_protocol::ChangeKind;

use super::fixture::Fixture;

pub const PROJECT: &[(&str, &str)] = &[
    (
        "src/money.rs",
        "/// An amount of money.\npub struct Money(pub i64);\n\nimpl Money {\n    pub fn add(self, other: Money) -> Money {\n        Money(self.0 + other.0)\n    }\n}\n",
    ),
    (
        "src/receipt.rs",
        "use crate::money::Money;\n\n/// The total price of a receipt.\npub fn total(items: &[Money]) -> Money {\n    items.iter().fold(Money(0), |a, b| a.add(*b))\n}\n",
    ),
    ("src/lib.rs", "pub mod money;\npub mod receipt;\n"),
    (
        "app/config.py",
        "import os\n\n\ndef parse_config(path):\n    if not os.path.exists(path):\n        raise ValueError(\"no such config\")\n    return open(path).read()\n",
    ),
    ("app/main.py", "from app.config import parse_config\n\n\ndef main():\n    return parse_config(\"config.toml\")\n"),
    ("README.md", "# Receipts\n\nAdds money up and prints the total.\n"),
];

#[test]
fn an_index_knows_what_a_tree_says() {
    let fixture = Fixture::new(PROJECT);
    let report = fixture.update();
    assert_eq!((report.files, report.parsed, report.unsaved.clone()), (6, 6, None));
    assert!(report.symbols > 5 && report.chunks > 5 && report.imports >= 3 && report.disk > 0, "{report:?}");
    fixture.same_as_fresh();
    assert!(fixture.index.snapshot().has("src/money.rs"));
}

#[test]
fn what_is_changed_renamed_added_and_deleted_is_seen() {
    let fixture = Fixture::new(PROJECT);
    fixture.update();
    fixture.write("src/money.rs", "pub struct Cash(pub i64);\n");
    fixture.write("new/deep/file.go", "package deep\n\nfunc Total() int { return 1 }\n");
    std::fs::rename(fixture.root().join("app/main.py"), fixture.root().join("app/start.py")).unwrap();
    std::fs::remove_file(fixture.root().join("README.md")).unwrap();
    let report = fixture.update();
    assert_eq!((report.parsed, report.removed), (2, 2), "{report:?}");
    fixture.same_as_fresh();
}

#[test]
fn an_edit_of_the_same_size_within_the_same_tick_is_seen() {
    let fixture = Fixture::new(PROJECT);
    for round in 0..20 {
        fixture.write("src/lib.rs", &format!("pub mod money{round:02};\n"));
        fixture.update();
        fixture.same_as_fresh();
    }
}

#[test]
fn another_opening_finds_what_was_written() {
    let fixture = Fixture::new(PROJECT);
    fixture.update();
    let other = fixture.reopened();
    super::fixture::same(&super::fixture::describe(&other.snapshot()), &super::fixture::fresh(&fixture.root()));
    let report = super::fixture::update(&other, &fixture.root());
    assert_eq!((report.parsed, report.files), (0, 6), "{report:?}");
}

#[test]
fn a_single_edit_is_in_the_next_snapshot() {
    let fixture = Fixture::new(PROJECT);
    fixture.update();
    let read = |path: &str| std::fs::read(fixture.root().join(path));
    let change =
        |kind, path: &str, from: Option<&str>| Change { path: path.to_owned(), kind, from: from.map(str::to_owned) };
    // Enough to have those in memory merged several times.
    for round in 0..30 {
        fixture.write("src/money.rs", &format!("pub struct Money{round}(pub i64);\n"));
        fixture.index.change(&[change(ChangeKind::Modified, "src/money.rs", None)], &read).unwrap();
        let found = fixture.index.snapshot().defined(&format!("Money{round}"), How::Exact, 5);
        assert_eq!(found.len(), 1, "round {round}");
        let before = if round == 0 { "Money".to_owned() } else { format!("Money{}", round - 1) };
        assert!(fixture.index.snapshot().defined(&before, How::Exact, 5).is_empty(), "round {round}");
    }
    fixture.write("src/made.rs", "pub fn made() {}\n");
    std::fs::rename(fixture.root().join("app/main.py"), fixture.root().join("app/start.py")).unwrap();
    std::fs::remove_file(fixture.root().join("README.md")).unwrap();
    let changes = [
        change(ChangeKind::Created, "src/made.rs", None),
        change(ChangeKind::Renamed, "app/start.py", Some("app/main.py")),
        change(ChangeKind::Deleted, "README.md", None),
    ];
    let report = fixture.index.change(&changes, &read).unwrap();
    assert_eq!((report.parsed, report.reused, report.removed), (1, 1, 2), "{report:?}");
    fixture.update();
    fixture.same_as_fresh();
    fixture.index.save();
    assert_eq!(super::fixture::update(&fixture.reopened(), &fixture.root()).parsed, 0);
}

/// Files enough for several blocks of the listing, twins among them.
fn many() -> Fixture {
    let fixture = Fixture::new(&[]);
    for number in 0..600 {
        fixture.write(&format!("src/d{}/m{number}.rs", number % 7), &text(number));
    }
    fixture
}

/// The same for every third number.
fn text(number: usize) -> String {
    let of = if number.is_multiple_of(3) { 0 } else { number };
    format!("/// Adds money of a receipt.\npub fn money{of}() -> usize {{ {of} }}\n")
}

#[test]
fn edits_that_are_asked_about_one_by_one_come_to_what_a_fresh_index_says() {
    let fixture = many();
    fixture.update();
    let read = |path: &str| std::fs::read(fixture.root().join(path));
    let mut random = 7usize;
    for round in 0..40 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (number, kind) = ((random >> 33) % 600, (random >> 50) % 4);
        let path = format!("src/d{}/m{number}.rs", number % 7);
        let (kind, from) = match kind {
            0 => {
                let _ = std::fs::remove_file(fixture.root().join(&path));
                (ChangeKind::Deleted, None)
            }
            1 => {
                fixture.write(&path, &text(round));
                (ChangeKind::Modified, None)
            }
            2 => {
                fixture.write(&path, "pub fn total_price_of_a_receipt() {}\n");
                (ChangeKind::Modified, None)
            }
            _ => {
                let from = format!("src/d{}/m{}.rs", (number + 1) % 7, number + 1);
                fixture.write(&path, &text(number + 1));
                let _ = std::fs::remove_file(fixture.root().join(&from));
                (ChangeKind::Renamed, Some(from))
            }
        };
        fixture.index.change(&[Change { path, kind, from }], &read).unwrap();
        // What was counted for this question is carried on to the next edit.
        let found = fixture.index.snapshot().search(&[("receipt".to_owned(), 1.0)], &BODY, Scope::Files, 1);
        assert_eq!(found.len(), 1);
        if round % 10 == 9 {
            assert_eq!(fixture.index.save(), None);
        }
    }
    fixture.same_as_fresh();
    super::fixture::same(
        &super::fixture::describe(&fixture.reopened().snapshot()),
        &super::fixture::fresh(&fixture.root()),
    );
}

const BODY: Fields = Fields { path: 0.0, name: 0.0, signature: 0.0, body: 1.0, strings: 0.0, doc: 0.0 };

#[test]
fn an_edit_while_all_files_are_read_is_not_lost_to_what_was_read_before() {
    for late in [false, true] {
        let fixture = many();
        fixture.update();
        for number in 0..300 {
            fixture.write(&format!("src/d{}/m{number}.rs", number % 7), &format!("pub fn other{number}() {{}}\n"));
        }
        // The edited file is read first or last; the edit comes in between.
        let edited = if late { "src/d6/m20.rs" } else { "src/d0/m0.rs" };
        let done = std::sync::atomic::AtomicBool::new(false);
        let read = |path: &str| {
            let bytes = std::fs::read(fixture.root().join(path));
            if path.starts_with("src/d3/") && !done.swap(true, std::sync::atomic::Ordering::AcqRel) {
                fixture.write(edited, "pub fn edited_meanwhile() {}\n");
                let change = Change { path: edited.to_owned(), kind: ChangeKind::Modified, from: None };
                fixture.index.change(&[change], &|path| std::fs::read(fixture.root().join(path))).unwrap();
                let places = fixture.index.snapshot().defined("edited_meanwhile", How::Exact, 5);
                assert_eq!(places.len(), 1, "it is seen before the rest is done");
            }
            bytes
        };
        fixture.index.update(&super::fixture::states(&fixture.root()), &read, &|_| {}).unwrap();
        assert!(done.into_inner());
        assert_eq!(fixture.index.snapshot().defined("edited_meanwhile", How::Exact, 5).len(), 1, "late: {late}");
        fixture.same_as_fresh();
        fixture.update();
        fixture.same_as_fresh();
    }
}

#[test]
fn little_memory_makes_more_pieces_and_the_same_index() {
    let fixture = Fixture::new(&[]);
    for number in 0..70 {
        let lines: String = (0..1_500)
            .map(|it| format!("// money{number} is added to the total of a receipt with {it} others\n"))
            .collect();
        fixture.write(&format!("src/m{number}.rs"), &format!("{lines}pub fn money{number}() {{}}\n"));
    }
    let segments = || {
        let entries = std::fs::read_dir(fixture.folder()).unwrap().flatten();
        entries.filter(|it| it.file_type().unwrap().is_dir()).count()
    };
    fixture.index.limit_memory(0);
    fixture.update();
    let few = segments();
    fixture.same_as_fresh();
    std::fs::remove_dir_all(fixture.cache()).unwrap();
    let roomy = fixture.reopened();
    super::fixture::update(&roomy, &fixture.root());
    assert!(few > segments(), "{few} pieces with little memory, {} with much", segments());
}
