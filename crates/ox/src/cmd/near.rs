//! A task that is nearly the name of a command, or the name of one that Ox does not have, is taken for a command and not
//! for a task: a task costs money.

use ox_protocol::Problem;
use strsim::osa_distance;

/// Commands of other agents that Ox does not have, which nobody means as a task of one word.
const ABSENT: [&str; 43] = [
    "acp",
    "agent",
    "agents",
    "app",
    "apply",
    "attach",
    "auth",
    "clear",
    "cloud",
    "commands",
    "compare",
    "continue",
    "effort",
    "exec",
    "export",
    "fleet",
    "fork",
    "hooks",
    "install",
    "jobs",
    "list",
    "logout",
    "logs",
    "play",
    "permissions",
    "plugins",
    "ps",
    "rewind",
    "server",
    "serve",
    "settings",
    "setup",
    "skill",
    "skills",
    "stats",
    "status",
    "stop",
    "theme",
    "todo",
    "uninstall",
    "version",
    "web",
    "worker",
];
/// Of these, those that do not begin a task of several words either.
const NO_VERBS: [&str; 5] = ["acp", "exec", "logout", "plugins", "ps"];

/// The problem with a task that looks like a command of `cli`; none with every other task.
pub(super) fn mistyped(task: &[String], mut cli: clap::Command) -> Option<Problem> {
    let first = task.first()?;
    // What is typed inside a conversation; `/etc/hosts is wrong` is a sentence.
    if first.strip_prefix('/').is_some_and(ox_ui::is_command) {
        return Some(Problem::new("usage.slash_command").with("word", first));
    }
    if (task.len() == 1 && ABSENT.contains(&first.as_str())) || NO_VERBS.contains(&first.as_str()) {
        return Some(Problem::new("usage.absent_command").with("word", first).with("task", task.join(" ")));
    }
    let [word, rest @ ..] = task else { return None };
    if word.len() < 3 || !word.chars().all(|it| it.is_ascii_lowercase()) {
        return None;
    }
    // A short word is soon like another one; one of three letters counts with all of them, in another order.
    let letters = |it: &str| {
        let mut letters = it.as_bytes().to_vec();
        letters.sort_unstable();
        letters
    };
    let same = |it: &String| word.len() > 3 || letters(it) == letters(word);
    let slip = if word.len() < 6 { 1 } else { 2 };
    // Adds `help`.
    cli.build();
    // Of several words the second shows that a command is meant.
    let meant = |it: &&clap::Command| rest.first().is_none_or(|next| it.find_subcommand(next).is_some());
    let names = cli.get_subcommands().filter(meant).map(|it| it.get_name().to_string()).filter(same);
    let near = names.map(|name| (osa_distance(word, &name), name)).filter(|(far, _)| *far <= slip).min()?.1;
    Some(Problem::new("usage.no_command").with("word", word).with("near", near))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn slips_are_reported_from_tasks() {
        let near = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            mistyped(&words, crate::cmd::Cli::command()).map(|it| it.args.get("near").unwrap_or(&it.code).clone())
        };
        let table: [(&[&str], Option<&str>); 18] = [
            (&["plugins"], Some("usage.absent_command")),
            (&["plugins", "add", "x"], Some("usage.absent_command")),
            (&["hi"], None),
            (&["mpc"], Some("mcp")),
            (&["add"], None),
            (&["hooks"], Some("usage.absent_command")),
            (&["/resume", "2"], Some("usage.slash_command")),
            (&["/etc", "is", "full"], None),
            (&["sesions"], Some("sessions")),
            (&["hlep"], Some("help")),
            (&["resmue"], Some("resume")),
            (&["doctro"], Some("doctor")),
            (&["refactor"], None),
            (&["test"], None),
            (&["wait"], None),
            (&["fix sesions"], None),
            (&["sesions", "list"], Some("sessions")),
            (&["sesions", "are", "lost"], None),
        ];
        for (words, expected) in table {
            assert_eq!(near(words).as_deref(), expected, "{words:?}");
        }
    }
}
