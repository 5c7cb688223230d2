//! The first page of help: the commands in groups, those of every day first, the options under headings, and examples.

use std::fmt::Write;

use clap::builder::StyledStr;
use clap::{Arg, Command};
use ox_protocol::locale::Language;

/// The groups of commands: the key of the heading, and the commands in their order.
const GROUPS: [(&str, &str); 5] = [
    ("daily", "run resume sessions plan review undo commit checks context models login doctor"),
    ("changes", "accept diff redo restore checkpoints edit"),
    ("project", "init import config mcp plugin trust permit sandbox memory history"),
    ("code", "index query impact modules"),
    ("more", "ps attach serve acp demo play compare record replay scenario bug update completions help"),
];

/// The headings of options: the key, and the options beneath it. What stands in none comes last.
const OPTIONS: [(&str, &str); 4] = [
    ("model", "model effort base_url preset"),
    ("permission", "mode approval scope rules.allow trust add_dir"),
    ("context", "file exclude image"),
    ("limit", "limits.max_iterations limits.max_tokens limits.max_cost limits.max_time"),
];

/// The root of the command line with this first page.
pub(crate) fn overview(mut root: Command, language: Language) -> Command {
    root.build();
    let list = StyledStr::from(commands(&root, language));
    let examples = examples(&root, language);
    let heading = |it: Arg| {
        let group = OPTIONS.iter().find(|(_, ids)| ids.split(' ').any(|id| it.get_id() == id));
        match group {
            // A heading has to live for ever; after the page the program ends.
            Some((key, _)) => it.help_heading(&*language.say(&format!("help.options.{key}"), &[]).leak()),
            None => it,
        }
    };
    // What the list names is not listed once more.
    root.mut_args(heading)
        .mut_subcommands(|it| it.hide(true))
        .override_usage("ox [OPTIONS] [TASK]...\n       ox <COMMAND>")
        .before_help(list)
        .after_help(StyledStr::from(examples))
        .help_template("{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}")
}

/// A line for each command, under the headings of the groups.
fn commands(root: &Command, language: Language) -> String {
    let (head, name) = (root.get_styles().get_header(), root.get_styles().get_literal());
    let width = root.get_subcommands().map(|it| it.get_name().len()).max().unwrap_or(0);
    let mut out = String::new();
    for (key, names) in GROUPS {
        let _ = writeln!(out, "{head}{}:{head:#}", language.say(&format!("help.group.{key}"), &[]));
        for it in names.split(' ').filter_map(|it| root.find_subcommand(it)) {
            let about = it.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(out, "  {name}{:<width$}{name:#}  {about}", it.get_name());
        }
        out.push('\n');
    }
    out.trim_end().to_owned()
}

fn examples(root: &Command, language: Language) -> String {
    let head = root.get_styles().get_header();
    let lines = language.say("help.examples", &[]);
    let lines: String = lines.lines().map(|it| format!("\n  {it}")).collect();
    format!("{head}{}:{head:#}{lines}", language.say("help.examples.head", &[]))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use expect_test::expect;

    use super::*;
    use crate::cmd::Cli;

    #[test]
    fn each_command_stands_in_one_group_and_each_option_that_is_named_exists() {
        let mut root = Cli::command();
        root.build();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.split(' ')).collect();
        let mut all: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
        for id in OPTIONS.iter().flat_map(|(_, ids)| ids.split(' ')) {
            assert!(root.get_arguments().any(|it| it.get_id() == id), "{id}");
        }
        assert_eq!(GROUPS[0].1.split(' ').count(), 12);
    }

    #[test]
    fn the_first_page_begins_with_what_is_used_every_day() {
        let error = overview(Cli::command(), Language::En).try_get_matches_from(["ox", "--help"]).unwrap_err();
        let text = error.render().to_string();
        let headings: String = text.lines().filter(|it| it.ends_with(':')).map(|it| format!("{it}\n")).collect();
        expect![[r#"
            Every day:
            Changes:
            Project:
            Code:
            More:
            Arguments:
            Options:
            Model:
            What Ox may do:
            Limits:
            What the model sees:
            Examples:
        "#]]
        .assert_eq(&headings);
        assert!(text.find("  run ") < text.find("  index "), "{text}");
        assert!(text.contains("ox \"fix the failing test\"") && text.contains("ox <COMMAND>"), "{text}");
    }
}
