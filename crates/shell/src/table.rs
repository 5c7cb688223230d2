//! What programs do, as data: one line a program, one file a family, read once.
//!
//! A line is `NAME…: TOKEN…`; a name is a program, or a program and its subcommands joined by `/`. Tokens:
//!
//! | token | meaning |
//! |---|---|
//! | `execute2` | an effect that it always has: a kind of [`EffectKind`] and a level |
//! | `=r,w` | what its arguments are, the last role for all further ones; `=r,$w`: the last argument is `w` |
//! | `none!secret3` | an effect that it has without arguments |
//! | `sub` | its first argument is a subcommand with a line of its own; without one, this line speaks |
//! | `any` | options that are not listed are harmless flags; without it they are unknown |
//! | `single` | long options have one dash |
//! | `-ab`, `--long` | harmless flags |
//! | `-o=w`, `--out=w` | an option with a value of that role; `?=`: only a value that is attached |
//! | `-x!execute2` | a flag with an effect; `-x:execute2`: an option with a value and an effect |
//!
//! Roles: `-` nothing, `r` reads, `w` writes, `d` deletes, `x` runs the file, `s` a command line, `c` a command with its arguments, `h` a host or URL, and `!system3` an effect. A program whose effects reach no further
//! than level read must list the options it may be given: the unknown ones make it level shell.

use std::collections::HashMap;
use std::sync::LazyLock;

use ox_protocol::{EffectKind, Level};
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

const TABLES: &[&str] = &[
    include_str!("tables/programs/coreutils.txt"),
    include_str!("tables/programs/text.txt"),
    include_str!("tables/programs/files.txt"),
    include_str!("tables/programs/git.txt"),
    include_str!("tables/programs/build.txt"),
    include_str!("tables/programs/packages.txt"),
    include_str!("tables/programs/network.txt"),
    include_str!("tables/programs/system.txt"),
    include_str!("tables/programs/containers.txt"),
    include_str!("tables/programs/cloud.txt"),
    include_str!("tables/programs/databases.txt"),
];

/// An effect in a table.
pub(crate) type EffectSpec = (EffectKind, Level);

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ArgumentRole {
    Nothing,
    Read,
    Write,
    Delete,
    Run,
    Shell,
    Command,
    Host,
    EffectSpec(EffectSpec),
}

/// How an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OptionValue {
    No,
    Attached,
    Yes,
}

/// An option of a program.
#[derive(Clone, Debug)]
pub(crate) struct OptionSpec {
    pub name: &'static str,
    pub takes: OptionValue,
    pub role: ArgumentRole,
    pub does: Option<EffectSpec>,
}

/// What is known of a program or subcommand.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgramSpec {
    pub does: Vec<EffectSpec>,
    pub without: Vec<EffectSpec>,
    pub roles: Vec<ArgumentRole>,
    pub last: Option<ArgumentRole>,
    pub sub: bool,
    pub any: bool,
    pub single: bool,
    pub switches: Vec<OptionSpec>,
}

static PROGRAMS: LazyLock<HashMap<&'static str, ProgramSpec>> = LazyLock::new(|| {
    let lines = TABLES.iter().flat_map(|it| it.lines()).filter_map(line);
    lines.flat_map(|(names, program)| names.split_whitespace().map(move |it| (it, program.clone()))).collect()
});

/// The line of a program (`cargo`) or a subcommand (`cargo/build`).
pub(crate) fn program(name: &str) -> Option<&'static ProgramSpec> {
    PROGRAMS.get(name)
}

fn line(line: &'static str) -> Option<(&'static str, ProgramSpec)> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (names, tokens) = line.split_once(": ").or_else(|| line.strip_suffix(':').map(|it| (it, "")))?;
    let mut program = ProgramSpec::default();
    for token in tokens.split_whitespace() {
        let read = read(token, &mut program);
        debug_assert!(read.is_some(), "the table has no token `{token}` in `{line}`");
    }
    Some((names, program))
}

fn read(token: &'static str, program: &mut ProgramSpec) -> Option<()> {
    match token {
        "any" => program.any = true,
        "sub" => program.sub = true,
        "single" => program.single = true,
        _ if token.starts_with('=') => {
            for part in token[1..].split(',') {
                match part.strip_prefix('$') {
                    Some(last) => program.last = Some(role(last)?),
                    None => program.roles.push(role(part)?),
                }
            }
        }
        _ if token.starts_with("none!") => program.without.push(does(&token[5..])?),
        _ if token.starts_with('-') => program.switches.extend(options_of(token, program.single)?),
        _ => program.does.push(does(token)?),
    }
    Some(())
}

fn options_of(token: &'static str, single: bool) -> Option<Vec<OptionSpec>> {
    let plain = |name| OptionSpec { name, takes: OptionValue::No, role: ArgumentRole::Nothing, does: None };
    if let Some((name, value)) = token.split_once("?=") {
        return Some(vec![OptionSpec { takes: OptionValue::Attached, role: role(value)?, ..plain(name) }]);
    }
    if let Some((name, value)) = token.split_once('=') {
        return Some(vec![OptionSpec { takes: OptionValue::Yes, role: role(value)?, ..plain(name) }]);
    }
    if let Some((name, effect)) = token.split_once('!') {
        return Some(vec![OptionSpec { does: Some(does(effect)?), ..plain(name) }]);
    }
    if let Some((name, effect)) = token.split_once(':') {
        return Some(vec![OptionSpec { takes: OptionValue::Yes, does: Some(does(effect)?), ..plain(name) }]);
    }
    if single || token.starts_with("--") || token.len() == 2 {
        return Some(vec![plain(token)]);
    }
    // A cluster of short flags; each keeps the dash out of its name and is found by its letter.
    Some((1..token.len()).map(|at| plain(&token[at..=at])).collect())
}

fn role(text: &str) -> Option<ArgumentRole> {
    Some(match text {
        "-" => ArgumentRole::Nothing,
        "r" => ArgumentRole::Read,
        "w" => ArgumentRole::Write,
        "d" => ArgumentRole::Delete,
        "x" => ArgumentRole::Run,
        "s" => ArgumentRole::Shell,
        "c" => ArgumentRole::Command,
        "h" => ArgumentRole::Host,
        _ => ArgumentRole::EffectSpec(does(text.strip_prefix('!')?)?),
    })
}

fn does(text: &str) -> Option<EffectSpec> {
    let (kind, level) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let level = [Level::Read, Level::Edit, Level::Shell, Level::System].get(level.parse::<usize>().ok()?).copied()?;
    let kind = EffectKind::deserialize(StrDeserializer::<Error>::new(kind)).ok()?;
    Some((kind, level))
}

impl ProgramSpec {
    /// How far it reaches whatever its arguments are.
    pub fn level(&self) -> Level {
        self.does.iter().map(|it| it.1).max().unwrap_or_default()
    }

    /// The option with a short letter.
    pub fn short(&self, letter: char) -> Vec<&OptionSpec> {
        let named = |it: &&OptionSpec| {
            let name = it.name.strip_prefix('-').unwrap_or(it.name);
            !it.name.starts_with("--") && name.chars().eq([letter])
        };
        self.switches.iter().filter(named).collect()
    }

    /// The options that a long name may mean: the one of that name, else all that it is the beginning of.
    pub fn long(&self, name: &str) -> Vec<&OptionSpec> {
        let exact: Vec<&OptionSpec> = self.switches.iter().filter(|it| it.name == name).collect();
        if !exact.is_empty() || self.single || name.len() < 3 {
            return exact;
        }
        self.switches.iter().filter(|it| it.name.starts_with(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_program_is_reported_twice_and_each_subcommand_has_a_parent() {
        let lines = TABLES.iter().flat_map(|it| it.lines()).filter_map(line);
        let names: Vec<&str> = lines.flat_map(|it| it.0.split_whitespace()).collect();
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "`{name}` has two lines");
            // Interpreters look their subcommands up themselves.
            let parent = name.rsplit_once('/').map(|it| it.0);
            let parent = parent.filter(|it| !["deno", "bun", "dart", "swift"].contains(it));
            assert!(parent.is_none_or(|it| program(it).is_some_and(|it| it.sub)), "`{name}` has no parent with `sub`");
        }
    }
}
