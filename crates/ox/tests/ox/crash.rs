//! Killed and interrupted runs: what was done is known, nothing is done twice, and the next request is one that the
//! provider takes.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use ox_core::Conversation;
use ox_protocol::{Event, Frame, Stop};
use serde_json::Value;

use crate::gate::{self, Keep, LIMIT};
use crate::place::{OX, Place, start};
use crate::provider::{Format, Provider};

/// A pipe in the project through which a command of the model tells that it runs.
struct Signal(PathBuf);

impl Signal {
    fn new(place: &Place) -> Signal {
        let path = place.project("runs.pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        Signal(path)
    }

    /// Waits for the command and gives the ids of its processes, as the machine knows them: inside its sandbox they have others.
    fn pids(&self) -> Vec<String> {
        let (path, (send, receive)) = (self.0.clone(), channel());
        std::thread::spawn(move || send.send(std::fs::read_to_string(path).unwrap()));
        receive.recv_timeout(LIMIT).expect("the command was not run");
        let project = self.0.parent().unwrap().canonicalize().unwrap();
        let ox = PathBuf::from(OX).canonicalize().unwrap();
        let about = |pid: &String| {
            let link = |name: &str| std::fs::read_link(format!("/proc/{pid}/{name}")).unwrap_or_default();
            link("cwd") == project && link("exe") != ox
        };
        let all = std::fs::read_dir("/proc").unwrap().flatten().map(|it| it.file_name().to_string_lossy().into_owned());
        let pids: Vec<String> = all.filter(|it| it.parse::<u32>().is_ok()).filter(about).collect();
        assert!(!pids.is_empty(), "no process of the command was found");
        pids
    }
}

fn signal(pid: &str, name: &str) -> bool {
    let mut command = Command::new("kill");
    command.args([&format!("-{name}"), pid]).stderr(std::process::Stdio::null());
    command.status().unwrap().success()
}

/// True once a process has ended, be it that nobody has asked for its end yet. The kernel takes a moment over a killed one.
fn is_gone(pid: &str) -> bool {
    let deadline = Instant::now() + Duration::from_secs(5);
    let lives = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|it| !it.is_empty() && !it.starts_with(" Z") && !it.starts_with(" X"))
    };
    while lives() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

/// All events of the newest conversation, checked to follow one another without a gap.
fn log(place: &Place) -> Vec<Value> {
    let list: Value = serde_json::from_str(&place.ox(&["sessions", "--json"]).out).unwrap();
    let id = list[0]["id"].as_str().unwrap();
    let text = place.ox(&["sessions", "export", id, "--format", "json"]).out;
    let exported: Value = serde_json::from_str(&text).unwrap();
    let events = exported["events"].as_array().unwrap().clone();
    let numbers: Vec<u64> = events.iter().map(|it| it["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    events
}

fn count(log: &[Value], event: &str) -> usize {
    log.iter().filter(|it| it["event"] == event).count()
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Resumes with the provider itself and checks that it took every request.
fn resume(place: &Place, provider: &mut Provider) -> String {
    provider.address.clone_from(&provider.mock.base_url);
    let ran = place.finish(place.command_on(provider, &["resume", "--allow", "run_command"]));
    assert_eq!(ran.code, Some(0), "{:?}: {}", provider.format, ran.err);
    provider.is_content();
    ran.out
}

#[test]
fn killed_while_the_model_speaks() {
    for format in Format::ALL {
        let place = Place::new();
        let script = "-- model --\n@list_files\n-- model --\nThere is nothing.\n";
        let mut provider = Provider::new(format, script);
        // An endpoint without tools is asked once in vain.
        let held = gate::before(&mut provider, if format == Format::Xml { 2 } else { 1 }, Keep::TheRest);
        let mut child = start(&mut place.command_on(&provider, &["run", "--json", "--mode", "chat", "What is here?"]));
        held.recv_timeout(LIMIT).unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said = lines.find(|it| it.as_ref().is_ok_and(|it| it.contains("\"stream_delta\""))).unwrap().unwrap();
        assert!(said.contains("I was about"), "{said}");
        kill(child);
        assert_eq!(resume(&place, &mut provider), "There is nothing.\n");
        let log = log(&place);
        assert_eq!((count(&log, "turn_start"), count(&log, "completion")), (1, 1), "the same turn went on");
        let first = provider.mock.requests()[0].to_string();
        assert_eq!(first.matches("What is here?").count(), 1, "{first}");
    }
}

#[test]
fn killed_while_a_command_changes_things() {
    for format in Format::ALL {
        let place = Place::new();
        place.write("a.txt", "one\n");
        let signal_pipe = Signal::new(&place);
        let script = String::from(
            "-- model --\nI read, then run.\n@read_file\npath: a.txt\n\
             @run_command\ncommand: echo once >> runs.txt; echo $$ > runs.pipe; sleep 300\n\
             -- model --\n@read_file\npath: runs.txt\n-- model --\n@attempt_completion\nresult: It had run.\n",
        );
        let mut provider = Provider::new(format, &script);
        let child = start(&mut place.command_on(&provider, &["run", "--allow", "run_command", "Run it."]));
        let pids = signal_pipe.pids();
        kill(child);
        for pid in &pids {
            assert!(is_gone(pid), "process {pid} outlived the Ox that had begun it");
        }
        assert_eq!(resume(&place, &mut provider), "It had run.\n");
        assert_eq!(place.read("runs.txt"), "once\n");
        let log = log(&place);
        assert_eq!((count(&log, "lost"), count(&log, "turn_start")), (1, 1));
        let request = provider.mock.requests()[1].to_string();
        assert!(request.contains("one\\n"), "the result of the read is missing: {request}");
        assert!(
            request.contains("whether it took effect is unknown"),
            "that the result is unknown was not told: {request}"
        );
    }
}

#[test]
fn killed_between_two_requests() {
    for format in Format::ALL {
        let place = Place::new();
        let script = "-- model --\n@run_command\ncommand: echo once >> runs.txt\n\
                      -- model --\n@read_file\npath: runs.txt\n-- model --\n@attempt_completion\nresult: Once.\n";
        let mut provider = Provider::new(format, script);
        let held = gate::before(&mut provider, if format == Format::Xml { 3 } else { 2 }, Keep::Everything);
        let child = start(&mut place.command_on(&provider, &["run", "--allow", "run_command", "Run it once."]));
        held.recv_timeout(LIMIT).unwrap();
        kill(child);
        assert_eq!(resume(&place, &mut provider), "Once.\n");
        assert_eq!(place.read("runs.txt"), "once\n");
        assert_eq!(count(&log(&place), "lost"), 0);
    }
}

#[test]
fn interrupted_in_a_command_nothing_survives_and_the_task_goes_on() {
    for (name, format) in [("INT", Format::OpenAi), ("TERM", Format::Anthropic), ("HUP", Format::Xml)] {
        let place = Place::new();
        let signal_pipe = Signal::new(&place);
        let script = String::from(
            "-- model --\n@run_command\ncommand: sleep 300 & echo $$ $! > runs.pipe; wait\n\
             -- model --\n@list_files\n-- model --\n@attempt_completion\nresult: Enough.\nno_change: it only waits\n",
        );
        let mut provider = Provider::new(format, &script);
        let mut child = start(&mut place.command_on(&provider, &["run", "--allow", "run_command", "Wait."]));
        let pids = signal_pipe.pids();
        let began = Instant::now();
        assert!(signal(&child.id().to_string(), name));
        let mut words = String::new();
        child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{words}");
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        assert!(words.contains("Interrupted. Nothing is lost; continue with `ox resume`."), "{words}");
        assert!(pids.len() >= 2, "{pids:?}");
        for pid in &pids {
            assert!(is_gone(pid), "process {pid} is still there");
        }
        // What was recorded tells of the same end, and of nothing that is still to be done.
        let frames = log(&place).into_iter().map(|it| serde_json::from_value(it).unwrap());
        let frames: Vec<Frame> = frames.collect();
        let stops = frames.iter().filter_map(|it| match it.event {
            Event::Completion { stop, .. } => Some(stop),
            _ => None,
        });
        assert_eq!(stops.collect::<Vec<_>>(), [Stop::Interrupted]);
        let conversation = Conversation::replay(&frames);
        assert_eq!((conversation.wants(), conversation.next_event()), (Vec::new(), None));
        assert_eq!(resume(&place, &mut provider), "Enough.\n");
        let request = provider.mock.requests()[1]["messages"].to_string();
        assert!(request.contains("stopped by the user before it ended"), "{request}");
        // A replay is interrupted there too, and does not carry out what was interrupted. It begins with what was learnt of
        // the endpoint, so that one that took no tools at first is asked otherwise.
        if matches!(format, Format::Xml) {
            continue;
        }
        let id = place.ox(&["sessions"]).out.split(' ').next().unwrap().to_owned();
        let cassette = place.root().join("a.cassette");
        std::fs::write(&cassette, place.ox(&["record", &id]).out).unwrap();
        let again = place.ox(&["replay", cassette.to_str().unwrap()]);
        assert_eq!(again.code, Some(130), "{}", again.err);
        assert!(again.err.contains("The recorded run was interrupted"), "{}", again.err);
    }
}

#[test]
fn under_nohup_a_closed_terminal_changes_nothing() {
    let place = Place::new();
    let (runs, go_on) = (Signal::new(&place), place.project("go-on"));
    assert!(Command::new("mkfifo").arg(&go_on).status().unwrap().success());
    let model = place.script(
        "-- model --\n@run_command\ncommand: echo $$ > runs.pipe; cat go-on > made.txt\n\
         -- model --\n@attempt_completion\nresult: Done.\n",
    );
    let mut command = place.program("nohup");
    let child = start(command.args([OX, "run", "--allow", "run_command", "--model", &model, "wait for it"]));
    runs.pids();
    assert!(signal(&child.id().to_string(), "HUP"));
    std::fs::write(&go_on, "made").unwrap();
    let ran = place.ended(child, Instant::now());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{}", ran.err);
}
