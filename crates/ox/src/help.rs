//! `--help` and usage errors in the user's language.
//!
//! The English texts are the doc comments of the arguments, and `protocol/locales/help.zh.txt` has a Chinese text for
//! each. Nothing is translated before something is to be printed: a command that runs does not pay for it.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, StyledStr};
use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory, Parser};
use ox_protocol::locale::Language;
use ox_ui::columns_of_terminal;
use ox_ui::text::folded;

use crate::cmd::Cli;
use crate::cmd::print::colours;
use crate::overview::overview;

/// The words that clap writes around the texts, styled or not.
const WORDS: [(&str, &str); 8] = [
    ("Usage: ", "用法："),
    ("Usage:\u{1b}[0m ", "用法：\u{1b}[0m"),
    ("Commands:", "命令："),
    ("Arguments:", "参数："),
    ("Options:", "选项："),
    ("Possible values:", "可选值："),
    ("[possible values: ", "[可选值："),
    ("[default: ", "[默认："),
];

/// The sentences of clap's errors, each a part of a line; `{}` is what stays as it is.
const ERRORS: [(&str, &str); 15] = [
    ("For more information, try {}.", "更多信息请用 {}。"),
    ("error: {}", "ox: {}"),
    ("  tip: {}", "  提示：{}"),
    ("{}unexpected argument {} found", "{}未知参数 {}"),
    ("{}unrecognized subcommand {}", "{}未知命令 {}"),
    ("{}a similar argument exists: {}", "{}相近的参数：{}"),
    ("{}some similar arguments exist: {}", "{}相近的参数：{}"),
    ("{}a similar subcommand exists: {}", "{}相近的命令：{}"),
    ("{}a similar value exists: {}", "{}相近的值：{}"),
    ("{}to pass {} as a value, use {}", "{}要把 {} 作为值传入，请用 {}"),
    ("{}invalid value {} for {}", "{}无效的值 {}，参数 {}"),
    ("{}a value is required for {} but none was supplied", "{}缺少 {} 的值"),
    ("{}the following required arguments were not provided:", "{}缺少以下必需的参数："),
    ("{}the argument {} cannot be used with {}", "{}参数 {} 不能与 {} 同时使用"),
    ("{}the argument {} cannot be used multiple times", "{}参数 {} 不能重复使用"),
];

/// Reads the command line. Where there is nothing to run, prints help or what is wrong and returns the exit code.
pub fn parse() -> Result<Cli, u8> {
    let (folder, args) = folder_first(std::env::args_os().collect());
    let error = match Cli::try_parse_from(&args) {
        Ok(cli) => return Ok(cli.in_folder(folder)),
        Err(error) => error,
    };
    let code = if error.use_stderr() { 2 } else { 0 };
    let language = ox_app::project::language();
    // Nothing can be done when the terminal is gone.
    let _ = if language == Language::En && error.kind() != ErrorKind::DisplayHelp {
        error.print()
    } else {
        let root = overview(translated(Cli::command(), language), language);
        let error = root.try_get_matches_from(&args).err().unwrap_or(error);
        print(&error.render(), error.use_stderr(), language)
    };
    Err(code)
}

/// Takes `-C DIR` out from before the command: what stands there would make a task of the command's name.
fn folder_first(mut args: Vec<OsString>) -> (Option<PathBuf>, Vec<OsString>) {
    let first = args.get(1).and_then(|it| it.to_str()).unwrap_or_default();
    if matches!(first, "-C" | "--cd") && args.len() > 2 {
        let folder = args.drain(1..3).nth(1).map(PathBuf::from);
        return (folder, args);
    }
    let joined = first.strip_prefix("--cd=").or_else(|| first.strip_prefix("-C")).filter(|it| !it.is_empty());
    let folder = joined.map(PathBuf::from);
    if folder.is_some() {
        args.remove(1);
    }
    (folder, args)
}

fn print(text: &StyledStr, on_stderr: bool, language: Language) -> std::io::Result<()> {
    let styled = !on_stderr && colours();
    let text = phrases(&if styled { text.ansi().to_string() } else { text.to_string() }, language);
    let terminal = if on_stderr { std::io::stderr().is_terminal() } else { std::io::stdout().is_terminal() };
    let text = if terminal { folded(&text, columns_of_terminal()) } else { text };
    match on_stderr {
        true => std::io::stderr().write_all(text.as_bytes()),
        false => std::io::stdout().write_all(text.as_bytes()),
    }
}

/// The whole tree of commands with the texts of `language`.
pub fn translated(mut root: Command, language: Language) -> Command {
    root.build();
    command(root, language)
}

fn command(command: Command, language: Language) -> Command {
    let say = |text: Option<&StyledStr>| text.and_then(|it| language.help(&it.to_string()));
    let (about, after) = (say(command.get_about()), say(command.get_after_help()));
    let mut command = command.mut_args(|it| argument(it, language));
    if let Some(about) = about {
        command = command.about(about);
    }
    if let Some(after) = after {
        command = command.after_help(after);
    }
    command.mut_subcommands(|it| self::command(it, language))
}

fn argument(arg: Arg, language: Language) -> Arg {
    let say = |text: Option<&StyledStr>| text.and_then(|it| language.help(&it.to_string()));
    // The flag of a configuration key says what the key says.
    let key = format!("config.key.{}", arg.get_id());
    let english = Language::En.say(&key, &[]);
    if arg.get_help().is_some_and(|it| it.to_string() == english) {
        return arg.help(language.say(&key, &[]));
    }
    let (help, long) = (say(arg.get_help()), say(arg.get_long_help()));
    let value = |it: &PossibleValue| match say(it.get_help()) {
        Some(help) => it.clone().help(help),
        None => it.clone(),
    };
    // Values without a help of their own are left to their parser.
    let values: Vec<PossibleValue> = arg.get_possible_values().iter().map(value).collect();
    let described = values.iter().any(|it| it.get_help().is_some());
    let arg = if described { arg.value_parser(PossibleValuesParser::new(values)) } else { arg };
    let arg = if let Some(help) = help { arg.help(help) } else { arg };
    if let Some(long) = long { arg.long_help(long) } else { arg }
}

/// What clap writes itself, in `language`.
fn phrases(text: &str, language: Language) -> String {
    match language {
        Language::En => text.to_owned(),
        Language::Zh => {
            let text = WORDS.iter().fold(text.to_owned(), |text, (english, chinese)| text.replace(english, chinese));
            text.split('\n').map(phrase).collect::<Vec<_>>().join("\n")
        }
    }
}

/// A line in Chinese. It may hold more than one sentence: `error: unexpected argument '--x' found`.
fn phrase(line: &str) -> String {
    ERRORS.iter().fold(line.to_owned(), |line, (english, chinese)| {
        let Some(parts) = parts(&line, english) else { return line };
        let mut parts = parts.into_iter();
        chinese.split("{}").map(|it| format!("{it}{}", parts.next().unwrap_or_default())).collect()
    })
}

/// What stands at the places of `{}` in `pattern`, if the whole line matches it.
fn parts<'a>(line: &'a str, pattern: &str) -> Option<Vec<&'a str>> {
    let mut pieces = pattern.split("{}");
    let mut line = line.strip_prefix(pieces.next()?)?;
    let mut pieces = pieces.peekable();
    let mut found = Vec::new();
    while let Some(piece) = pieces.next() {
        let at = match pieces.peek() {
            Some(_) => line.find(piece)?,
            None => line.strip_suffix(piece)?.len(),
        };
        found.push(&line[..at]);
        line = &line[at + piece.len()..];
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// All texts of the help, in English.
    fn texts(command: &Command) -> BTreeSet<String> {
        let of = |it: Option<&StyledStr>| it.map(ToString::to_string);
        let argument = |it: &Arg| {
            let key = Language::En.say(&format!("config.key.{}", it.get_id()), &[]);
            if it.get_help().is_some_and(|it| it.to_string() == key) {
                return Vec::new();
            }
            let values: Vec<_> = it.get_possible_values().iter().filter_map(|it| of(it.get_help())).collect();
            [of(it.get_help()), of(it.get_long_help())].into_iter().flatten().chain(values).collect::<Vec<_>>()
        };
        let own = [of(command.get_about()), of(command.get_after_help())].into_iter().flatten();
        own.chain(command.get_arguments().flat_map(argument)).chain(command.get_subcommands().flat_map(texts)).collect()
    }

    #[test]
    fn every_command_and_argument_has_a_chinese_text_and_no_text_is_left_over() {
        let mut root = Cli::command();
        root.build();
        let mut english = texts(&root);
        english
            .extend(["Print help (see more with '--help')", "Print help (see a summary with '-h')"].map(String::from));
        let missing: Vec<&String> = english.iter().filter(|it| Language::Zh.help(it).is_none()).collect();
        assert!(missing.is_empty(), "no Chinese text in locales/help.zh.txt for {missing:#?}");
        let unused: Vec<&str> = Language::translated_help().into_iter().filter(|it| !english.contains(*it)).collect();
        assert!(unused.is_empty(), "in locales/help.zh.txt, but in no help text: {unused:#?}");
    }

    #[test]
    fn help_is_chinese_from_the_first_to_the_last_line() {
        let chinese = |args: &[&str]| {
            let error = translated(Cli::command(), Language::Zh).try_get_matches_from(args).expect_err("prints help");
            phrases(&error.render().to_string(), Language::Zh)
        };
        let text = chinese(&["ox", "--help"]);
        assert!(text.contains("用法：ox") && text.contains("命令：") && text.contains("选项："), "{text}");
        let english = |line: &&str| line.is_ascii() && line.trim().contains(' ') && !line.contains(['<', '[', '-']);
        let left: Vec<&str> = text.lines().filter(english).collect();
        assert!(left.is_empty(), "{left:#?}");
    }

    #[test]
    fn a_wrong_argument_is_reported_in_chinese() {
        let error = translated(Cli::command(), Language::Zh).try_get_matches_from(["ox", "run", "--mdoe", "x"]);
        let text = phrases(&error.expect_err("is wrong").render().to_string(), Language::Zh);
        let (first, last) = (text.lines().next(), text.lines().last());
        assert_eq!((first, last), (Some("ox: 未知参数 '--mdoe'"), Some("更多信息请用 '--help'。")), "{text}");
    }

    #[test]
    fn english_stays_as_it_is() {
        let mut plain = Cli::command();
        plain.build();
        assert_eq!(texts(&translated(Cli::command(), Language::En)), texts(&plain));
    }

    #[test]
    fn a_pattern_matches_a_whole_line() {
        assert_eq!(parts("a 'x' b", "a {} b"), Some(vec!["'x'"]));
        assert_eq!(parts("a 'x' b c", "a {} b"), None);
        assert_eq!(parts("x: y", "{}: {}"), Some(vec!["x", "y"]));
        assert_eq!(parts("x", "x"), Some(vec![]));
    }
}
