//! A task of one word that is nearly the name of a command is taken for a slip of the finger, not for a task.

use clap::CommandFactory;
use ox_agent::config::edits;
use ox_protocol::Problem;

/// The problem with a task that looks like a mistyped command; none with every other task.
pub(super) fn mistyped(task: &[String]) -> Option<Problem> {
    let [word] = task else { return None };
    if word.len() < 4 || !word.chars().all(|it| it.is_ascii_lowercase()) {
        return None;
    }
    // A short word is soon like another one.
    let slip = if word.len() < 6 { 1 } else { 2 };
    let mut cli = super::Cli::command();
    // Adds `help`.
    cli.build();
    let names = cli.get_subcommands().map(|it| it.get_name().to_string());
    let near = names.map(|name| (edits(word, &name), name)).filter(|(far, _)| *far <= slip).min()?.1;
    Some(Problem::new("usage.no_command").with("word", word).with("near", near))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_from_tasks() {
        let near = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            mistyped(&words).map(|it| it.args["near"].clone())
        };
        let table: [(&[&str], Option<&str>); 9] = [
            (&["sesions"], Some("sessions")),
            (&["hlep"], Some("help")),
            (&["resmue"], Some("resume")),
            (&["doctro"], Some("doctor")),
            (&["refactor"], None),
            (&["test"], None),
            (&["wait"], None),
            (&["fix sesions"], None),
            (&["sesions", "list"], None),
        ];
        for (words, expected) in table {
            assert_eq!(near(words).as_deref(), expected, "{words:?}");
        }
    }
}
