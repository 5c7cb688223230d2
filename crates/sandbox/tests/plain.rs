//! What becomes of a job: its output, its end, and what it leaves behind.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ox_protocol::{Exit, Job, Rights, RunError, Runner};
use ox_sandbox::{Plain, shell};

fn job(command: &str, limit: Duration) -> Job {
    let cwd = PathBuf::from("/tmp");
    let rights = Rights::command(cwd.clone(), limit);
    Job { argv: shell(command), cwd, env: Vec::new(), stdin: Vec::new(), terminal: None, rights }
}

async fn run(command: &str) -> Exit {
    Plain.run(job(command, Duration::from_secs(20)), None).await.unwrap()
}

fn text(exit: &Exit) -> String {
    exit.output.text(|dropped| format!("[{dropped}]"))
}

/// Waits until `path` holds a process id, and tells it.
async fn pid_in(path: &Path) -> i32 {
    loop {
        if let Some(pid) = std::fs::read_to_string(path).ok().and_then(|it| it.trim().parse().ok()) {
            return pid;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn alive(pid: i32) -> bool {
    // A zombie that init has not collected yet is dead.
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|it| !it.rsplit(')').next().unwrap_or("").trim_start().starts_with('Z'))
}

/// True once the process is gone; gives up after five seconds.
async fn dies(pid: i32) -> bool {
    let start = Instant::now();
    while alive(pid) {
        if start.elapsed() > Duration::from_secs(5) {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    true
}

#[tokio::test]
async fn output_and_ends() {
    let table = [
        ("echo out; echo err >&2; echo out2", Some(0), None, "out\nerr\nout2\n"),
        ("exit 7", Some(7), None, ""),
        ("kill -SEGV $$", None, Some(11), ""),
        ("cat; echo done", Some(0), None, "done\n"),
        ("printf 'no newline'", Some(0), None, "no newline"),
        ("(: < /dev/tty) 2> /dev/null || echo no terminal", Some(0), None, "no terminal\n"),
    ];
    for (command, code, signal, output) in table {
        let exit = run(command).await;
        assert_eq!((exit.code, exit.signal, exit.timed_out), (code, signal, false), "{command}");
        assert_eq!(text(&exit), output, "{command}");
    }
}

#[tokio::test]
async fn input_is_fed_while_output_is_read() {
    let mut job = job("cat", Duration::from_secs(20));
    job.stdin = vec![b'x'; 4 << 20];
    let exit = Plain.run(job, None).await.unwrap();
    assert_eq!(exit.output.head.len() as u64 + exit.output.tail.len() as u64 + exit.output.dropped, 4 << 20);
    let mut job = self::job("exit 0", Duration::from_secs(20));
    job.stdin = vec![b'x'; 4 << 20];
    assert_eq!(Plain.run(job, None).await.unwrap().code, Some(0));
}

#[tokio::test]
async fn live_output_arrives_before_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let go = dir.path().join("go");
    let seen = Mutex::new(Vec::new());
    // The command goes on only once its first line was seen.
    let live = |piece: &[u8]| {
        seen.lock().unwrap().extend_from_slice(piece);
        std::fs::write(&go, "").unwrap();
    };
    let command = format!("echo first; until test -e '{}'; do sleep 0.01; done; echo second", go.display());
    let exit = Plain.run(job(&command, Duration::from_secs(20)), Some(&live)).await.unwrap();
    assert!(!exit.timed_out);
    assert_eq!(String::from_utf8(seen.into_inner().unwrap()).unwrap(), "first\nsecond\n");
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let missing = Job { argv: vec!["no-such-program-x".into()], ..job("", Duration::from_secs(1)) };
    assert_eq!(Plain.run(missing, None).await, Err(RunError::NotFound("no-such-program-x".into())));
    let nowhere = Job { cwd: PathBuf::from("/nonexistent"), ..job("true", Duration::from_secs(1)) };
    let error = Plain.run(nowhere, None).await.unwrap_err().to_string();
    assert!(error.contains("`/nonexistent` does not exist"), "{error}");
    let nothing = Job { argv: Vec::new(), ..job("", Duration::from_secs(1)) };
    assert!(matches!(Plain.run(nothing, None).await, Err(RunError::Start { .. })));
}

#[tokio::test]
async fn the_time_limit_ends_the_whole_family() {
    let dir = tempfile::tempdir().unwrap();
    let (child, stray) = (dir.path().join("child"), dir.path().join("stray"));
    // One child in the group, one that started its own session and lost its parent, and a leader that ignores TERM.
    let command = format!(
        "trap '' TERM; echo before; sh -c 'trap \"\" TERM; echo $$ > {child}; while :; do sleep 1; done' & \
         (setsid sh -c 'echo $$ > {stray}; while :; do sleep 1; done' &) ; while :; do sleep 1; done",
        child = child.display(),
        stray = stray.display()
    );
    let start = Instant::now();
    let exit = Plain.run(job(&command, Duration::from_millis(400)), None).await.unwrap();
    assert!(exit.timed_out);
    assert_eq!((exit.code, text(&exit).lines().next()), (None, Some("before")));
    assert!(start.elapsed() < Duration::from_secs(4), "took {:?}", start.elapsed());
    assert!(dies(pid_in(&child).await).await);
    assert!(dies(pid_in(&stray).await).await);
}

#[tokio::test]
async fn a_polite_process_may_clean_up_at_the_time_limit() {
    let exit = Plain
        .run(job("trap 'echo cleaned; exit 3' TERM; while :; do sleep 0.02; done", Duration::from_millis(200)), None);
    let exit = exit.await.unwrap();
    assert!(exit.timed_out);
    assert_eq!(exit.code, Some(3));
    assert!(text(&exit).ends_with("cleaned\n"), "{}", text(&exit));
}

#[tokio::test]
async fn dropping_the_future_ends_the_whole_family() {
    let dir = tempfile::tempdir().unwrap();
    let (child, stray) = (dir.path().join("child"), dir.path().join("stray"));
    let command = format!(
        "sh -c 'echo $$ > {child}; sleep 100' & setsid sh -c 'echo $$ > {stray}; sleep 100' & wait",
        child = child.display(),
        stray = stray.display()
    );
    let task = tokio::spawn(async move { Plain.run(job(&command, Duration::from_secs(60)), None).await });
    let (child, stray) = (pid_in(&child).await, pid_in(&stray).await);
    assert!(alive(child) && alive(stray));
    task.abort();
    assert!(dies(child).await);
    assert!(dies(stray).await);
}

#[tokio::test]
async fn a_background_child_does_not_keep_the_job_waiting() {
    let dir = tempfile::tempdir().unwrap();
    let child = dir.path().join("child");
    let start = Instant::now();
    let exit =
        run(&format!("sh -c 'echo $$ > {0}; sleep 100' & until test -s {0}; do :; done; echo over", child.display()))
            .await;
    assert_eq!((exit.code, text(&exit).as_str()), (Some(0), "over\n"));
    assert!(start.elapsed() < Duration::from_secs(3), "took {:?}", start.elapsed());
    // Nothing outlives its job.
    assert!(dies(pid_in(&child).await).await);
}

#[tokio::test]
async fn late_output_of_a_helper_is_not_lost() {
    assert_eq!(text(&run("echo one > >(sleep 0.05; cat)").await), "one\n");
}

#[tokio::test]
async fn a_setsid_child_that_holds_the_pipe_does_not_keep_the_job_waiting() {
    let start = Instant::now();
    let exit = run("setsid sh -c 'while :; do echo x; sleep 0.05; done' & sleep 0.1").await;
    assert_eq!(exit.code, Some(0));
    assert!(start.elapsed() < Duration::from_secs(3), "took {:?}", start.elapsed());
}

#[tokio::test]
async fn the_environment_is_clean_and_the_jobs_own_is_set() {
    let mut job = job("env", Duration::from_secs(20));
    job.env = vec![("CI".into(), "1".into()), ("TERM".into(), "xterm".into()), ("MY_API_KEY".into(), "given".into())];
    let out = text(&Plain.run(job, None).await.unwrap());
    let has = |line: &str| out.lines().any(|it| it == line);
    assert!(has("CI=1") && has("TERM=xterm") && has("PAGER=cat") && has("MY_API_KEY=given"), "{out}");
    assert!(out.contains("PATH=") && !out.contains("OX_EXTENDED"), "{out}");
}

#[tokio::test]
async fn output_is_cut_in_the_middle() {
    let mut job = job("seq 1 100000", Duration::from_secs(20));
    job.rights.output = 100;
    let exit = Plain.run(job, None).await.unwrap();
    assert!(exit.output.head.starts_with(b"1\n2\n") && exit.output.tail.ends_with(b"99999\n100000\n"));
    assert_eq!(exit.output.dropped, 588_895 - 100);
}
