//! The sentences that a model reads, all of them from `prompts/`.
//!
//! No sentence is built here; what varies (names, numbers, diagnostics) is put beside them by whoever asks.

use ox_protocol::{AuditFinding, Gate, Mode, Section};

use crate::section::section;

const SYSTEM: &str = include_str!("../prompts/system.md");
const MODES: &str = include_str!("../prompts/modes.md");
const REFUSALS: &str = include_str!("../prompts/refusals.md");
const RESULTS: &str = include_str!("../prompts/results.md");
const AGENTS: &str = include_str!("../prompts/agents.md");
const CHECKS: &str = include_str!("../prompts/checks.md");
const AUDIT: &str = include_str!("../prompts/audit.md");
const ANSWER: &str = include_str!("../prompts/answer.md");
const INIT: &str = include_str!("../prompts/init.md");
const REVIEW: &str = include_str!("../prompts/review.md");

/// The system prompt: the same in every mode and every conversation, so that providers can cache it.
pub fn system_prompt() -> String {
    SYSTEM.trim().to_owned()
}

/// What the system prompt says further where the answer has to be JSON of this schema.
pub fn schema_words(schema: &str) -> String {
    format!("{}\n```json\n{}\n```", paragraph(ANSWER, "schema"), schema.trim())
}

/// What asks for the answer once more, with what is wrong with it, one reason each.
pub fn schema_again(why: &[String]) -> String {
    why.iter().fold(paragraph(ANSWER, "again").to_owned(), |text, it| format!("{text}\n- {it}"))
}

/// What the model may do in this mode and how it concludes; `headless` where nobody can answer it.
pub fn mode_words(mode: Mode, headless: bool) -> String {
    let own = paragraph(MODES, mode.name());
    let changing = if mode.may_change() { format!(" {}", paragraph(MODES, "changing")) } else { String::new() };
    let alone = if headless { format!("\n{}", paragraph(MODES, "headless")) } else { String::new() };
    format!("{own}{changing}{alone}")
}

/// What a sub-agent of this built-in kind reads of its part: `explore`, `review` or `test-writer`.
pub fn agent_words(kind: &str) -> &'static str {
    paragraph(AGENTS, kind)
}

/// What a model is asked for the page of instructions of a project: `page`, `improve` where there is one, `again` where its
/// answer is none.
pub fn init_words(part: &str) -> &'static str {
    paragraph(INIT, part)
}

/// What a model is asked in a review of code: `task`, `elsewhere` where the change is not checked out, `again` where its answer
/// does not judge.
pub fn review_words(part: &str) -> &'static str {
    paragraph(REVIEW, part)
}

/// The section that tells a sub-agent its part.
pub fn agent_section(words: &str) -> Section {
    section("agent", words.to_owned())
}

/// What the model reads when a stop hook refused to let the turn end; `retry` refusals of at most `total` so far.
pub fn refusal(gate: Gate, retry: u32, total: u32) -> String {
    let words = refusal_words(gate);
    if retry == 0 { words.to_owned() } else { format!("{words} (refusal {retry} of {total})") }
}

pub(crate) fn refusal_words(gate: Gate) -> &'static str {
    paragraph(
        REFUSALS,
        match gate {
            Gate::NothingExplored => "nothing_explored",
            Gate::NothingEdited => "nothing_edited",
            Gate::OpenTodos => "open_todos",
            Gate::NoPlan => "no_plan",
            Gate::ChecksFail => "checks_fail",
            Gate::Audit => "audit",
            Gate::Review => "review",
            Gate::NotAlone => "not_alone",
            Gate::Unfinished => "unfinished",
            Gate::Hook => "hook",
        },
    )
}

/// Sentences that stand in for a result or for the user's words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Note {
    Accepted,
    Unjudged,
    WentOn,
    Interrupted,
    Stopped,
    Lost,
    Skipped,
    Denied,
    Amended,
    Empty,
    Continue,
    UserStopped,
    Hooked,
    Restored,
    Digest,
    Memory,
}

impl Note {
    pub(crate) fn words(self) -> &'static str {
        paragraph(
            RESULTS,
            match self {
                Note::Accepted => "accepted",
                Note::Unjudged => "unjudged",
                Note::WentOn => "went_on",
                Note::Interrupted => "interrupted",
                Note::Stopped => "stopped",
                Note::Lost => "lost",
                Note::Skipped => "skipped",
                Note::Denied => "denied",
                Note::Amended => "amended",
                Note::Empty => "empty",
                Note::Continue => "continue",
                Note::UserStopped => "user_stopped",
                Note::Hooked => "hooked",
                Note::Restored => "restored",
                Note::Digest => "digest",
                Note::Memory => "memory",
            },
        )
    }
}

/// Sentences around check results.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CheckNote {
    Rules,
    Same,
    Strategy,
    Old,
    Unknown,
    Before,
    Unrun,
    None,
}

impl CheckNote {
    pub(crate) fn words(self) -> &'static str {
        paragraph(
            CHECKS,
            match self {
                CheckNote::Rules => "rules",
                CheckNote::Same => "same",
                CheckNote::Strategy => "strategy",
                CheckNote::Old => "old",
                CheckNote::Unknown => "unknown",
                CheckNote::Before => "before",
                CheckNote::Unrun => "unrun",
                CheckNote::None => "none",
            },
        )
    }
}

/// What an audit found, for whoever has to answer for it: the place, what it is, and the lines themselves.
pub fn finding(it: &AuditFinding) -> String {
    let words = paragraph(AUDIT, it.kind.code().trim_start_matches("audit."));
    let place = if it.line == 0 { it.file.clone() } else { format!("{}:{}", it.file, it.line) };
    let about = if it.about.is_empty() { String::new() } else { format!(" (`{}`)", it.about) };
    let line = |mark: char, text: &str| if text.is_empty() { String::new() } else { format!("\n{mark} {text}") };
    format!("\n{place}: {words}{about}{}{}", line('-', &it.before), line('+', &it.now))
}

/// The text under the heading `## name`.
fn paragraph(page: &'static str, name: &str) -> &'static str {
    let mut parts = page.split("## ").filter_map(|part| part.split_once('\n'));
    let (_, text) = parts.find(|(heading, _)| *heading == name).expect("every name asked for has its heading");
    text.trim()
}

/// Tool names that a prompt mentions: what stands in back-ticks and looks like a tool's name (two words joined by `_`).
///
/// A prompt may name only tools that are in the same request; whoever knows the offered ones compares.
pub fn named_tools(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let mut names: Vec<&str> = quoted.filter(|it| it.contains('_') && it.chars().all(is_of_name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect_file;
    use ox_protocol::AuditKind;

    const MODES: [Mode; 4] = [Mode::Auto, Mode::Chat, Mode::Plan, Mode::Build];
    const GATES: [Gate; 10] = [
        Gate::NothingExplored,
        Gate::NothingEdited,
        Gate::OpenTodos,
        Gate::NoPlan,
        Gate::ChecksFail,
        Gate::Audit,
        Gate::Review,
        Gate::NotAlone,
        Gate::Unfinished,
        Gate::Hook,
    ];
    /// Offered in every mode.
    const ALWAYS: &[&str] = &["find_tools", "list_files", "read_file", "search_code", "use_tool"];
    const BUILD: &[&str] =
        &["attempt_completion", "edit_file", "run_checks", "run_command", "todo_write", "write_file"];
    /// Arguments, not tools.
    const ARGUMENTS: &[&str] = &["no_change"];

    #[test]
    fn a_prompt_names_only_tools_that_are_offered_with_it() {
        let offered = |mode| match mode {
            Mode::Chat => ALWAYS.to_vec(),
            Mode::Plan => [ALWAYS, &["plan_respond"]].concat(),
            Mode::Auto | Mode::Build => [ALWAYS, BUILD].concat(),
        };
        for mode in MODES {
            let text = format!("{}\n{}", system_prompt(), mode_words(mode, true));
            let strange: Vec<_> = named_tools(&text).into_iter().filter(|it| !offered(mode).contains(it)).collect();
            assert!(strange.is_empty(), "{mode:?}: {strange:?}");
        }
        for gate in GATES {
            let text = refusal(gate, 1, 5);
            let known = |it: &&str| BUILD.contains(it) || ARGUMENTS.contains(it) || *it == "plan_respond";
            assert!(named_tools(&text).iter().all(known), "{gate:?}");
        }
    }

    #[test]
    fn names_are_found_between_back_ticks_only() {
        assert_eq!(named_tools("`b_b` a_a `A_b` `plain` `a_c` and `b_b`"), ["a_c", "b_b"]);
    }

    #[test]
    fn every_sentence_has_its_place() {
        use CheckNote as C;
        use Note as N;
        let notes = [N::Accepted, N::WentOn, N::Interrupted, N::Stopped, N::Lost, N::Amended, N::Empty, N::Continue];
        let notes = notes.into_iter().chain([N::Unjudged, N::Skipped, N::Denied, N::UserStopped]);
        let texts = notes
            .map(Note::words)
            .chain([C::Rules, C::Same, C::Strategy, C::Old, C::Unknown, C::Before, C::Unrun, C::None].map(C::words));
        let mut texts: Vec<_> = texts.chain(GATES.map(refusal_words)).collect();
        assert!(texts.iter().all(|it| !it.is_empty()));
        let count = texts.len();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), count, "two names share a sentence");
    }

    #[test]
    fn every_finding_is_worded() {
        for kind in AuditKind::ALL {
            let (file, about) = ("a.rs".to_string(), "t".to_string());
            let said = finding(&AuditFinding { kind, file, line: 3, about, before: "old".into(), now: "new".into() });
            assert!(said.starts_with("\na.rs:3: ") && said.ends_with(" (`t`)\n- old\n+ new"), "{said}");
        }
    }

    #[test]
    fn a_refusal_counts() {
        assert!(refusal(Gate::OpenTodos, 2, 5).ends_with("(refusal 2 of 5)"));
        assert!(!refusal(Gate::NotAlone, 0, 5).contains("of 5"));
    }

    #[test]
    fn the_prompts_and_what_they_cost() {
        let counter = tiktoken_rs::o200k_base().unwrap();
        let tokens = |text: &str| counter.encode_ordinary(text).len();
        assert!(tokens(&system_prompt()) <= 600, "the system prompt has {} tokens", tokens(&system_prompt()));
        let mut page = String::from(
            "# What models read\n\nGenerated by the tests of `ox-context` from `prompts/`; tokens are o200k's.\n",
        );
        let mut add = |name: &str, text: &str| {
            let fence = "````";
            page += &format!("\n## {name} · {} tokens\n\n{fence}text\n{text}\n{fence}\n", tokens(text));
        };
        add("system", &system_prompt());
        for mode in MODES {
            add(&format!("mode {mode:?}"), &mode_words(mode, false));
        }
        add("headless", paragraph(super::MODES, "headless"));
        for gate in GATES {
            add(&format!("refusal {gate:?}"), &refusal(gate, 1, 5));
        }
        for (name, text) in [
            ("results", RESULTS),
            ("checks", CHECKS),
            ("audit", AUDIT),
            ("answer", ANSWER),
            ("summary", crate::prune::SUMMARY),
        ] {
            add(name, text.trim());
        }
        expect_file!["../prompts.md"].assert_eq(&page);
    }
}
