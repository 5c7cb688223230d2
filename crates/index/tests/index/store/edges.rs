//! Edges between files, before and after files come and go.

use super::fixture::Fixture;

const PROJECT: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"till\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
    ("src/lib.rs", "pub mod money;\npub mod receipt;\n"),
    ("src/money.rs", "pub struct Money(pub i64);\n"),
    (
        "src/receipt.rs",
        "use crate::money::Money;\n\npub fn total(items: &[Money]) -> i64 { items.iter().map(|it| it.0).sum() }\n",
    ),
    ("tests/till.rs", "use till::receipt::total;\n\n#[test]\nfn adds() { assert_eq!(total(&[]), 0); }\n"),
    ("app/__init__.py", ""),
    ("app/config.py", "def parse_config(path):\n    return path\n"),
    (
        "app/main.py",
        "from .config import parse_config\nfrom . import config\n\n\ndef main():\n    return parse_config('x')\n",
    ),
    ("web/a.ts", "export function a() { return 1 }\n"),
    ("web/b.ts", "import { a } from './a';\nexport const b = a();\n"),
    ("src/x.c", "#include \"x.h\"\nint x(void) { return 1; }\n"),
    ("src/x.h", "int x(void);\n"),
];

#[test]
fn edges_lead_both_ways() {
    let fixture = Fixture::new(PROJECT);
    fixture.update();
    let snapshot = fixture.index.snapshot();
    for (path, expected) in [
        ("src/money.rs", "src/lib.rs src/receipt.rs"),
        ("src/receipt.rs", "src/lib.rs tests/till.rs"),
        ("app/config.py", "app/main.py"),
        ("web/a.ts", "web/b.ts"),
        ("src/x.h", "src/x.c"),
        ("web/b.ts", ""),
    ] {
        assert_eq!(snapshot.importers(path).join(" "), expected, "{path}");
        for from in snapshot.importers(path) {
            assert!(snapshot.imported(&from).iter().any(|it| it == path), "{from} to {path}");
        }
    }
    let sum: usize = snapshot.paths().map(|it| snapshot.imported(it).len()).sum();
    assert_eq!(snapshot.edges(), sum as u64);
}

#[test]
fn an_edge_follows_the_files_that_there_are() {
    let fixture = Fixture::new(PROJECT);
    fixture.update();
    std::fs::rename(fixture.root().join("web/a.ts"), fixture.root().join("web/moved.ts")).unwrap();
    fixture.update();
    assert_eq!(fixture.index.snapshot().imported("web/b.ts"), Vec::<String>::new());
    fixture.write("web/a/index.ts", "export function a() { return 2 }\n");
    fixture.update();
    assert_eq!(fixture.index.snapshot().imported("web/b.ts"), ["web/a/index.ts"]);
    fixture.same_as_fresh();
}
