//! Limits, each reached; and that nothing is left of what reached them.

use std::time::{Duration, Instant};

use ox_protocol::{Network, Runner};

use crate::place::{Place, text};

#[tokio::test]
async fn memory_of_all_processes_together() {
    let place = Place::new();
    let hold = "python3 -c \"b = bytearray(80 << 20); import time; time.sleep(30)\"";
    let mut job = place.job(&format!("{hold} & {hold} & wait"));
    job.rights.memory = 128 << 20;
    let exit = place.sandbox.run(job, None).await.unwrap();
    assert_eq!((exit.code, exit.signal, exit.timed_out), (None, Some(9), false));
    assert!(text(&exit).contains("[ended: its processes took more than 128 MiB of memory]"), "{}", text(&exit));
    // What lies in the private folders counts too.
    let mut job = place.job("head -c 200M /dev/zero > /tmp/big; echo written");
    job.rights.memory = 64 << 20;
    let exit = place.sandbox.run(job, None).await.unwrap();
    assert!(exit.signal == Some(9) || text(&exit).contains("No space"), "{exit:?}");
}

#[tokio::test]
async fn memory_that_nobody_has_mapped() {
    let place = Place::new();
    // Each holds more than twice what is allowed and has little of it mapped as its own.
    let shared = "m = mmap.mmap(-1, 160 << 20)
for at in range(0, len(m), 8 << 20): m[at:at + (8 << 20)] = b'x' * (8 << 20); m.madvise(mmap.MADV_DONTNEED)";
    let sockets = "held = [socket.socketpair() for _ in range(400)]
for a, _ in held: a.setblocking(False); a.send(b'x' * (64 << 10))";
    let tables = "m = mmap.mmap(-1, 80 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # MAP_NORESERVE
m.madvise(mmap.MADV_NOHUGEPAGE)
for at in range(0, len(m), 2 << 20): m[at]";
    for (what, hold) in [("shared memory", shared), ("sockets", sockets), ("tables of pages", tables)] {
        let mut job = place.job("python3 -c \"$SCRIPT\"");
        let script = format!("import mmap, socket, time\n{hold}\ntime.sleep(20)\n");
        job.env = vec![("SCRIPT".into(), script)];
        job.rights.memory = 64 << 20;
        let exit = place.sandbox.run(job, None).await.unwrap();
        let seen = text(&exit);
        assert_eq!((exit.signal, exit.timed_out), (Some(9), false), "{what}: {seen}");
        assert!(seen.contains("[ended: its processes took more than 64 MiB of memory]"), "{what}: {seen}");
    }
}

#[tokio::test]
async fn a_disk_that_is_filled_by_many_files() {
    let place = Place::new();
    let fill = "import os, time
for i in range(16): os.posix_fallocate(os.open(f'f{i}', os.O_CREAT | os.O_WRONLY), 0, 64 << 20)
time.sleep(20)";
    let mut job = place.job("python3 -c \"$SCRIPT\"");
    job.env = vec![("SCRIPT".into(), fill.into())];
    job.rights.disk = 256 << 20;
    let exit = place.sandbox.run(job, None).await.unwrap();
    let seen = text(&exit);
    assert_eq!((exit.signal, exit.timed_out), (Some(9), false), "{seen}");
    assert!(seen.contains("[ended: it took more than 256 MiB of the disk"), "{seen}");
}

#[tokio::test]
async fn processes_and_threads_at_once() {
    let place = Place::new();
    let mut job = place.job("for i in $(seq 60); do sleep 30 & done; echo every-one");
    job.rights.processes = 20;
    // The shell tries again for a while; it need not be waited for.
    job.rights.time = Duration::from_secs(2);
    let exit = place.sandbox.run(job, None).await.unwrap();
    // Where nothing but counting holds root, everything is ended instead.
    let held = ["fork", "[ended: more than 20 processes and threads at once]"];
    let seen = text(&exit);
    assert!(held.iter().any(|it| seen.contains(it)) && !seen.contains("every-one"), "{seen}");
    // What ended makes room again.
    let mut job = place.job("for i in $(seq 60); do /bin/true || exit 1; done; echo every-one");
    job.rights.processes = 20;
    assert_eq!(text(&place.sandbox.run(job, None).await.unwrap()), "every-one\n");
    // At once, too: a plain shell gives up at the first refusal, as in a `configure` that starts hundreds one by one.
    let mut job = place.job("sh -c 'i=0; while [ $i -lt 400 ]; do (:); i=$((i+1)); done; echo every-one'");
    job.rights.processes = 20;
    assert_eq!(text(&place.sandbox.run(job, None).await.unwrap()), "every-one\n");
}

#[tokio::test]
async fn thousands_of_short_processes_one_after_the_other() {
    // The second process of each pipeline is born while the first one ends, whose signal breaks off what can be broken
    // off; and all numbers of processes are given several times.
    let place = Place::new();
    let table = [
        "sh -c 'i=0; while [ $i -lt 300 ]; do echo : | /bin/sh || exit; i=$((i+1)); done; echo every-one'",
        "sh -c 'i=0; while [ $i -lt 1500 ]; do (:) | (:) || exit; i=$((i+1)); done; echo every-one'",
        "bash -c 'for i in {1..500}; do : $(:) <(:) & wait $! || exit; done; echo every-one'",
        "python3 -c \"import threading as t\nfor i in range(2000): x = t.Thread(target=int); x.start(); x.join()\nprint('every-one')\"",
    ];
    for command in table {
        let exit = place.run(command).await;
        assert_eq!((exit.code, text(&exit).as_str()), (Some(0), "every-one\n"), "{command}");
    }
}

#[tokio::test]
async fn a_bomb_of_processes_is_held_and_nothing_is_left_of_it() {
    let place = Place::new();
    let count = "bomb() { echo x >> born; bomb | bomb & }; bomb 2>/dev/null; sleep 60";
    let mut job = place.job(count);
    job.rights.processes = 40;
    job.rights.time = Duration::from_secs(2);
    let running = place.sandbox.start(job).await.unwrap();
    let born = || std::fs::metadata(place.root.join("born")).map_or(0, |it| it.len());
    let mut seen = String::new();
    while running.exit().is_none() {
        running.stirred().await;
        seen.push_str(&running.take().text(|_| String::new()));
        tokio::task::yield_now().await;
    }
    let exit = running.exit().unwrap();
    seen.push_str(&running.take().text(|_| String::new()));
    let ended = seen.contains("[ended: more than 40 processes");
    assert!((exit.timed_out || ended) && born() > 40, "{exit:?}: {}", born());
    // Whoever were left would go on being born.
    let before = born();
    assert_eq!(text(&place.run("echo still here").await), "still here\n");
    assert_eq!(born(), before);
}

#[tokio::test]
async fn the_size_of_a_file() {
    let place = Place::new();
    let exit = place.run("truncate -s 9G big").await;
    assert_ne!(exit.code, Some(0), "{}", text(&exit));
    assert_eq!(place.run("truncate -s 7G big; rm big").await.code, Some(0));
}

#[tokio::test]
async fn time_and_whatever_hides_from_it() {
    let place = Place::new();
    let mut job = place.job("trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 40' & (sleep 40 &) ; echo on; sleep 40");
    job.rights.time = Duration::from_millis(400);
    let start = Instant::now();
    let exit = place.sandbox.run(job, None).await.unwrap();
    assert!(exit.timed_out && text(&exit).starts_with("on\n"), "{exit:?}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[tokio::test]
async fn commands_at_once() {
    let place = Place::new();
    let mut running = Vec::new();
    for _ in 0..ox_sandbox::MAX_CONCURRENT {
        running.push(place.sandbox.start(place.job("sleep 60")).await.unwrap());
    }
    let Err(error) = place.sandbox.start(place.job("true")).await else { panic!("one too many was started") };
    assert!(error.to_string().contains("16 commands run already"), "{error}");
    running[0].stop().await;
    assert!(place.sandbox.start(place.job("true")).await.is_ok());
}

#[tokio::test]
async fn an_empty_list_of_hosts_allows_nobody() {
    let place = Place::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for network in [Network::None, Network::Hosts(Vec::new()), Network::Hosts(vec!["example.com".into()])] {
        let mut job = place.job(&format!("exec 3<>/dev/tcp/127.0.0.1/{port}"));
        job.rights.network = network;
        assert_ne!(place.sandbox.run(job, None).await.unwrap().code, Some(0));
    }
    let mut job = place.job(&format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached"));
    job.rights.network = Network::All;
    assert_eq!(text(&place.sandbox.run(job, None).await.unwrap()), "reached\n");
}

#[tokio::test]
async fn the_proxy_is_found_inside_and_refuses_other_hosts() {
    let place = Place::new();
    let mut job = place.job(
        "test -n \"$HTTPS_PROXY\" && exec 3<>/dev/tcp/127.0.0.1/${HTTP_PROXY##*:} && \
         printf 'GET http://other.example/ HTTP/1.1\\r\\nHost: other.example\\r\\n\\r\\n' >&3 && head -n 1 <&3",
    );
    job.rights.network = Network::Hosts(vec!["allowed.example".into()]);
    let exit = place.sandbox.run(job, None).await.unwrap();
    assert!(text(&exit).starts_with("HTTP/1.1 403"), "{}", text(&exit));
}
