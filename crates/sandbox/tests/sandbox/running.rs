//! Commands that run beside their starter, in front of a terminal or not; in the sandbox and plainly.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ox_protocol::{Job, Runner, Running, Terminal};
use ox_sandbox::Plain;

use crate::place::Place;

/// Goes on until `is` holds of everything that was printed.
async fn until(running: &Arc<dyn Running>, seen: &mut String, is: impl Fn(&str) -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is(seen) {
        assert!(Instant::now() < end && running.exit().is_none(), "{:?} after {seen:?}", running.exit());
        running.stirred().await;
        seen.push_str(&running.take().text(|it| format!("[{it}]")));
    }
}

async fn rest(running: &Arc<dyn Running>) -> String {
    let mut seen = String::new();
    while running.exit().is_none() {
        running.stirred().await;
        seen.push_str(&running.take().text(|it| format!("[{it}]")));
        tokio::task::yield_now().await;
    }
    seen + &running.take().text(|it| format!("[{it}]"))
}

/// Both runners, with a place each.
fn both() -> Vec<(Place, Arc<dyn Runner>)> {
    let (first, second) = (Place::new(), Place::new());
    let walled: Arc<dyn Runner> = Arc::new(first.sandbox.clone());
    vec![(first, walled), (second, Arc::new(Plain))]
}

#[tokio::test]
async fn a_conversation_over_pipes() {
    for (place, runner) in both() {
        let running = runner.start(place.job("while read x; do echo got $x; done; echo over")).await.unwrap();
        let mut seen = String::new();
        for word in ["one", "two"] {
            running.write(format!("{word}\n").as_bytes()).await.unwrap();
            until(&running, &mut seen, |it| it.contains(&format!("got {word}\n"))).await;
        }
        running.close_input();
        assert_eq!(rest(&running).await, "over\n");
        assert_eq!(running.exit().unwrap().code, Some(0));
        assert!(running.write(b"late").await.is_err());
    }
}

#[tokio::test]
async fn a_terminal_of_its_own() {
    for (place, runner) in both() {
        let command =
            "test -t 0 && test -t 1 && stty size && echo \"$TERM\" && (: < /dev/tty) && read x && echo \"<$x>\"";
        let terminal = Some(Terminal { columns: 77, rows: 21 });
        let running = runner.start(Job { terminal, ..place.job(command) }).await.unwrap();
        let mut seen = String::new();
        until(&running, &mut seen, |it| it.contains("xterm")).await;
        assert!(seen.starts_with("21 77\r\n"), "{seen:?}");
        running.write(b"hello\n").await.unwrap();
        assert!(rest(&running).await.ends_with("<hello>\r\n"));
        let running = runner.start(Job { terminal, ..place.job("cat; echo ended") }).await.unwrap();
        running.close_input();
        assert!(rest(&running).await.ends_with("ended\r\n"));
        let running = runner.start(Job { terminal, ..place.job("tty && echo named > $(tty)") }).await.unwrap();
        let seen = rest(&running).await;
        assert!(seen.starts_with("/dev/") && seen.ends_with("named\r\n"), "{seen:?}");
        // An interrupt typed at it reaches the command.
        // A shell that is about to read does not see a signal before the line has come, so it waits in short sleeps.
        let command = "trap 'echo caught; exit 5' INT; echo on; while :; do sleep 0.02; done";
        let running = runner.start(Job { terminal, ..place.job(command) }).await.unwrap();
        until(&running, &mut String::new(), |it| it.contains("on")).await;
        running.write(&[3]).await.unwrap();
        assert!(rest(&running).await.contains("caught"));
        assert_eq!(running.exit().unwrap().code, Some(5));
    }
}

#[tokio::test]
async fn output_between_two_looks_is_bounded() {
    for (place, runner) in both() {
        let mut job = place.job("seq 100000; echo end");
        job.rights.output = 100;
        let running = runner.start(job).await.unwrap();
        while running.exit().is_none() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let output = running.take();
        assert!(output.head.starts_with(b"1\n2\n") && output.tail.ends_with(b"end\n"));
        assert_eq!(output.dropped, 588_895 + 4 - 100);
        assert_eq!(running.take().text(|it| it.to_string()), "");
    }
}

#[tokio::test]
async fn stopping_is_polite_first() {
    for (place, runner) in both() {
        let command = "trap 'echo cleaned; exit 3' TERM; echo on; while :; do sleep 0.02; done";
        let running = runner.start(place.job(command)).await.unwrap();
        until(&running, &mut String::new(), |it| it.contains("on\n")).await;
        running.stop().await;
        let exit = running.exit().unwrap();
        assert_eq!((exit.code, exit.timed_out), (Some(3), false));
        assert!(running.take().text(|_| String::new()).contains("cleaned\n"));
    }
}

#[tokio::test]
async fn dropping_ends_everything() {
    let place = Place::new();
    let beat = |name: &str| format!("while :; do echo . >> {name}; sleep 0.02; done");
    let command = format!("(setsid sh -c '{}' &); {}", beat("stray"), beat("own"));
    let running = place.sandbox.start(place.job(&command)).await.unwrap();
    let size = |name: &str| std::fs::metadata(place.root.join(name)).map_or(0, |it| it.len());
    while size("stray") == 0 || size("own") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(running);
    // One second after the end nothing may be left; a heart that beats would be heard within it.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = (size("stray"), size("own"));
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!((size("stray"), size("own")), before);
}
