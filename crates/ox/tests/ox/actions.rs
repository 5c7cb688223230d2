//! `/compact` and `/clear` as they are typed at the prompt: what the user is shown, and what the model reads from then on.

use serde_json::Value;

use crate::place::Place;
use crate::provider::{Format, Provider};
use crate::terminal::Terminal;

/// Three long files that are only read, one that is edited, and what a user says of them.
const TASK: &str = "Never rename `total`, and tell me what the three files hold.";
const STEER: &str = "And what was the first file about?";

fn project() -> Place {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        let lines: String = (0..150).map(|it| format!("{name} line {it} of a text that is only looked at\n")).collect();
        place.write(&format!("{name}.txt"), lines);
    }
    place.write("sum.txt", "total = 1\nall of this file is being worked on\n");
    place
}

/// The first task reads the files, edits one and fails at another; then come `further` replies of words alone.
fn script(further: &[&str]) -> String {
    let read = |path: &str| format!("-- model --\n@read_file\npath: {path}\n");
    let mut script: String = ["a.txt", "b.txt", "c.txt", "absent.txt", "sum.txt"].map(read).concat();
    script += "-- model --\n@edit_file\npath: sum.txt\nold: total = 1\nnew: total = 2\n";
    script += "-- model --\n@attempt_completion\nresult: Read all of it.\n";
    further.iter().for_each(|it| {
        script += &format!("-- model --\n@attempt_completion\nresult: {it}\nno_change: it was a question\n")
    });
    script
}

fn opened(place: &Place, provider: &Provider) -> Terminal {
    let flags = provider.flags();
    let mut args: Vec<&str> = vec!["--approval", "accept-edits"];
    args.extend(flags.iter().map(String::as_str));
    let mut terminal = Terminal::open(place, &args, &[provider.key()]);
    terminal.shows("› ");
    terminal.types(&format!("{TASK}\r"));
    terminal.shows("Read all of it.");
    terminal.shows("› ");
    terminal
}

/// The texts of all messages that one request had, as one.
fn said(request: &Value) -> String {
    request["messages"].to_string()
}

/// The events of the only conversation.
fn events(place: &Place) -> Vec<Value> {
    let id = place.ox(&["sessions"]).out.split(' ').next().unwrap().to_string();
    let reported = place.ox(&["sessions", "export", &id, "--format", "json"]).out;
    let reported: Value = serde_json::from_str(&reported).unwrap();
    reported["events"].as_array().unwrap().clone()
}

#[test]
fn compacting_leaves_old_results_out_and_keeps_what_was_said() {
    let (place, provider) = (project(), Provider::new(Format::OpenAi, &script(&["It was about lines."])));
    let mut terminal = opened(&place, &provider);
    // The second time there is a digest in the place of the calls; the third time there is nothing left to gain.
    for shown in ["Compacted context: ", "Compacted context: ", "Nothing to compact"] {
        terminal.types("/compact\r");
        terminal.shows(shown);
        terminal.shows("› ");
    }
    terminal.types(&format!("{STEER}\r"));
    terminal.shows("It was about lines.");
    terminal.shows("› ");
    terminal.types("/exit\r");
    terminal.ends(0);
    provider.is_content();
    let requests = provider.mock.requests();
    let (before, after) = (said(&requests[requests.len() - 2]), said(&requests[requests.len() - 1]));
    assert!(before.contains("a line 149 of") && before.contains("b line 149 of"));
    assert!(!after.contains("a line 149 of") && after.len() < before.len() * 2 / 3, "{} {}", before.len(), after.len());
    // What was said, what stands as an error, and what is being edited stay word for word.
    for kept in [TASK, STEER, "absent.txt", "all of this file is being worked on", "Read all of it."] {
        assert!(after.contains(kept), "{kept} is gone: {after}");
    }
    let events = events(&place);
    let pruned: Vec<&Value> = events.iter().filter(|it| it["event"] == "pruned").collect();
    let tokens = |it: &Value, name: &str| it[name].as_u64().unwrap();
    assert_eq!(pruned.len(), 2, "what gains nothing is no pruning: {pruned:?}");
    assert!(pruned.iter().all(|it| tokens(it, "before") > tokens(it, "after")), "{pruned:?}");
    assert!(events.iter().any(|it| it.to_string().contains("a line 149 of")), "the log keeps everything");
}

#[test]
fn clearing_has_the_model_begin_anew_and_keeps_files_and_log() {
    let (place, provider) = (project(), Provider::new(Format::OpenAi, &script(&["Which file?"])));
    let mut terminal = opened(&place, &provider);
    terminal.types("/memory\r");
    terminal.shows("No memory from earlier conversations was used");
    terminal.shows("› ");
    terminal.types("/clear\r");
    terminal.shows("Conversation cleared; files are kept.");
    // It is said at once and true a moment later.
    terminal.shows("Conversation rewound to before turn 1");
    terminal.shows("› ");
    terminal.types("/memory\r");
    terminal.shows("No memory: this project has no earlier tasks");
    terminal.shows("› ");
    terminal.types(&format!("{STEER}\r"));
    terminal.shows("Which file?");
    terminal.shows("› ");
    terminal.types("/exit\r");
    terminal.ends(0);
    provider.is_content();
    let last = said(provider.mock.requests().last().unwrap());
    assert!(last.contains(STEER) && !last.contains(TASK) && !last.contains("line 149"), "{last}");
    assert_eq!(place.read("sum.txt").lines().next(), Some("total = 2"));
    assert!(events(&place).iter().any(|it| it.to_string().contains("a line 149 of")), "the log keeps everything");
    assert!(place.ox(&["history"]).out.contains("sum.txt"), "what was done stays in the history");
}
