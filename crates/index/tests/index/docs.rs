//! Documents: which sections a question finds, and which module documents name what is gone.

use std::collections::BTreeMap;
use std::io;

use expect_test::expect;
use ox_index::docs::{Docs, first_line, missing, module_doc, module_docs};
use ox_index::{Commit, FileState, Index};

struct Files(BTreeMap<&'static str, &'static str>);

impl Files {
    fn new(files: &[(&'static str, &'static str)]) -> Files {
        Files(files.iter().copied().collect())
    }

    fn states(&self) -> Vec<FileState> {
        let state = |(path, text): (&&str, &&str)| FileState {
            path: (*path).to_owned(),
            size: text.len() as u64,
            mtime: 1,
            ..FileState::default()
        };
        self.0.iter().map(state).collect()
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.0.get(path).map(|it| it.as_bytes().to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn docs(&self, cache: &std::path::Path) -> Docs {
        let docs = Docs::open(cache, "p").unwrap();
        docs.update(&self.states(), &|path| self.read(path)).unwrap();
        docs
    }
}

fn reported(docs: &Docs, files: &Files, question: &str, folder: &str) -> String {
    let (found, more) = docs.ask(&|path| files.read(path), question, folder, 3);
    let lines = found.iter().map(|it| format!("{}:{}-{} {}\n", it.path, it.start, it.end, it.headings.join(" > ")));
    format!("{}{more} more", lines.collect::<String>())
}

#[test]
fn the_section_that_a_question_is_about_comes_first() {
    let cache = tempfile::tempdir().unwrap();
    let files = Files::new(&[
        (
            "README.md",
            "# Lamp\nA lamp.\n\n## Install\nRun the installer.\n\n## Colours\nEach colour has a wavelength.\n",
        ),
        (
            "docs/power.rst",
            "Power\n=====\n\nThe battery holds ten hours.\n\nCharging\n--------\nCharge the battery with the cable.\n",
        ),
        ("docs/site.html", "# Wireless\n\nPair it with the button.\n"),
        ("src/lib.rs", "/// battery cable wavelength\nfn charge() {}\n"),
        ("requirements.txt", "battery==1\n"),
    ]);
    let docs = files.docs(cache.path());
    assert_eq!(docs.len(), 3);
    expect![[r#"
        docs/power.rst:6-8 Power > Charging
        docs/power.rst:1-5 Power
        0 more"#]]
    .assert_eq(&reported(&docs, &files, "how do I charge the battery?", ""));
    expect![[r#"
        README.md:7-8 Lamp > Colours
        0 more"#]]
    .assert_eq(&reported(&docs, &files, "wavelength", ""));
    expect![[r#"
        docs/site.html:1-3 Wireless
        0 more"#]]
    .assert_eq(&reported(&docs, &files, "pair wireless", "docs"));
    assert_eq!(reported(&docs, &files, "installer", "docs"), "0 more");
    assert_eq!(reported(&docs, &files, "zeppelin", ""), "0 more");
    // Opened again it knows the same without reading.
    let again = Docs::open(cache.path(), "p").unwrap();
    let report = again.update(&files.states(), &|_| Err(io::ErrorKind::Other.into())).unwrap();
    assert_eq!((report.parsed, again.len()), (0, 3));
}

#[test]
fn names_that_are_gone_are_reported_and_nothing_else() {
    let cache = tempfile::tempdir().unwrap();
    let doc = "# lamp\nWhat shines.\n\n* `switch_on(lamp)` and `Lamp::dim` work; `switch_off` is gone, so is `src/bulb.rs`.\n\
* Plain `words`, `--flags`, `a | b`, `https://x.org/a_b`, `serde_json`, `__deep_field__`, `lib.rs` and `src/*.rs` say nothing.\n\
```\nnot_looked_at()\n```\n* `Fixture::new` and `old_name` are gone.\n";
    let files = Files::new(&[
        ("crates/lamp/.ac.mod.md", doc),
        (
            "crates/lamp/src/lib.rs",
            "use serde_json::Value;\npub struct Lamp;\nimpl Lamp {\n    pub fn dim(&self) {}\n}\npub fn switch_on(lamp: &Lamp) {}\nconst A: &str = \"__deep_field__\";\n",
        ),
        ("docs/x.md", "the old_name was nice\n"),
    ]);
    let index = Index::open(cache.path(), "p").unwrap();
    index.update(&files.states(), &|path| files.read(path), &|_| {}).unwrap();
    let snapshot = index.snapshot();
    assert_eq!(module_docs(&snapshot), ["crates/lamp/.ac.mod.md"]);
    assert_eq!(first_line(doc), "What shines.");
    let gone = missing(&snapshot, "crates/lamp/.ac.mod.md", doc);
    let gone: Vec<String> = gone
        .into_iter()
        .map(|it| format!("{}:{}{}", it.line, it.name, if it.is_path { " (path)" } else { "" }))
        .collect();
    assert_eq!(gone, ["4:switch_off", "4:src/bulb.rs (path)", "9:Fixture::new", "9:old_name"]);
}

#[test]
fn a_document_is_behind_where_its_own_code_changed_long_after() {
    const DAY: i64 = 86_400;
    let cache = tempfile::tempdir().unwrap();
    let index = Index::open(cache.path(), "p").unwrap();
    let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap();
    // Days since the last change, by the times on disk.
    let files = [
        ("a/.ac.mod.md", 90),
        ("a/src/lib.rs", 10),
        ("a/sub/.ac.mod.md", 5),
        ("a/sub/new.rs", 1),
        ("b/.ac.mod.md", 2),
        ("b/x.rs", 80),
        ("b/data.csv", 0),
    ];
    let states: Vec<FileState> = files
        .iter()
        .map(|(path, age)| FileState {
            path: (*path).to_owned(),
            size: 9,
            mtime: (now - age * DAY) * 1_000_000_000,
            ..FileState::default()
        })
        .collect();
    index.update(&states, &|_| Ok(b"fn a() {}".to_vec()), &|_| {}).unwrap();
    let behind = |path: &str| {
        let doc = module_doc(&index.snapshot(), path, "# x\nWhat it is.\n");
        (doc.behind, doc.is_stale())
    };
    assert_eq!(behind("a/.ac.mod.md"), (80, true));
    assert_eq!(behind("a/sub/.ac.mod.md"), (4, false));
    assert_eq!(behind("b/.ac.mod.md"), (0, false));
    // Where git knows both, its times count: a fresh checkout has none of its own.
    let commit = |id: &str, age: i64, file: &str| Commit {
        id: id.to_owned(),
        time: now - age * DAY,
        files: vec![file.to_owned()],
        message: "x".to_owned(),
    };
    index.history("h", &[commit("2", 3, "b/x.rs"), commit("1", 50, "b/.ac.mod.md")]);
    assert_eq!(behind("b/.ac.mod.md"), (47, true));
}
