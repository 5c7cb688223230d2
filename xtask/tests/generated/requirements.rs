//! The page of requirements: what Ox has to do, each row tied to the tests that show it, read from `docs/requirements.toml`.
//!
//! It never believes a name: a test that is not in its file is a fault, and so is a row that has neither a test nor a reason.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The rows as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Requirements {
    part: Vec<Part>,
}

/// Rows that belong together.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    title: String,
    row: Vec<Row>,
}

/// One requirement.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    what: String,
    /// `FILE` of a scenario, or `FILE::NAME` of a test, from the root of the repository.
    #[serde(default)]
    tests: Vec<String>,
    /// What no test shows.
    missing: Option<String>,
}

/// The page.
pub fn page() -> String {
    let parts = read().part;
    let rows = || parts.iter().flat_map(|part| &part.row);
    let count = |state| rows().filter(|row| row.state() == state).count();
    let mut page = format!(
        "# Requirements\n\n<!-- Written by `cargo xtask generate` from `docs/requirements.toml`; edit that instead. -->\n\n\
         What Ox has to do, and the tests that show it. Of {} rows, {} are shown by their tests, {} in part and {} by none;\n\
         the last column says what is not shown.\n",
        rows().count(),
        count("yes"),
        count("in part"),
        count("no"),
    );
    for part in &parts {
        let _ =
            writeln!(page, "\n## {}\n\n| | requirement | shown | by | not shown |\n|---|---|---|---|---|", part.title);
        for row in &part.row {
            let by: Vec<String> = row.tests.iter().map(|test| link(test)).collect();
            let missing = row.missing.as_deref().unwrap_or_default();
            let _ = writeln!(page, "| {} | {} | {} | {} | {missing} |", row.id, row.what, row.state(), by.join("<br>"));
        }
    }
    page
}

impl Row {
    fn state(&self) -> &'static str {
        match (self.tests.is_empty(), &self.missing) {
            (false, None) => "yes",
            (false, Some(_)) => "in part",
            (true, _) => "no",
        }
    }

    /// What is wrong with it.
    fn faults(&self) -> Vec<String> {
        let mut faults: Vec<String> = self
            .tests
            .iter()
            .filter(|test| !exists(test))
            .map(|test| format!("{}: there is no {test}", self.id))
            .collect();
        if self.tests.is_empty() && self.missing.is_none() {
            faults.push(format!("{}: neither a test nor what is missing", self.id));
        }
        faults
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root of the workspace").to_owned()
}

fn read() -> Requirements {
    let text = std::fs::read_to_string(root().join("docs/requirements.toml")).expect("the file is there");
    toml::from_str(&text).unwrap_or_else(|error| panic!("docs/requirements.toml: {error}"))
}

/// The names of tests are sentences.
fn link(test: &str) -> String {
    let (file, name) = test.split_once("::").unwrap_or((test, ""));
    let words = if name.is_empty() { file.to_owned() } else { name.replace('_', " ") };
    format!("[{words}](../../../{file})")
}

/// Whether a scenario lies there, or a test of that name stands in that file.
fn exists(test: &str) -> bool {
    let Some((file, name)) = test.split_once("::") else {
        return test.starts_with("scenarios/") && root().join(test).is_file();
    };
    std::fs::read_to_string(root().join(file)).is_ok_and(|text| has_test(&text, file, name))
}

fn has_test(text: &str, file: &str, name: &str) -> bool {
    match file.rsplit('.').next() {
        // Where a table takes the place of functions, the name is a sentence.
        Some("rs") if name.contains(' ') => {
            ["row(", "test(", "name: "].iter().any(|it| text.contains(&format!("{it}\"{name}\",")))
        }
        Some("rs") => has_rust_test(text, name),
        Some("py") => text.lines().any(|line| line.trim().starts_with(&format!("def {name}("))),
        // A title that is put together from values is named as it is written.
        Some("ts") => ['"', '`'].iter().any(|quote| text.contains(&format!("test({quote}{name}{quote}, "))),
        _ => false,
    }
}

/// Whether a function of that name has the attribute of a test among those right above it.
fn has_rust_test(text: &str, name: &str) -> bool {
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if ["#[test]", "#[tokio::test"].iter().any(|it| line.starts_with(it)) {
            is_test = true;
        } else if !line.starts_with("#[") && !line.starts_with("//") {
            let named = line.trim_start_matches("async ").strip_prefix("fn ").and_then(|it| it.strip_prefix(name));
            if is_test && named.is_some_and(|rest| rest.starts_with('(')) {
                return true;
            }
            is_test = false;
        }
    }
    false
}

#[test]
fn every_requirement_has_tests_that_exist_or_says_what_is_missing() {
    let parts = read().part;
    let rows = || parts.iter().flat_map(|part| &part.row);
    let mut faults: Vec<String> = rows().flat_map(Row::faults).collect();
    let mut ids: Vec<&str> = rows().map(|row| row.id.as_str()).collect();
    ids.sort_unstable();
    faults.extend(ids.windows(2).filter(|two| two[0] == two[1]).map(|two| format!("{}: twice", two[0])));
    assert!(faults.is_empty(), "docs/requirements.toml:\n{}", faults.join("\n"));
}

#[test]
fn a_test_that_is_not_there_and_a_row_without_one_are_found() {
    let row = |tests: &[&str]| Row {
        id: "X1".into(),
        what: String::new(),
        tests: tests.iter().map(|test| (*test).to_owned()).collect(),
        missing: None,
    };
    let here = "xtask/tests/generated/requirements.rs";
    let this = format!("{here}::a_test_that_is_not_there_and_a_row_without_one_are_found");
    assert_eq!(row(&["scenarios/chat/hello.ox", &this]).faults(), [""; 0]);
    assert_eq!(row(&[]).faults(), ["X1: neither a test nor what is missing"]);
    for gone in ["scenarios/chat/gone.ox", "STYLE.md", &format!("{here}::has_test"), &format!("{here}::gone")] {
        assert_eq!(row(&[gone]).faults(), [format!("X1: there is no {gone}")]);
    }
    for (text, file, name, expected) in [
        ("  test(`axe, ${it}`, async", "a.ts", "axe, ${it}", true),
        ("  test(\"axe\", async", "a.ts", "ax", false),
        ("    def test_a(self):", "a.py", "test_a", true),
        ("    def test_ab(self):", "a.py", "test_a", false),
        ("    row(\"git: hook\", Proof::Plain", "a.rs", "git: hook", true),
        ("    row(\"git: hooks\", Proof::Plain", "a.rs", "git: hook", false),
    ] {
        assert_eq!(has_test(text, file, name), expected, "{text}");
    }
}
