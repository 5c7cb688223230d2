//! The catalogue: every sentence that a user sees, in English and Chinese, by key.
//!
//! Each line of `locales/*.txt` is `key = sentence`; `{name}` is a placeholder. `key.one`, where there is one, is the
//! sentence for a `{count}` of 1. Tests keep both files in step and sorted.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::{EffectKind, NARROW, Problem};

/// A language that Ox speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}

const EN: &str = include_str!("../locales/en.txt");
const ZH: &str = include_str!("../locales/zh.txt");
const HELP_ZH: &str = include_str!("../locales/help.zh.txt");

impl Language {
    /// From a tag such as `zh_CN.UTF-8` or `en`; anything but Chinese is English.
    pub fn from_tag(tag: &str) -> Language {
        if tag.to_ascii_lowercase().starts_with("zh") { Language::Zh } else { Language::En }
    }

    fn table(self) -> &'static HashMap<&'static str, &'static str> {
        static TABLES: [OnceLock<HashMap<&'static str, &'static str>>; 2] = [OnceLock::new(), OnceLock::new()];
        let (cell, text) = match self {
            Language::En => (&TABLES[0], EN),
            Language::Zh => (&TABLES[1], ZH),
        };
        cell.get_or_init(|| lines(text).collect())
    }

    /// The sentence under `key` with its placeholders filled in; the key itself where the catalogue lacks it.
    pub fn say(self, key: &str, args: &[(&str, &str)]) -> String {
        let value = |name: &str| args.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_string());
        match self.sentence(key, value("count").as_deref()) {
            Some(sentence) => fill(sentence, value),
            None => key.to_string(),
        }
    }

    /// The sentence under `key`: the singular, where there is one and `count` is 1.
    fn sentence(self, key: &str, count: Option<&str>) -> Option<&'static str> {
        let table = self.table();
        let singular = (count == Some("1")).then(|| table.get(format!("{key}.one").as_str())).flatten();
        singular.or_else(|| table.get(key)).copied()
    }

    /// A text of `--help` in this language. Its English text is the key, because that stands in the code as the
    /// documentation of the argument; `None` where the text is not translated.
    pub fn help(self, english: &str) -> Option<&'static str> {
        let translated = |it: &(&str, &'static str)| it.0 == english;
        lines(HELP_ZH).find(translated).filter(|_| self == Language::Zh).map(|(_, text)| text)
    }

    /// The English help texts that have a translation.
    pub fn translated_help() -> Vec<&'static str> {
        lines(HELP_ZH).map(|(english, _)| english).collect()
    }

    /// The name of a check as people read it: of a narrower form, that it covers what the change affects and no more.
    pub fn check(self, name: &str) -> String {
        match name.strip_suffix(NARROW) {
            Some(whole) => self.say("check.affected", &[("name", whole)]),
            None => name.to_string(),
        }
    }

    /// What a call does, of one kind to `what`.
    pub fn effect(self, kind: EffectKind, what: &str) -> String {
        // Where there is nothing to name, the analysis of commands describes it in one of a few English phrases.
        let phrase = Language::En.all().find(|(key, text)| *text == what && key.starts_with("effect.phrase."));
        if let Some((key, _)) = phrase {
            return self.say(kind.key(), &[("what", &self.say(key, &[]))]);
        }
        match (kind, what) {
            (EffectKind::Network, "*") => self.say("effect.network_any", &[]),
            // A command in place of its object.
            (EffectKind::Write, it) if it.starts_with("git ") => self.say("effect.write_git", &[("what", what)]),
            (EffectKind::Write, it) if it.contains(' ') => self.say("effect.write_by", &[("what", what)]),
            (EffectKind::Delete, it) if it.contains(' ') => self.say("effect.delete_by", &[("what", what)]),
            _ => self.say(kind.key(), &[("what", what)]),
        }
    }

    /// A problem in this language, and those beside it, each from a new line on.
    pub fn problem(self, problem: &Problem) -> String {
        let mut text = self.alone(problem);
        for other in &problem.also {
            text.push('\n');
            text += &self.problem(other);
        }
        text
    }

    fn alone(self, problem: &Problem) -> String {
        let count = problem.args.get("count").map(String::as_str);
        let Some(sentence) = self.sentence(&problem.code, count) else {
            let args: Vec<String> = problem.args.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            return format!("{} {}", problem.code, args.join(", ")).trim_end().to_string();
        };
        fill(sentence, |name| problem.args.get(name).cloned())
    }

    /// Every key with its sentence.
    pub fn all(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.table().iter().map(|(key, sentence)| (*key, *sentence))
    }

    /// True when the catalogue has `key`.
    pub fn has(self, key: &str) -> bool {
        self.table().contains_key(key)
    }

    /// All keys, sorted.
    pub fn keys(self) -> Vec<&'static str> {
        let mut keys: Vec<&'static str> = self.table().keys().copied().collect();
        keys.sort_unstable();
        keys
    }
}

fn lines(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "))
}

/// Replaces `{name}` by its value and `\n` by a line break; an unknown placeholder stays as it is.
fn fill(sentence: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let sentence = sentence.replace("\\n", "\n");
    let mut out = String::new();
    let mut rest = sentence.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        out += before;
        let found = after.split_once('}').and_then(|(name, tail)| value(name).map(|it| (it, tail)));
        match found {
            Some((text, tail)) => {
                // Chinese has no spaces between words: those around a placeholder are meant for Latin text.
                let [begins, ends] =
                    [text.chars().next(), text.chars().next_back()].map(|it| it.is_some_and(is_chinese));
                if begins && out.strip_suffix(' ').is_some_and(|it| it.ends_with(is_chinese)) {
                    out.pop();
                }
                out += &text;
                let close = tail.strip_prefix(' ').filter(|it| ends && it.starts_with(is_chinese));
                rest = close.unwrap_or(tail);
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}

/// True for Chinese characters and the punctuation that is as wide.
fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{3400}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn placeholders(sentence: &str) -> BTreeSet<&str> {
        sentence.split('{').skip(1).filter_map(|it| it.split_once('}')).map(|(name, _)| name).collect()
    }

    /// The keys that every language must have: all but the singulars, which Chinese does without.
    fn plain(language: Language) -> BTreeSet<&'static str> {
        language.keys().into_iter().filter(|it| !it.ends_with(".one")).collect()
    }

    #[test]
    fn both_languages_have_the_same_keys_and_placeholders() {
        assert_eq!(plain(Language::En), plain(Language::Zh));
        for key in plain(Language::En) {
            let (en, zh) = (Language::En.table()[key], Language::Zh.table()[key]);
            assert_eq!(placeholders(en), placeholders(zh), "placeholders of `{key}` differ");
        }
    }

    #[test]
    fn a_singular_belongs_to_a_sentence_with_a_count() {
        for language in [Language::En, Language::Zh] {
            for key in language.keys() {
                let Some(plural) = key.strip_suffix(".one") else { continue };
                let plural = language.table().get(plural).unwrap_or_else(|| panic!("`{key}` has no plural"));
                assert!(placeholders(plural).contains("count"), "the plural of `{key}` has no count");
            }
        }
    }

    /// Names of placeholders that hold a number.
    const NUMBERS: [&str; 8] = ["count", "all", "total", "requests", "done", "numbers", "failed", "places"];
    /// What is said of several alone, or of sums that no single one ever is.
    const SEVERAL: [&str; 6] =
        ["approval.ask.files", "files.many", "full.copied_lines", "models.how", "models.pulled", "state.running_many"];

    /// The noun that a number stands before, in its plural: `files` of `{count} changed files`.
    fn counted<'a>(text: &'a str, number: &str) -> Option<&'a str> {
        let (_, after) = text.split_once(&format!("{{{number}}} "))?;
        let phrase = after.split(|it: char| !it.is_ascii_alphabetic() && it != ' ').next()?;
        let is_plural = |word: &&str| word.ends_with('s') && !["begins", "has", "is", "starts", "was"].contains(word);
        phrase.split(' ').take(2).find(is_plural)
    }

    #[test]
    fn whatever_is_counted_has_a_singular() {
        for key in plain(Language::En).into_iter().filter(|it| !SEVERAL.contains(it)) {
            let sentence = Language::En.table()[key];
            for number in NUMBERS {
                let Some(noun) = counted(sentence, number) else { continue };
                assert_eq!(number, "count", "`{key}` counts {noun} by another name, so it has no singular");
                assert!(Language::En.has(&format!("{key}.one")), "`{key}` lacks its singular: {sentence}");
            }
        }
    }

    #[test]
    fn keys_are_sorted_with_a_blank_line_between_prefixes() {
        for text in [EN, ZH] {
            let prefix = |key: &'static str| key.split('.').next();
            let mut last: Option<&str> = None;
            let mut gap = false;
            for line in text.lines().skip(1) {
                let Some((key, _)) = line.split_once(" = ") else {
                    assert!(line.is_empty(), "`{line}` is not `key = sentence`");
                    gap = true;
                    continue;
                };
                if let Some(last) = last {
                    assert!(last < key, "`{key}` comes before `{last}`");
                    assert_eq!(prefix(last) != prefix(key), gap, "a blank line belongs between prefixes only: {key}");
                }
                (last, gap) = (Some(key), false);
            }
        }
    }

    #[test]
    fn a_count_of_one_takes_the_singular_where_there_is_one() {
        let files = |language: Language, count: &str| language.say("checkpoints.files", &[("count", count)]);
        assert_eq!(files(Language::En, "1"), "1 file");
        assert_eq!(files(Language::En, "21"), "21 files");
        assert_eq!(files(Language::Zh, "1"), "1 个文件");
        let found = |count: u32| Language::En.problem(&Problem::new("doctor.database").with("count", count));
        assert!(found(1).ends_with("1 conversation."), "{}", found(1));
        assert!(found(2).ends_with("2 conversations."), "{}", found(2));
    }

    #[test]
    fn a_narrower_check_is_named_by_what_it_covers() {
        assert_eq!(Language::En.check(&format!("cargo test{NARROW}")), "cargo test (affected only)");
        assert_eq!(Language::Zh.check(&format!("cargo test{NARROW}")), "cargo test（仅受影响部分）");
        assert_eq!(Language::En.check("cargo test"), "cargo test");
    }

    #[test]
    fn placeholders_are_filled_and_unknown_ones_stay() {
        assert_eq!(fill("a {x} b {y} {z", |name| (name == "x").then(|| "{y}".to_string())), "a {y} b {y} {z");
        let with = |text: &str| fill("将 {x} 删除 a {x} b", |_| Some(text.to_string()));
        assert_eq!(with("文件"), "将文件删除 a 文件 b");
        assert_eq!(with("file"), "将 file 删除 a file b");
    }

    #[test]
    fn what_the_analysis_of_commands_describes_is_translated() {
        let computed = Language::Zh.effect(EffectKind::Computed, "the commands that are piped into a shell");
        assert_eq!(computed, "运行前无法得知：通过管道交给 shell 的命令");
        assert_eq!(Language::Zh.effect(EffectKind::Computed, "$x"), "运行前无法得知：$x");
    }
}
