//! What happens beside a reply that streams in is printed when the reply has ended.

use expect_test::expect;
use ox_protocol::{CheckReport, CheckStatus, Event, WantId};

use super::{live, screen, text};
use crate::canned::{self, Script};

const REPLY: &str = "The result:\n\n- one\n- two\n\nA summary with `code`, and a last word.\n";

#[test]
fn results_of_checks_do_not_stand_in_the_middle_of_a_reply() {
    // Wherever between two pieces of the reply.
    for at in 1..REPLY.split_inclusive([' ', '\n']).count() {
        let mut script = Script::default();
        script.reply("m1", REPLY, &[]);
        let mut beside = Script::default();
        let want = WantId::default();
        beside.event(0, Event::ChecksStart { want, baseline: true, round: 0, total: 5 });
        let results = vec![canned::result("cargo test", CheckStatus::Failed, 193, Vec::new())];
        let report = CheckReport { results, tree: String::new() };
        beside.event(0, Event::CheckResult { want, baseline: true, round: 0, total: 5, report });
        script.steps.splice(at..at, beside.steps);
        let mut screen = screen(79);
        let printed: String = script.steps.iter().map(|step| text(&screen.update(&step.update), 79)).collect();
        expect![[r#"
            The result:

            • one
            • two

            A summary with code, and a last word.

            Baseline
            ✗ cargo test already fails (193 ms)
        "#]]
        .assert_eq(&(printed + &live(&screen, 0, 80)));
    }
}
