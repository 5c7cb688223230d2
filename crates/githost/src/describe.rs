//! What a pull request says of itself, from what was recorded of the work: what changed and why, which checks ran and how they
//! ended, and what nobody has verified. No model is asked.

use ox_protocol::locale::Language;
use ox_protocol::{CheckLine, CheckStatus, Claim};

/// What is known of the work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// What was done, in words; Markdown.
    pub words: &'a str,
    /// The files with the reasons that were given for each.
    pub files: &'a [(String, Vec<String>)],
    /// The last checks.
    pub checks: &'a [CheckLine],
    /// What is said to work.
    pub claims: &'a [Claim],
    /// What was left undone.
    pub undone: &'a [String],
}

/// The description of a pull request, in Markdown.
pub fn describe(evidence: &Evidence<'_>, language: Language) -> String {
    let files: Vec<String> = evidence.files.iter().map(file).collect();
    let mut checks: Vec<String> = evidence.checks.iter().filter(|it| ran(it)).map(|it| check(it, language)).collect();
    let shown = |it: &Claim| Some(format!("{} — `{}`", it.claim, it.evidence.as_ref()?.command));
    checks.extend(evidence.claims.iter().filter_map(shown));
    let parts = [
        evidence.words.trim().to_owned(),
        section("githost.body.changes", &files, language),
        section("githost.body.verified", &checks, language),
        section("githost.body.unverified", &unverified(evidence, language), language),
        language.say("githost.body.end", &[]),
    ];
    parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n\n") + "\n"
}

fn section(key: &str, lines: &[String], language: Language) -> String {
    match lines.is_empty() {
        true => String::new(),
        false => format!("## {}\n\n- {}", language.say(key, &[]), lines.join("\n- ")),
    }
}

fn file((path, reasons): &(String, Vec<String>)) -> String {
    let reasons: Vec<String> = reasons.iter().map(|it| one_line(it)).filter(|it| !it.is_empty()).collect();
    match reasons.is_empty() {
        true => format!("`{path}`"),
        false => format!("`{path}`: {}", reasons.join("; ")),
    }
}

fn check(line: &CheckLine, language: Language) -> String {
    let key = match line.status {
        CheckStatus::Passed => "commit.check.passed",
        _ if line.failed_before => "commit.check.failed_before",
        CheckStatus::Failed => "commit.check.failed",
        _ => "commit.check.other",
    };
    let said = language.say(key, &[("name", &language.check(&line.name))]);
    let command = line.evidence.as_ref().map(|it| format!(" — `{}`", one_line(&it.command))).unwrap_or_default();
    let why = Some(one_line(&line.why)).filter(|it| !it.is_empty()).map(|it| format!(" ({it})")).unwrap_or_default();
    format!("{said}{command}{why}")
}

/// True for a check that came to its end, or to that of its time.
fn ran(line: &CheckLine) -> bool {
    line.status == CheckStatus::Passed || line.status.is_bad()
}

/// What nobody has seen to hold.
fn unverified(evidence: &Evidence<'_>, language: Language) -> Vec<String> {
    let mut lines = Vec::new();
    if !evidence.checks.iter().any(ran) {
        lines.push(language.say("githost.body.no_checks", &[]));
    }
    for line in evidence.checks {
        let name = language.check(&line.name);
        // What the change does not reach has nothing to say about it.
        if !ran(line) && line.status != CheckStatus::NotReached {
            let why = one_line(&line.why);
            lines.push(language.say("githost.body.not_run", &[("name", &name), ("why", &why)]));
        }
        if !line.untested.is_empty() {
            let files = line.untested.join("`, `");
            lines.push(language.say("githost.body.untested", &[("name", &name), ("files", &format!("`{files}`"))]));
        }
    }
    let claimed = evidence.claims.iter().filter(|it| it.evidence.is_none());
    lines.extend(claimed.map(|it| language.say("githost.body.claimed", &[("claim", &one_line(&it.claim))])));
    lines.extend(evidence.undone.iter().map(|it| language.say("githost.body.undone", &[("what", &one_line(it))])));
    lines
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ox_protocol::Evidence as Run;

    #[test]
    fn a_description_says_what_changed_what_ran_and_what_nobody_verified() {
        let run = |command: &str| Some(Run { command: command.into(), ..Run::default() });
        let passed = CheckLine { evidence: run("cargo test"), ..CheckLine::new("tests", CheckStatus::Passed) };
        let before = CheckLine { failed_before: true, ..CheckLine::new("lint", CheckStatus::Failed) };
        let absent =
            CheckLine { why: "pytest is\nnot installed".into(), ..CheckLine::new("py", CheckStatus::NotInstalled) };
        let claims = [
            Claim { claim: "adds".into(), evidence: run("x --add"), ..Claim::default() },
            Claim { claim: "is fast".into(), ..Claim::default() },
        ];
        let files = [("a.rs".to_owned(), vec!["the sign\nwas wrong".to_owned()]), ("b.rs".to_owned(), Vec::new())];
        let evidence = Evidence {
            words: "Fixed the sign.\n",
            files: &files,
            checks: &[passed, before, absent],
            claims: &claims,
            undone: &["the docs".to_owned()],
        };
        assert_eq!(
            describe(&evidence, Language::En),
            "Fixed the sign.\n\n## Changes\n\n- `a.rs`: the sign was wrong\n- `b.rs`\n\n## Verified\n\n\
             - tests passed — `cargo test`\n- lint failed, as before\n- adds — `x --add`\n\n## Not verified\n\n\
             - py did not run: pytest is not installed\n- Said and not shown: is fast\n- Left undone: the docs\n\n\
             Written by Ox from the record of its run.\n"
        );
        let nothing = describe(&Evidence::default(), Language::En);
        assert!(nothing.starts_with("## Not verified\n\n- No checks ran.\n"), "{nothing}");
    }
}
