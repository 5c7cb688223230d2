//! The catalogue: every sentence that a user sees, in English and Chinese, by key.
//!
//! Each line of `locales/*.txt` is `key = sentence`; `{name}` is a placeholder. A test keeps both files in step.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::Problem;

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
        let Some(sentence) = self.table().get(key) else { return key.to_string() };
        fill(sentence, |name| args.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_string()))
    }

    /// A problem in this language, and those beside it, each from a new line on.
    pub fn problem(self, problem: &Problem) -> String {
        let mut text = self.sentence(problem);
        for other in &problem.also {
            text.push('\n');
            text += &self.problem(other);
        }
        text
    }

    fn sentence(self, problem: &Problem) -> String {
        let Some(sentence) = self.table().get(problem.code.as_str()) else {
            let args: Vec<String> = problem.args.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            return format!("{} {}", problem.code, args.join(", ")).trim_end().to_string();
        };
        fill(sentence, |name| problem.args.get(name).cloned())
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
                out += &text;
                rest = tail;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn placeholders(sentence: &str) -> BTreeSet<&str> {
        sentence.split('{').skip(1).filter_map(|it| it.split_once('}')).map(|(name, _)| name).collect()
    }

    #[test]
    fn both_languages_have_the_same_keys_and_placeholders() {
        assert_eq!(Language::En.keys(), Language::Zh.keys());
        for key in Language::En.keys() {
            let (en, zh) = (Language::En.table()[key], Language::Zh.table()[key]);
            assert_eq!(placeholders(en), placeholders(zh), "placeholders of `{key}` differ");
        }
    }

    #[test]
    fn no_key_stands_twice() {
        for text in [EN, ZH] {
            let keys: Vec<&str> = lines(text).map(|(key, _)| key).collect();
            let unique: BTreeSet<&str> = keys.iter().copied().collect();
            assert_eq!(keys.len(), unique.len());
        }
    }

    #[test]
    fn placeholders_are_filled_and_unknown_ones_stay() {
        assert_eq!(fill("a {x} b {y} {z", |name| (name == "x").then(|| "{y}".to_string())), "a {y} b {y} {z");
    }
}
