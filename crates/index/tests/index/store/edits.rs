//! Edits of the tree between two updates.

use ox_index::{Change, How};
use ox_protocol::ChangeKind;

use super::world::World;

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
    let world = World::new(PROJECT);
    let report = world.update();
    assert_eq!((report.files, report.parsed, report.unsaved.clone()), (6, 6, None));
    assert!(report.symbols > 5 && report.chunks > 5 && report.imports >= 3 && report.disk > 0, "{report:?}");
    world.same_as_fresh();
    assert!(world.index.snapshot().has("src/money.rs"));
}

#[test]
fn what_is_changed_renamed_added_and_deleted_is_seen() {
    let world = World::new(PROJECT);
    world.update();
    world.write("src/money.rs", "pub struct Cash(pub i64);\n");
    world.write("new/deep/file.go", "package deep\n\nfunc Total() int { return 1 }\n");
    std::fs::rename(world.root().join("app/main.py"), world.root().join("app/start.py")).unwrap();
    std::fs::remove_file(world.root().join("README.md")).unwrap();
    let report = world.update();
    assert_eq!((report.parsed, report.removed), (2, 2), "{report:?}");
    world.same_as_fresh();
}

#[test]
fn an_edit_of_the_same_size_within_the_same_tick_is_seen() {
    let world = World::new(PROJECT);
    for round in 0..20 {
        world.write("src/lib.rs", &format!("pub mod money{round:02};\n"));
        world.update();
        world.same_as_fresh();
    }
}

#[test]
fn another_opening_finds_what_was_written() {
    let world = World::new(PROJECT);
    world.update();
    let other = world.reopened();
    assert_eq!(super::world::describe(&other.snapshot()), super::world::fresh(&world.root()));
    let report = super::world::update(&other, &world.root());
    assert_eq!((report.parsed, report.files), (0, 6), "{report:?}");
}

#[test]
fn a_single_edit_is_in_the_next_snapshot() {
    let world = World::new(PROJECT);
    world.update();
    let read = |path: &str| std::fs::read(world.root().join(path));
    let change =
        |kind, path: &str, from: Option<&str>| Change { path: path.to_owned(), kind, from: from.map(str::to_owned) };
    // Enough to have those in memory merged several times.
    for round in 0..30 {
        world.write("src/money.rs", &format!("pub struct Money{round}(pub i64);\n"));
        world.index.change(&[change(ChangeKind::Modified, "src/money.rs", None)], &read).unwrap();
        let found = world.index.snapshot().defined(&format!("Money{round}"), How::Exact, 5);
        assert_eq!(found.len(), 1, "round {round}");
        let before = if round == 0 { "Money".to_owned() } else { format!("Money{}", round - 1) };
        assert!(world.index.snapshot().defined(&before, How::Exact, 5).is_empty(), "round {round}");
    }
    world.write("src/made.rs", "pub fn made() {}\n");
    std::fs::rename(world.root().join("app/main.py"), world.root().join("app/start.py")).unwrap();
    std::fs::remove_file(world.root().join("README.md")).unwrap();
    let changes = [
        change(ChangeKind::Created, "src/made.rs", None),
        change(ChangeKind::Renamed, "app/start.py", Some("app/main.py")),
        change(ChangeKind::Deleted, "README.md", None),
    ];
    let report = world.index.change(&changes, &read).unwrap();
    assert_eq!((report.parsed, report.reused, report.removed), (1, 1, 2), "{report:?}");
    world.update();
    world.same_as_fresh();
    world.index.save();
    assert_eq!(super::world::update(&world.reopened(), &world.root()).parsed, 0);
}
