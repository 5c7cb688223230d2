//! Commands of one's own: a file with a prompt, called by its name behind a slash.
//!
//! What a file says it may do without asking is passed over: it is a prompt, and what the model does of it is permitted like
//! anything else. No command line in it is run here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ox_protocol::Tokens;

use crate::front_matter::FrontMatter;
use crate::source::{Layout, Scope, Source};

/// Characters of what a command is about.
const LONGEST_ABOUT: usize = 200;

/// Said of command lines in a prompt, which other agents run before it is sent.
const LINES: &str = "Where `!` and a command line in backquotes stand above, its output is meant: run each of them first, as any \
command, and read its output in that place.";

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomCommand {
    /// Its name, without the slash.
    pub name: String,
    /// What it does, on one line; empty where nobody says.
    pub about: String,
    /// What it takes; empty where nobody says.
    pub hint: String,
    /// Whose it is.
    pub scope: Scope,
    /// Its file.
    pub path: PathBuf,
    body: String,
    layout: Layout,
}

impl CustomCommand {
    /// The command of a file.
    ///
    /// # Errors
    /// Why it is none, in words.
    pub(crate) fn of(name: &str, path: PathBuf, file: &FrontMatter, source: &Source) -> Result<CustomCommand, String> {
        if file.body.is_empty() {
            return Err("it has no prompt".to_owned());
        }
        let first = file.body.lines().map(|it| it.trim_start_matches('#').trim()).find(|it| !it.is_empty());
        let about = file.text("description").or(first.map(str::to_owned)).unwrap_or_default();
        let about = about.chars().filter(|it| !it.is_control()).take(LONGEST_ABOUT).collect();
        Ok(CustomCommand {
            name: source.called(name),
            about,
            hint: file.hint(),
            scope: source.scope.clone(),
            path,
            body: source.placed(&file.body),
            layout: source.layout,
        })
    }

    /// What its prompt takes of a window, by its bytes.
    pub fn tokens(&self) -> Tokens {
        Tokens::estimate(&self.body)
    }

    /// The prompt with what was typed behind the name. What is filled in is not read again.
    pub fn prompt(&self, typed: &str) -> String {
        let typed = typed.trim();
        let arguments = Arguments::of(typed, self.layout == Layout::Codex);
        let (mut out, mut rest, mut used) = (String::new(), self.body.as_str(), false);
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            match arguments.value(after) {
                Some((value, length)) => {
                    out.push_str(&value);
                    used = used || length > 1 || !after.starts_with('$');
                    rest = &after[length..];
                }
                None => {
                    out.push('$');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        if !used && !typed.is_empty() {
            out.push_str("\n\nARGUMENTS: ");
            out.push_str(typed);
        }
        if has_lines(&self.body) {
            out.push_str("\n\n");
            out.push_str(LINES);
        }
        out
    }
}

/// True where a prompt holds a command line of its own.
fn has_lines(body: &str) -> bool {
    body.split("!`").skip(1).any(|it| it.lines().next().is_some_and(|line| line.contains('`')))
}

/// What was typed behind a command's name.
struct Arguments<'a> {
    all: &'a str,
    words: Vec<String>,
    /// Those that were given as `NAME=value`, where the format has such.
    named: Option<BTreeMap<String, String>>,
}

impl Arguments<'_> {
    fn of(typed: &str, named: bool) -> Arguments<'_> {
        let words = shlex::split(typed).unwrap_or_else(|| typed.split_whitespace().map(str::to_owned).collect());
        let pair = |it: &String| it.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let named = named.then(|| words.iter().filter_map(pair).collect());
        Arguments { all: typed, words, named }
    }

    /// What stands for the placeholder that `text` begins with, and its length; none where it begins with none.
    fn value(&self, text: &str) -> Option<(String, usize)> {
        if let Some(rest) = text.strip_prefix("ARGUMENTS") {
            let ends = !rest.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_');
            return ends.then(|| (self.all.to_owned(), "ARGUMENTS".len()));
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 1 && !text.starts_with('0') {
            let at = usize::from(text.as_bytes()[0] - b'1');
            return Some((self.words.get(at).cloned().unwrap_or_default(), 1));
        }
        let named = self.named.as_ref()?;
        if text.starts_with('$') {
            return Some(("$".to_owned(), 1));
        }
        let end = text.bytes().take_while(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || *it == b'_').count();
        named.get(&text[..end]).map(|it| (it.clone(), end))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::front_matter::front_matter;

    fn command(text: &str, layout: Layout) -> CustomCommand {
        let source = Source { layout, ..Source::of_plugin("kit", Path::new("/kit")) };
        CustomCommand::of("fix", "/kit/commands/fix.md".into(), &front_matter(text).unwrap(), &source).unwrap()
    }

    fn prompt(body: &str, typed: &str) -> String {
        command(body, Layout::Claude).prompt(typed)
    }

    #[test]
    fn placeholders_are_filled_in_once() {
        assert_eq!(prompt("Fix $1 in $2, all of $ARGUMENTS.", "'a b' c"), "Fix a b in c, all of 'a b' c.");
        assert_eq!(prompt("Fix $ARGUMENTS", "$1 $ARGUMENTS"), "Fix $1 $ARGUMENTS");
        assert_eq!(
            prompt("It costs $10, $x and $ARGUMENTS_2 are left, $3.", "one"),
            "It costs $10, $x and $ARGUMENTS_2 are left, ."
        );
        // An apostrophe is no open quote.
        assert_eq!(prompt("$1-$2", "don't stop"), "don't-stop");
        // Whoever takes none gets them all the same.
        assert_eq!(prompt("Review it.", "now"), "Review it.\n\nARGUMENTS: now");
        assert_eq!(prompt("Review it.", " "), "Review it.");
    }

    #[test]
    fn named_arguments_are_those_of_one_format_only() {
        let codex = command("Use $FILE for $$5, not $OTHER.", Layout::Codex);
        assert_eq!(codex.prompt("FILE=a.rs"), "Use a.rs for $5, not $OTHER.");
        assert_eq!(prompt("$FILE $$", "FILE=a"), "$FILE $$\n\nARGUMENTS: FILE=a");
    }

    #[test]
    fn command_lines_are_left_to_the_model_and_a_plugins_folder_is_filled_in() {
        let text = "---\ndescription: 'Do\n  it'\nargument-hint: [issue]\nallowed-tools: Bash\n---\nRun !`git log` with ${CLAUDE_PLUGIN_ROOT}/x";
        let it = command(text, Layout::Plugin);
        assert_eq!((it.name.as_str(), it.about.as_str()), ("kit:fix", "Do it"));
        assert!(it.prompt("").starts_with("Run !`git log` with /kit/x\n\nWhere `!`"), "{}", it.prompt(""));
        assert!(!prompt("Look out!` is no line", "").contains("Where `!`"));
    }
}
