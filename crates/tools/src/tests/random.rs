//! Arguments that nobody foresaw: reading a call never panics, and what it made of the arguments is stable.

use ox_protocol::CallId;
use serde_json::{Map, Value, json};

use crate::tests::testing::Fixture;

/// A small generator, the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn value(&mut self, depth: usize) -> Value {
        const TEXTS: &[&str] = &[
            "",
            "a.rs",
            "../x",
            "/etc",
            "5",
            "true",
            "[\"a\"]",
            "{\"path\": \"b\"}",
            "<task>x</task>",
            "-n",
            "é\n\0",
            "*.rs,*.py",
        ];
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.below(3) == 0),
            2 => json!(self.below(2000) as i64 - 1000),
            3 => json!(f64::MAX),
            4 => json!(self.one(TEXTS)),
            5 => json!([self.value(depth - 1), self.value(depth - 1)]),
            _ => Value::Object(self.object(depth - 1)),
        }
    }

    fn object(&mut self, depth: usize) -> Map<String, Value> {
        const KEYS: &[&str] = &[
            "path",
            "paths",
            "file_path",
            "old",
            "old_string",
            "new",
            "edits",
            "line",
            "all",
            "content",
            "command",
            "cmd",
            "timeout",
            "timeout_ms",
            "cwd",
            "pattern",
            "glob",
            "-C",
            "-A",
            "context",
            "limit",
            "offset",
            "view_range",
            "from",
            "to",
            "name",
            "args",
            "arguments",
            "action",
            "tasks",
            "todos",
            "id",
            "state",
            "question",
            "questions",
            "options",
            "result",
            "response",
            "steps",
            "rev",
            "diff",
            "Ünïcode Key",
        ];
        let count = self.below(6);
        (0..count).map(|_| (self.one(KEYS).to_string(), self.value(depth))).collect()
    }
}

#[test]
fn reading_a_call_never_panics_and_is_stable() {
    let fixture = Fixture::new();
    fixture.file("a.rs", "");
    let around = &fixture.cx;
    let names: Vec<String> = (fixture.toolbox.all().iter())
        .flat_map(|it| std::iter::once(it.name.to_string()).chain(it.aliases.iter().map(|it| it.name.to_string())))
        .collect();
    let mut dice = Dice(7);
    let mut accepted = 0;
    for round in 0..4_000 {
        let name = &names[dice.below(names.len())];
        let args = Value::Object(dice.object(3)).to_string();
        let cut = if round % 5 == 0 { dice.below(args.len() + 1) } else { args.len() };
        let raw: String = args.chars().take(cut).collect();
        let first = fixture.toolbox.read(around, CallId("c".into()), name, &raw);
        if first.facts.rejected.is_some() {
            continue;
        }
        accepted += 1;
        let again = fixture.toolbox.read(around, CallId("c".into()), &first.tool, &first.args.to_string());
        assert_eq!((&again.tool, &again.args, &again.facts), (&first.tool, &first.args, &first.facts), "{name} {raw}");
        assert_eq!(again.as_written, None, "{name} {raw}");
    }
    assert!(accepted > 500, "only {accepted} were accepted; the test tests nothing");
}
