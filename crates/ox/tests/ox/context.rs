//! What a model is told before its first word, as a person can look at it and as the provider gets it.

use serde_json::Value;

use crate::place::Place;
use crate::provider::{Format, Provider};

const DONE: &str = "-- model --\n@list_files\n-- model --\nIt adds a fifth.\n";
const TASK: &str = "Why does `with_duty` charge a fifth?";

fn shop() -> Place {
    let place = Place::new();
    // A smaller tree is shown whole, and nothing is picked from it.
    (0..20).for_each(|at| place.write(&format!("shelves/{at}.txt"), "empty\n"));
    place.write("src/main.rs", "mod basket;\nmod tax;\nfn main() {}\n");
    place.write(
        "src/basket.rs",
        "/// Adds up the prices.\npub fn total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n",
    );
    place.write("src/tax.rs", "/// With the duty.\npub fn with_duty(price: u64) -> u64 {\n    price + price / 5\n}\n");
    place
}

fn context(place: &Place, args: &[&str]) -> Value {
    let ran = place.ox(&[&["context", "--json"], args].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn names(context: &Value) -> Vec<&str> {
    context["sections"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect()
}

#[test]
fn a_task_is_shown_section_by_section_without_a_model() {
    let place = shop();
    let shown = context(&place, &[TASK]);
    let sections = names(&shown);
    for name in ["system", "tools", "environment", "files", "map", "mode", "task"] {
        assert!(sections.contains(&name), "{name}: {sections:?}");
    }
    let sum: u64 = shown["sections"].as_array().unwrap().iter().map(|it| it["tokens"].as_u64().unwrap()).sum();
    assert_eq!(shown["tokens"].as_u64(), Some(sum));
    assert_eq!(shown["in"][0]["path"], "src/tax.rs", "{shown:#}");
    let table = place.ox(&["context", TASK]).out;
    assert!(table.contains("map ") && table.contains('█'), "{table}");
    assert!(table.lines().last().is_some_and(|it| it.contains(" of ")), "{table}");
    let explained = place.ox(&["context", "--explain", TASK]).out;
    assert!(explained.contains("map src/tax.rs"), "{explained}");
}

#[test]
fn what_is_shown_is_what_the_provider_gets_and_follows_the_files() {
    let place = shop();
    let shown = context(&place, &[TASK]);
    let map = shown["sections"].as_array().unwrap().iter().find(|it| it["name"] == "map").unwrap();
    let asked = |task: &str| {
        let provider = Provider::new(Format::OpenAi, DONE);
        let ran = place.finish(place.command_on(&provider, &["run", "--mode", "chat", task]));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        provider.mock.requests()[0]["messages"].to_string()
    };
    let sent = asked(TASK);
    let first = map["text"].as_str().unwrap().lines().next().unwrap();
    assert!(sent.contains(first) && sent.contains("src/tax.rs"), "{sent}");
    // The file is renamed between two runs: nothing remembers the old place.
    std::fs::rename(place.project("src/tax.rs"), place.project("src/duty.rs")).unwrap();
    let sent = asked(TASK);
    assert!(sent.contains("src/duty.rs") && !sent.contains("src/tax.rs"), "{sent}");
}

#[test]
fn thanks_cost_nothing_and_a_budget_of_nothing_sends_nothing() {
    let place = shop();
    assert!(!names(&context(&place, &["Thanks, that is all!"])).contains(&"map"));
    let ran = place.ox_with(&["context", "--json", TASK], &[("OX_CONTEXT_TOKENS", "0")]);
    let shown: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(!names(&shown).contains(&"map"), "{shown:#}");
}

#[test]
fn whoever_says_how_many_tokens_gets_more_than_a_list_each_within_its_bound() {
    let place = shop();
    place.write("tests/tax.rs", "#[test]\nfn a_fifth_is_added() {\n    assert_eq!(with_duty(10), 12);\n}\n");
    let shown = context(&place, &["--tokens", "20000", TASK]);
    let sections = shown["sections"].as_array().unwrap();
    let of = |purpose: &str| {
        let own = sections.iter().filter(|it| it["purpose"] == purpose);
        own.map(|it| (it["tokens"].as_u64().unwrap(), it["budget"].as_u64())).collect::<Vec<_>>()
    };
    assert!(!of("related").is_empty() && !of("tests").is_empty(), "{shown:#}");
    for section in sections {
        let (tokens, bound) = (section["tokens"].as_u64().unwrap(), section["budget"].as_u64());
        // The bounds are of estimates.
        assert!(bound.is_none_or(|it| tokens <= it * 3 / 2), "{section:#}");
    }
    assert_eq!(shown["kept"]["tool_results"], 30_000, "{shown:#}");
    let table = place.ox(&["context", "--tokens", "20000", TASK]).out;
    assert!(table.lines().any(|it| it.starts_with("related ") && it.contains("/ 20000")), "{table}");
    let less = context(&place, &[TASK]);
    assert!(less["tokens"].as_u64() < shown["tokens"].as_u64(), "{less:#}");
}

#[test]
fn files_in_view_are_sent_whole_and_what_is_left_out_is_not_named() {
    let place = shop();
    let plain = context(&place, &[TASK]);
    assert!(plain.to_string().contains("src/tax.rs"));
    let args = ["--file", "src/basket.rs:1-2", "--exclude", "src/tax.rs", TASK];
    let shown = context(&place, &args);
    let sections = names(&shown);
    assert!(sections.contains(&"added:src/basket.rs:1-2") && sections.contains(&"excluded"), "{sections:?}");
    let others = shown["sections"].as_array().unwrap().iter().filter(|it| it["name"] != "excluded");
    assert!(!others.map(Value::to_string).collect::<String>().contains("tax.rs"), "{shown:#}");
    let provider = Provider::new(Format::OpenAi, DONE);
    let ran = place.finish(place.command_on(&provider, &[&["run", "--mode", "chat"][..], &args].concat()));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let sent = provider.mock.requests()[0]["messages"].to_string();
    assert!(sent.contains("/// Adds up the prices.") && !sent.contains("With the duty"), "{sent}");
}

#[test]
fn a_flag_that_names_no_file_ends_the_run_before_a_model_is_asked() {
    let place = shop();
    let provider = Provider::new(Format::OpenAi, DONE);
    for (flag, value, said) in [
        ("--file", "src/taxes.rs", "There is no file `src/taxes.rs` in this project. Similar names: src/tax.rs"),
        ("--file", "../other.rs", "There is no file `../other.rs`"),
        ("--exclude", "a{", "a{"),
    ] {
        let ran = place.finish(place.command_on(&provider, &["run", flag, value, TASK]));
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
        assert!(ran.err.contains(said), "{}", ran.err);
    }
    assert!(provider.mock.requests().is_empty());
}
