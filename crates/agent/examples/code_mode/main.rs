//! Code mode, measured: tasks with many calls, done by plain calls, by one shell command, and by one script whose functions are
//! the tools. Says of each what it cost; the same results are asserted.
//!
//! `cargo run -p ox-agent --example code_mode`

mod cases;
mod play;
mod script;

use std::time::Duration;

use ox_model::tokens::Counter;
use play::{Played, play};

fn main() {
    let counter = Counter::for_model("openai/gpt-5.4-mini");
    counter.warm();
    while !counter.is_exact() {
        std::thread::sleep(Duration::from_millis(50));
    }
    denied_calls_are_errors_of_the_script();
    println!("run_script costs {} tokens in every request", description(counter));
    println!("| task | way | requests | input | output | in all | each once | ms |\n|---|---|---|---|---|---|---|---|");
    for case in cases::all() {
        let calls = play(&case, &case.calls, counter, false);
        assert_eq!((case.derive)(&calls.results), case.expected, "{}: calls", case.name);
        let shell = (!case.shell.is_empty()).then(|| play(&case, &case.shell, counter, false));
        let script = play(&case, &case.script, counter, true);
        for (way, it) in [("shell", shell.as_ref()), ("script", Some(&script))] {
            let Some(it) = it else { continue };
            let last = it.results.last().map_or("", String::as_str);
            assert!(last.starts_with(&case.expected), "{}: {way}: {last}\n--\n{}", case.name, case.expected);
            assert!(it.files == calls.files, "{}: {way} left other files", case.name);
        }
        row(case.name, "calls", &calls);
        shell.iter().for_each(|it| row(case.name, "shell", it));
        row(case.name, "script", &script);
    }
}

fn row(name: &str, way: &str, it: &Played) {
    let all = it.input + it.output;
    println!("| {name} | {way} | {} | {} | {} | {all} | {} | {} |", it.rounds, it.input, it.output, it.once, it.ms);
}

/// Tokens of the tool's own words in a request.
fn description(counter: Counter) -> u64 {
    let spec = script::spec();
    [&spec.name, &spec.description, &spec.schema.to_string()].map(|it| counter.count(it).0).iter().sum()
}

/// What permission refuses does not run, and the script sees why.
fn denied_calls_are_errors_of_the_script() {
    let case = cases::Case { files: vec![("a.txt".into(), "x\n".into())], ..cases::Case::default() };
    let script = r#"try { tool("read_file", #{path: "/etc/hostname"}); } catch (why) { print(`refused: ${why}`); }"#;
    let it = play(&case, &[vec![("run_script", serde_json::json!({"script": script}))]], Counter::default(), true);
    assert!(it.results[0].starts_with("refused: "), "{}", it.results[0]);
}
