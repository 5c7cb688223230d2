//! Odd working trees: no repository, an empty one, one that cannot be written, huge and binary files, odd names.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use expect_test::expect;

use crate::place::{OX, Place, outcomes, outputs};

const WRITES: &str = "-- model --\n@write_file\npath: src/new.txt\ncontent: |\n  hello\n\
                      -- model --\n@attempt_completion\nresult: Written.\n";

#[test]
fn a_folder_that_is_no_repository_is_worked_in() {
    let place = Place::new();
    place.write("notes.txt", "old\n");
    let ran = place.play(WRITES, &["add a file"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Written.\n"), "{}", ran.err);
    expect!["! Done, but not verified: there are no checks to run."].assert_eq(&ran.verdict(0));
    assert_eq!(place.read("src/new.txt"), "hello\n");
    assert!(!place.project(".git").exists() && !place.project(".ox").exists());
    let events = place.events("-- model --\n@git_diff\n@git_log\n-- model --\nNo history.\n", &["--mode", "chat", "?"]);
    for tool in ["git_diff", "git_log"] {
        let words = outputs(&events, tool)[0];
        assert!(words.contains("/project is not in a git repository"), "{tool}: {words}");
    }
}

#[test]
fn an_empty_repository_is_worked_in() {
    let place = Place::new();
    git(&place, &["init", "-q"]);
    let script = "-- model --\n@list_files\n@git_diff\n@git_log\n@search_code\npattern: x\n".to_string() + WRITES;
    let events = place.events(&script, &["add a file"]);
    assert_eq!(events.last().unwrap()["exit_code"], 0);
    for tool in ["list_files", "git_diff", "git_log", "search_code"] {
        let outcome = outcomes(&events, tool)[0];
        assert_eq!(outcome["status"], "ok", "{tool}: {outcome}");
        assert!(!outcome["output"].as_str().unwrap().is_empty(), "{tool} says nothing");
    }
    assert_eq!(place.read("src/new.txt"), "hello\n");
}

#[test]
fn a_folder_that_cannot_be_written_is_read_and_named() {
    let place = Place::new();
    place.write("a.txt", "text\n");
    let script = "-- model --\n@read_file\npath: a.txt\n".to_string()
        + "-- model --\n@edit_file\npath: a.txt\nold: text\nnew: other\n"
        + WRITES;
    let command = place.bound_by_rights(&["run", "--json", "--model", &place.script(&script), "add a file"]);
    fs::set_permissions(place.project(""), fs::Permissions::from_mode(0o555)).unwrap();
    let ran = place.finish(command);
    // So that it can be removed.
    fs::set_permissions(place.project(""), fs::Permissions::from_mode(0o755)).unwrap();
    let events = ran.json_lines();
    assert_eq!(outputs(&events, "read_file"), ["text\n[a.txt: 1 line]"]);
    let words = [outputs(&events, "edit_file"), outputs(&events, "write_file")].concat().join("\n");
    expect![[r#"
        `a.txt` cannot be written: permission denied; the user would have to change its permissions
        `src` cannot be written: permission denied; the user would have to change its permissions"#]]
    .assert_eq(&words);
    assert!(outcomes(&events, "write_file").iter().all(|it| it["status"] == "failed"));
    assert_eq!(place.read("a.txt"), "text\n");
}

#[test]
fn a_file_of_five_gigabytes_is_read_in_little_memory_and_not_searched() {
    let place = Place::new();
    place.write("small.txt", "needle\n");
    place.write("huge.log", format!("first line\n{}", "needle\n".repeat(50_000)));
    fs::OpenOptions::new().append(true).open(place.project("huge.log")).unwrap().set_len(5 << 30).unwrap();
    let script = place.script(
        "-- model --\n@read_file\npath: huge.log\nend_line: = 2\n@search_code\npattern: needle\n\
         @read_file\npath: huge.log\nstart_line: = 3\n\
         -- model --\n@edit_file\npath: huge.log\nold: first\nnew: last\n\
         -- model --\n@write_file\npath: b.txt\ncontent: b\n\
         -- model --\n@attempt_completion\nresult: Read.\n",
    );
    // Less room than the file has: whoever reads all of it into memory, or maps it, dies.
    let line = format!("ulimit -v 2000000; exec '{OX}' run --json --model '{script}' 'look at the log'");
    let mut command = place.program("sh");
    command.args(["-c", &line]);
    let ran = place.finish(command);
    let events = ran.json_lines();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let read = outputs(&events, "read_file");
    assert!(
        read.iter().any(|it| it.starts_with("first line\nneedle\n[huge.log: lines 1-2 of a file of 5368709120 bytes]")),
        "{read:?}"
    );
    let found = outputs(&events, "search_code")[0];
    assert!(found.contains("small.txt") && !found.contains("huge.log:"), "{found}");
    let edit = outcomes(&events, "edit_file")[0];
    assert_eq!(edit["status"], "failed", "{edit}");
    assert!(edit["output"].as_str().unwrap().contains("5368709120 bytes"), "{edit}");
}

#[test]
fn binary_files_are_named_and_passed_over() {
    let place = Place::new();
    place.write("a.bin", b"\x00\x01needle\xff\xfe");
    place.write("b.txt", "needle\n");
    place.write("tool.exe", [b"MZ".as_slice(), &[0; 200]].concat());
    let events = place.events(
        "-- model --\n@read_file\npath: a.bin\n@search_code\npattern: needle\n@read_file\npaths: = [\"b.txt\", \"tool.exe\"]\n\
         -- model --\nOne text.\n",
        &["--mode", "chat", "what is here?"],
    );
    expect![[r#"
        b.txt
        1:needle"#]]
    .assert_eq(outputs(&events, "search_code")[0]);
    let mut read = outputs(&events, "read_file");
    read.sort_unstable();
    expect![[r#"
        ==> b.txt <==
        needle
        ==> tool.exe <==
        [`tool.exe` is a binary file (202 bytes), not text; it cannot be shown or edited as text]
        ---
        `a.bin` is a binary file (10 bytes), not text; it cannot be shown or edited as text"#]]
    .assert_eq(&read.join("\n---\n"));
}

#[test]
fn odd_file_names_are_listed_read_and_written() {
    let place = Place::new();
    git(&place, &["init", "-q"]);
    let odd = ["with spaces.txt", "-rf.txt", "new\nline.txt", "'quoted' \"twice\".txt", "名字.txt", "$(date).txt"];
    for name in odd {
        place.write(name, format!("needle in {name:?}\n"));
    }
    fs::write(place.project("").join(OsStr::from_bytes(b"latin-\xe9.txt")), "needle in latin\n").unwrap();
    git(&place, &["add", "-A", "."]);
    let mut script = "-- model --\n@list_files\n@search_code\npattern: needle\n@git_diff\n".to_string();
    for name in odd {
        script += &format!("@read_file {}\n", serde_json::json!({"path": name}));
    }
    script += "-- model --\n";
    for name in odd {
        let args = serde_json::json!({"path": name, "old": "needle", "new": "thread"});
        script += &format!("@edit_file {args}\n");
    }
    script += "-- model --\n@attempt_completion\nresult: Renamed.\n";
    let events = place.events(&script, &["change them"]);
    assert_eq!(events.last().unwrap()["exit_code"], 0);
    assert_eq!(outcomes(&events, "read_file").len(), odd.len());
    for tool in ["read_file", "edit_file", "list_files", "search_code", "git_diff"] {
        for outcome in outcomes(&events, tool) {
            assert_eq!(outcome["status"], "ok", "{tool}: {outcome}");
        }
    }
    for name in odd {
        assert_eq!(place.read(name), format!("thread in {name:?}\n"));
        let listed = name.replace('\n', "\\n");
        let found = outputs(&events, "list_files")[0];
        assert!(found.contains(&listed) || found.contains(name), "{name:?} is not in {found}");
    }
    assert_eq!(fs::read(place.project("").join(OsStr::from_bytes(b"latin-\xe9.txt"))).unwrap(), b"needle in latin\n");
}

fn git(place: &Place, args: &[&str]) {
    let mut command = place.program("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(args).env("HOME", place.home(""));
    let ran = place.finish(command);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}
