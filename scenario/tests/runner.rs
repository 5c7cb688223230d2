//! The runner itself: what is wrong with a scenario is noticed and said, and only what Ox did is rewritten.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

use expect_test::{Expect, expect};
use ox_scenario::{Speed, run_file};

const STORY: &str = "\
A story.

-- repo/a.txt --
one
-- user: chat --
What does a.txt say?
-- model --
@read_file
path: a.txt
-- tool: read_file --
one
[a.txt: 1 line]
-- model --
It says one.
-- stop: answered --
";

fn run(text: &str, speed: Speed) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("story.ox");
    std::fs::write(&path, text).unwrap();
    match run_file(&path, speed, false) {
        Ok(ran) => format!("held: {ran}\n"),
        Err(error) => format!("{error}\n"),
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&run(text, Speed::Agent));
}

#[test]
fn a_story_that_holds() {
    check(
        STORY,
        expect![[r#"
        held: true
    "#]],
    );
    assert_eq!(run(STORY, Speed::Core), "held: true\n");
}

#[test]
fn another_result_is_a_difference_at_every_speed_but_the_core() {
    let other = STORY.replace("-- tool: read_file --\none", "-- tool: read_file --\ntwo");
    check(
        &other,
        expect![[r#"
            what happened is not what the file says (- the file, + what happened):
            @@ -7,9 +7,9 @@
             -- model --
             @read_file
             path: a.txt
             -- tool: read_file --
            -two
            +one
             [a.txt: 1 line]
             -- model --
             It says one.
             -- stop: answered --

        "#]],
    );
    for speed in Speed::WIRE {
        assert!(run(&other, speed).contains("+one"), "{speed:?}");
    }
}

#[test]
fn another_end_is_a_difference_at_every_speed() {
    let other = STORY.replace("stop: answered", "stop: done");
    for speed in Speed::ALL {
        assert!(run(&other, speed).contains("+-- stop: answered --"), "{speed:?}");
    }
}

#[test]
fn whoever_waits_in_vain_is_named() {
    check(
        &STORY.replace("-- model --\nIt says one.\n", ""),
        expect![[r#"
            the model is asked, and the next section is `-- stop: answered --`. Before that:
            -- repo/a.txt --
            one
            -- user: chat --
            What does a.txt say?
            -- model --
            @read_file
            path: a.txt
            -- tool: read_file --
            one
            [a.txt: 1 line]

        "#]],
    );
    check(
        &STORY.replace("-- stop", "-- check: pass --\n-- stop"),
        expect![[r#"
            the turn ended (stop: answered), and the next section is `-- check: pass --`. Before that:
            -- user: chat --
            What does a.txt say?
            -- model --
            @read_file
            path: a.txt
            -- tool: read_file --
            one
            [a.txt: 1 line]
            -- model --
            It says one.

        "#]],
    );
    check(
        &format!("{STORY}-- user: allow --\n"),
        expect![[r#"
            no turn runs any more, and the next section is `-- user: allow --`. Before that:
            -- model --
            @read_file
            path: a.txt
            -- tool: read_file --
            one
            [a.txt: 1 line]
            -- model --
            It says one.
            -- stop: answered --

        "#]],
    );
}

#[test]
fn sections_that_mean_nothing_are_refused() {
    let with = |section: &str| STORY.replace("-- user: chat --", section);
    check(
        &with("-- modle --\nhi\n-- user: chat --"),
        expect![[r#"
        `-- modle --`: no section is called so
    "#]],
    );
    check(
        &with("-- user: dance --"),
        expect![[r#"
        `-- user: dance --`: a user does not `dance`
    "#]],
    );
    check(
        &with("-- set --\nspeeds: agent\n-- user: chat --"),
        expect![[r#"
        in the `set` section, `speeds: agent`: say in parentheses why the other speeds make no sense
    "#]],
    );
    check(
        &with("-- set --\napproval: never\n-- user: chat --"),
        expect![[r#"
        in the `set` section, `approval: never`: unknown variant `never`, expected one of `ask`, `accept-edits`, `auto`
    "#]],
    );
}

#[test]
fn only_what_ox_did_is_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("story.ox");
    let bare = STORY.replace("-- tool: read_file --\none\n[a.txt: 1 line]\n", "").replace("-- stop: answered --\n", "");
    std::fs::write(&path, &bare).unwrap();
    run_file(&path, Speed::Core, true).unwrap_err();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), bare, "the core speed never rewrites");
    run_file(&path, Speed::Agent, true).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), STORY);
}
