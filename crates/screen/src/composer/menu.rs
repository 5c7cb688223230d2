//! The list below the text: commands after `/`, files after `@`.

use crate::fuzzy;
use crate::text::{Line, Role, clip, width};

/// Something that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// What is inserted, and matched against what is typed.
    pub name: String,
    /// Behind it: arguments that it takes.
    pub usage: String,
    /// What it does.
    pub about: String,
}

/// An open list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Menu {
    /// Where the word that is completed begins, in bytes.
    pub from: usize,
    /// What it lists.
    pub of: Kind,
    /// The matching items, best first.
    pub items: Vec<Item>,
    /// The one that is chosen.
    pub chosen: usize,
}

/// What a list offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Commands,
    Files,
    /// The values of a command's argument.
    Values,
}

/// Items that are listed at most; more than fit are scrolled to.
const LISTED: usize = 100;
/// Columns for what a listed command takes.
const USAGE: usize = 16;

impl Menu {
    /// The next or the one before; the list goes round.
    pub fn go(&mut self, forward: bool) {
        let count = self.items.len().max(1);
        self.chosen = if forward { (self.chosen + 1) % count } else { (self.chosen + count - 1) % count };
    }

    /// The rows to show where `rows` are free, and the place of the chosen one in them.
    pub fn shown(&self, rows: usize) -> (&[Item], usize) {
        let from = (self.chosen + 1).saturating_sub(rows).min(self.items.len().saturating_sub(rows));
        (&self.items[from..(from + rows).min(self.items.len())], self.chosen - from)
    }

    /// At most `rows` rows; the last says with `more` how many do not fit, where there are such.
    pub fn lines(&self, columns: usize, rows: usize, more: impl Fn(usize) -> String) -> Vec<Line> {
        let rows = if self.items.len() > rows { rows.saturating_sub(1).max(1) } else { rows };
        let (items, chosen) = self.shown(rows);
        let usage = |it: &Item| clip(&Line::of(&it.usage, Role::Dim), USAGE).text();
        let name = |it: &Item| format!("{} {}", it.name, usage(it)).trim_end().to_string();
        // One that is longer than most does not push the explanations of all away.
        let widest = items.iter().map(|it| width(&name(it))).max().unwrap_or(0).min(columns / 3);
        let line = |(at, item): (usize, &Item)| {
            let (mark, role) = if at == chosen { ("▸ ", Role::User) } else { ("  ", Role::Plain) };
            let gap = " ".repeat((widest + 2).saturating_sub(width(&name(item))).max(2));
            let usage = if item.usage.is_empty() { String::new() } else { format!(" {}", usage(item)) };
            let line = Line::of(mark, role).with(&item.name, role).with(&usage, Role::Dim);
            clip(
                &if item.about.is_empty() { line } else { line.with(&gap, role).with(&item.about, Role::Dim) },
                columns,
            )
        };
        let mut lines: Vec<Line> = items.iter().enumerate().map(line).collect();
        if self.items.len() > items.len() {
            lines.push(Line::of(&more(self.items.len() - items.len()), Role::Dim).indented(2, 0));
        }
        lines
    }
}

/// The word before the cursor that a list can complete: where it begins and what it is.
pub fn word(before: &str) -> Option<(usize, Kind)> {
    let from = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let word = &before[from..];
    if word.starts_with('@') {
        return Some((from, Kind::Files));
    }
    if before.starts_with("/add ") || before.starts_with("/drop ") {
        return Some((from, Kind::Files));
    }
    if from == 0 && word.starts_with('/') && !word[1..].contains('/') {
        return Some((0, Kind::Commands));
    }
    (before.starts_with('/') && from > 0 && !before[..from].trim_end().contains(' ')).then_some((from, Kind::Values))
}

/// The commands that fit what is typed: those that begin with it, in their order, then those that match it.
pub fn commands(typed: &str, all: &[Item]) -> Vec<Item> {
    let (mut first, rest): (Vec<&Item>, Vec<&Item>) = all.iter().partition(|it| it.name.starts_with(typed));
    let names: Vec<&str> = rest.iter().map(|it| it.name.as_str()).collect();
    first.extend(fuzzy::best(typed.trim_start_matches('/'), &names, LISTED).into_iter().map(|at| rest[at]));
    first.into_iter().cloned().collect()
}

/// The files and folders that fit what is typed behind `@`.
pub fn files(typed: &str, all: &[String]) -> Vec<Item> {
    let item = |at: usize| Item { name: all[at].clone(), ..Item::default() };
    fuzzy::best(typed, all, LISTED).into_iter().map(item).collect()
}

/// A definition: its name, and the lines where it stands, `path:from-to`.
pub type Symbol = (String, String);

/// Symbols that are listed below files at most, from so many letters on.
const SYMBOLS: usize = 20;
const LETTERS: usize = 2;

/// The symbols that fit what is typed behind `@`; none where that is the beginning of a path.
pub fn symbols(typed: &str, all: &[Symbol]) -> Vec<Item> {
    if typed.chars().count() < LETTERS || typed.contains(['/', '.']) {
        return Vec::new();
    }
    let names: Vec<&str> = all.iter().map(|it| it.0.as_str()).collect();
    let item = |at: usize| Item { name: all[at].1.clone(), about: all[at].0.clone(), ..Item::default() };
    fuzzy::best(typed, &names, SYMBOLS).into_iter().map(item).collect()
}

/// How far a name is from what is typed: the name itself comes first, then what begins so, then what has its letters.
pub fn distance(typed: &str, item: &Item) -> u8 {
    let typed = typed.to_lowercase();
    let path = item.name.trim_end_matches('/');
    let name = if item.about.is_empty() { path.rsplit('/').next().unwrap_or(path) } else { item.about.as_str() };
    let name = name.rsplit("::").next().unwrap_or(name).to_lowercase();
    let own = if item.about.is_empty() { name.as_str() } else { name.rsplit('.').next().unwrap_or(&name) };
    let stem = own.split('.').next().unwrap_or(own);
    match () {
        () if typed.is_empty() || typed.contains('/') => 0,
        () if typed == own || typed == stem => 0,
        () if own.starts_with(&typed) => 1,
        () => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_completed() {
        let cases = [
            ("", None),
            ("look at @sr", Some((8, Kind::Files))),
            ("@", Some((0, Kind::Files))),
            ("检查 @READ", Some((7, Kind::Files))),
            ("/mo", Some((0, Kind::Commands))),
            ("/etc/ho", None),
            ("a /mo", None),
            ("/mode p", Some((6, Kind::Values))),
            ("/mode p x", None),
            ("/add src/l", Some((5, Kind::Files))),
        ];
        for (before, expected) in cases {
            assert_eq!(word(before), expected, "{before}");
        }
    }

    #[test]
    fn commands_that_begin_so_come_first() {
        let all: Vec<Item> =
            ["/help", "/mode", "/model", "/compact"].map(|it| Item { name: it.into(), ..Item::default() }).into();
        let names = |typed: &str| commands(typed, &all).into_iter().map(|it| it.name).collect::<Vec<_>>();
        assert_eq!(names("/mo"), ["/mode", "/model"]);
        assert_eq!(names("/co"), ["/compact"]);
        assert_eq!(names("/del"), ["/model"]);
        assert_eq!(names("/").len(), 4);
        assert!(names("/zzz").is_empty());
    }

    #[test]
    fn a_name_that_is_typed_in_full_comes_first() {
        let item = |name: &str, about: &str| Item { name: name.into(), about: about.into(), ..Item::default() };
        let mut items = [
            item("README.md", ""),
            item("tests/test_calc.py:6-7", "CalcTest.test_add"),
            item("src/adder.rs", ""),
            item("calc.py:1-2", "add"),
            item("src/add.rs", ""),
        ];
        items.sort_by_key(|it| distance("add", it));
        let names: Vec<&str> = items.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["calc.py:1-2", "src/add.rs", "src/adder.rs", "README.md", "tests/test_calc.py:6-7"]);
    }

    #[test]
    fn the_list_scrolls_with_the_choice() {
        let items: Vec<Item> = (0..5).map(|it| Item { name: it.to_string(), ..Item::default() }).collect();
        let mut menu = Menu { from: 0, of: Kind::Files, items, chosen: 0 };
        let names = |menu: &Menu| menu.shown(2).0.iter().map(|it| it.name.clone()).collect::<String>();
        assert_eq!(names(&menu), "01");
        menu.go(false);
        assert_eq!((menu.chosen, names(&menu).as_str(), menu.shown(2).1), (4, "34", 1));
        menu.go(true);
        assert_eq!(menu.chosen, 0);
    }
}
