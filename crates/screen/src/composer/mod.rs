//! Where the user types: several lines, history, completion, marks for what was pasted.
//!
//! Promise: pure but for the history's file; nothing that was typed is lost: what is cleared can be had back from the
//! history or by undo.

mod buffer;
mod history;
mod keymap;
mod layout;
mod menu;
mod vi;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use buffer::{Buffer, Motion};
use history::History;
pub use keymap::{Action, DEFAULTS, Keymap};
pub use menu::{Item, Menu, Symbol};

use crate::text::{Line, Role, clip, width, wrap};
use menu::Kind;
use vi::{Beyond, Vi};

/// Before the first row of what is typed; the others are indented by as much.
pub const SIGN: &str = "› ";
/// A paste that is longer is folded to a mark: more lines, or more characters, than fit beside what is typed.
const PASTE_LINES: usize = 8;
const PASTE_CHARS: usize = 1_000;

/// The composer.
#[derive(Debug, Default)]
pub struct Composer {
    buffer: Buffer,
    history: History,
    keymap: Keymap,
    /// Where the user edits as in vi.
    vi: Option<Vi>,
    /// The commands that `/` lists.
    pub commands: Vec<Item>,
    /// The values that a command takes.
    pub values: BTreeMap<String, Vec<Item>>,
    /// The files and folders that `@` lists; none as long as nobody asked for them.
    files: Option<Arc<Vec<String>>>,
    /// The symbols that it lists below them.
    symbols: Arc<Vec<Symbol>>,
    menu: Option<Menu>,
    /// Where the word begins whose list was closed.
    closed: Option<usize>,
    search: Option<Search>,
    /// Columns of the last layout, for going up and down.
    columns: usize,
    /// The column that going up and down keeps to.
    goal: Option<usize>,
    /// Pictures and pastes so far.
    pasted: usize,
    pictures: usize,
}

/// A search in the history.
#[derive(Clone, Debug, Default)]
struct Search {
    query: String,
    /// Which of the matches is shown, newest first.
    at: usize,
}

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edited {
    /// The text, the cursor or a list changed, or could have.
    Changed,
    /// Here is the text, with everything that was pasted; the composer is empty again.
    Entered(String),
    /// The key means something beyond the text.
    Wants(Action),
    /// The key means nothing here.
    No,
}

impl Composer {
    /// An empty one; without a file for its history that ends with the program.
    pub fn new(history: Option<PathBuf>, keymap: Keymap) -> Composer {
        Composer { history: History::read(history), keymap, columns: 80, ..Composer::default() }
    }

    /// The same with the commands of vi.
    #[must_use]
    pub fn with_vi(self) -> Composer {
        Composer { vi: Some(Vi::default()), ..self }
    }

    /// True in vi's normal mode, false where letters are text; none where the user does not edit as in vi.
    pub fn is_normal(&self) -> Option<bool> {
        self.vi.as_ref().map(Vi::is_normal)
    }

    /// True where nothing is typed.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    #[cfg(test)]
    fn text(&self) -> &str {
        self.buffer.text()
    }

    /// Which keys do what.
    pub fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    /// Says how wide the screen is, for going up and down.
    pub fn resize(&mut self, columns: usize) {
        self.columns = columns.saturating_sub(width(SIGN)).max(2);
    }

    /// Replaces what is typed.
    pub fn set(&mut self, text: &str) {
        self.buffer.set(text);
        self.changed();
    }

    /// Clears what is typed; it can be had back from the history.
    pub fn clear(&mut self) {
        let text = self.buffer.take();
        self.history.add(&text);
        self.changed();
    }

    /// What was typed, with what was pasted, without clearing it.
    pub fn whole(&self) -> String {
        self.buffer.whole()
    }

    /// True where files are to be listed and are not known yet.
    pub fn asks_for_files(&self) -> bool {
        self.files.is_none() && self.word().is_some_and(|(_, kind)| kind == Kind::Files)
    }

    /// The files and folders to list.
    pub fn offer_files(&mut self, files: Arc<Vec<String>>) {
        self.files = Some(files);
        self.complete();
    }

    /// The symbols to list.
    pub fn offer_symbols(&mut self, symbols: Arc<Vec<Symbol>>) {
        self.symbols = symbols;
        self.complete();
    }

    /// The files may have changed: they are asked for again with the next word.
    pub fn forget_files(&mut self) {
        self.files = None;
    }

    /// Inserts pasted text; a long one is folded to a mark.
    pub fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let lines = text.lines().count();
        if let Some(search) = &mut self.search {
            search.query.push_str(text.lines().next().unwrap_or_default());
        } else if lines > PASTE_LINES || text.chars().count() > PASTE_CHARS {
            self.pasted += 1;
            let size =
                if lines > 1 { format!("+{lines} lines") } else { format!("{} characters", text.chars().count()) };
            self.buffer.mark(format!("[Pasted text #{} {size}]", self.pasted), text);
        } else {
            self.buffer.insert(&text);
        }
        self.changed();
    }

    /// Inserts a mark for a picture.
    pub fn picture(&mut self, path: &str) {
        self.pictures += 1;
        self.buffer.mark(format!("[Image #{}]", self.pictures), path.to_string());
        self.changed();
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Edited {
        if self.search.is_some() {
            return self.searching(key);
        }
        if let Some(edited) = self.commanded(key) {
            return edited;
        }
        let actions: Vec<Action> = self.keymap.actions(key).collect();
        let Some(first) = actions.first().copied() else { return self.letter(key) };
        if let Some(edited) = self.choosing(first) {
            return edited;
        }
        if !matches!(first, Action::Up | Action::Down) {
            self.goal = None;
        }
        for action in &actions {
            if let Some(edited) = self.does(*action) {
                return edited;
            }
        }
        Edited::Wants(*actions.last().unwrap_or(&first))
    }

    /// A key that vi has a meaning for.
    fn commanded(&mut self, key: KeyEvent) -> Option<Edited> {
        let vi = self.vi.as_mut()?;
        let letter = match key.code {
            KeyCode::Esc if vi.escape(&mut self.buffer) => {
                self.menu = None;
                return Some(Edited::Changed);
            }
            KeyCode::Char(c) if vi.is_normal() && (key.modifiers - KeyModifiers::SHIFT).is_empty() => c,
            KeyCode::Backspace if vi.is_normal() => 'h',
            _ => return None,
        };
        match vi.key(letter, &mut self.buffer) {
            Beyond::Nothing => {
                self.goal = None;
                self.history.leave();
            }
            Beyond::Row { down, count } => (0..count).for_each(|_| self.row(down)),
            Beyond::Search => self.search = Some(Search::default()),
        }
        Some(Edited::Changed)
    }

    fn letter(&mut self, key: KeyEvent) -> Edited {
        match key.code {
            KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
                self.buffer.insert(c.encode_utf8(&mut [0; 4]));
                self.changed();
                Edited::Changed
            }
            _ => Edited::No,
        }
    }

    /// A key while a list is open; none where it goes to the text.
    fn choosing(&mut self, action: Action) -> Option<Edited> {
        let menu = self.menu.as_mut()?;
        match action {
            Action::Up | Action::HistoryBefore => menu.go(false),
            Action::Down | Action::HistoryAfter => menu.go(true),
            Action::Stop => {
                self.closed = Some(menu.from);
                self.menu = None;
            }
            Action::Complete => self.take_chosen(),
            Action::Submit => {
                let typed = &self.buffer.text()[menu.from..self.buffer.cursor()];
                let item = menu.items[menu.chosen].clone();
                let is_whole = typed == item.name || menu.of == Kind::Values;
                let runs = menu.of == Kind::Commands && (item.usage.is_empty() || item.usage.starts_with('['));
                if !is_whole {
                    self.take_chosen();
                }
                self.menu = None;
                if is_whole || runs {
                    return Some(self.entered());
                }
            }
            _ => return None,
        }
        Some(Edited::Changed)
    }

    fn take_chosen(&mut self) {
        let Some(menu) = self.menu.take() else { return };
        let item = &menu.items[menu.chosen];
        let at = if self.buffer.text()[menu.from..].starts_with('@') { "@" } else { "" };
        // A folder goes on to what is in it.
        let blank = if item.name.ends_with('/') { "" } else { " " };
        let quoted = if item.name.contains(' ') { format!("\"{}\"", item.name) } else { item.name.clone() };
        self.buffer.replace(menu.from, &format!("{at}{quoted}{blank}"));
        self.changed();
    }

    /// What an action does to the text; none where it means something beyond it.
    fn does(&mut self, action: Action) -> Option<Edited> {
        match action {
            Action::Submit => return Some(self.submit()),
            Action::NewLine => self.buffer.insert("\n"),
            Action::Left => self.buffer.go(Motion::Left),
            Action::Right => self.buffer.go(Motion::Right),
            Action::Up | Action::Down => self.row(action == Action::Down),
            Action::WordLeft => self.buffer.go(Motion::WordLeft),
            Action::WordRight => self.buffer.go(Motion::WordRight),
            Action::LineStart => self.buffer.go(Motion::LineStart),
            Action::LineEnd => self.buffer.go(Motion::LineEnd),
            Action::TextStart => self.buffer.go(Motion::Start),
            Action::TextEnd => self.buffer.go(Motion::End),
            Action::DeleteLeft => self.buffer.delete(Motion::Left),
            Action::DeleteRight => self.buffer.delete(Motion::Right),
            Action::Leave if !self.is_empty() => self.buffer.delete(Motion::Right),
            Action::KillWordLeft => self.buffer.kill(Motion::WordLeft),
            Action::KillWordRight => self.buffer.kill(Motion::WordRight),
            Action::KillToLineStart => self.buffer.kill(Motion::LineStart),
            Action::KillToLineEnd => self.buffer.kill(Motion::LineEnd),
            Action::Yank => self.buffer.yank(),
            Action::YankBefore => self.buffer.yank_before(),
            Action::Undo => self.buffer.undo(),
            Action::Redo => self.buffer.redo(),
            Action::Transpose => self.buffer.transpose(),
            Action::HistoryBefore => self.recall(false),
            Action::HistoryAfter => self.recall(true),
            Action::HistorySearch => self.search = Some(Search::default()),
            Action::Complete if self.word().is_some() => {
                self.closed = None;
                self.complete();
                return Some(Edited::Changed);
            }
            _ => return None,
        }
        if !matches!(action, Action::Up | Action::Down | Action::HistoryBefore | Action::HistoryAfter) {
            self.history.leave();
            self.complete();
        }
        Some(Edited::Changed)
    }

    /// A backslash before the cursor makes the line go on, for terminals that cannot tell Shift-Enter from Enter.
    fn submit(&mut self) -> Edited {
        let before = &self.buffer.text()[..self.buffer.cursor()];
        if before.ends_with('\\') && !before.ends_with("\\\\") {
            self.buffer.delete(Motion::Left);
            self.buffer.insert("\n");
            return Edited::Changed;
        }
        self.entered()
    }

    fn entered(&mut self) -> Edited {
        let text = self.buffer.take();
        self.history.add(&text);
        self.changed();
        Edited::Entered(text)
    }

    /// One row up or down; at the edge through the history.
    fn row(&mut self, down: bool) {
        let rows = layout::rows(self.buffer.text(), self.buffer.cursor(), self.columns);
        let (row, column) = rows.cursor;
        let next = if down { Some(row + 1).filter(|it| *it < rows.rows.len()) } else { row.checked_sub(1) };
        let Some(next) = next else { return self.recall(down) };
        let goal = *self.goal.get_or_insert(column);
        self.buffer.go_to(layout::offset(self.buffer.text(), &rows.rows, next, goal));
    }

    fn recall(&mut self, forward: bool) {
        let entry = if forward { self.history.after() } else { self.history.before(self.buffer.text()) };
        if let Some(entry) = entry {
            self.buffer.set(&entry);
            self.menu = None;
        }
    }

    /// A key while the history is searched.
    fn searching(&mut self, key: KeyEvent) -> Edited {
        let found = self.found().map(str::to_string);
        let Some(search) = &mut self.search else { return Edited::No };
        match key.code {
            _ if self.keymap.is(key, Action::HistorySearch) => search.at += usize::from(found.is_some()),
            KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
                search.query.push(c);
                search.at = 0;
            }
            KeyCode::Backspace => {
                search.query.pop();
                search.at = 0;
            }
            KeyCode::Esc => self.search = None,
            _ => {
                self.search = None;
                if let Some(found) = found {
                    self.buffer.set(&found);
                }
                // Enter takes what was found into the composer; other keys edit it at once.
                return if key.code == KeyCode::Enter { Edited::Changed } else { self.key(key) };
            }
        }
        Edited::Changed
    }

    fn found(&self) -> Option<&str> {
        let search = self.search.as_ref().filter(|it| !it.query.is_empty())?;
        self.history.matching(&search.query).get(search.at).copied()
    }

    fn word(&self) -> Option<(usize, Kind)> {
        menu::word(&self.buffer.text()[..self.buffer.cursor()])
    }

    fn changed(&mut self) {
        if self.buffer.is_empty() {
            self.vi.iter_mut().for_each(Vi::insert);
        }
        self.goal = None;
        self.history.leave();
        self.complete();
    }

    /// Opens, narrows or closes the list for the word at the cursor.
    fn complete(&mut self) {
        self.menu = None;
        let Some((from, kind)) = self.word() else {
            self.closed = None;
            return;
        };
        if self.closed == Some(from) {
            return;
        }
        self.closed = None;
        let typed = &self.buffer.text()[from..self.buffer.cursor()];
        let items = match kind {
            Kind::Commands => menu::commands(typed, &self.commands),
            Kind::Files => {
                let name = typed.trim_start_matches('@');
                let mut items = self.files.as_ref().map_or_else(Vec::new, |it| menu::files(name, it));
                items.extend(menu::symbols(name, if typed.starts_with('@') { &self.symbols } else { &[] }));
                items.sort_by_key(|it| menu::distance(name, it));
                items
            }
            Kind::Values => {
                let name = self.buffer.text().split(' ').next().unwrap_or_default();
                self.values.get(name).map_or_else(Vec::new, |it| menu::commands(typed, it))
            }
        };
        if !items.is_empty() {
            self.menu = Some(Menu { from, of: kind, items, chosen: 0 });
        }
    }

    /// The rows of what is typed, at most `rows` of them around the cursor, and the cursor in them. `label`: what is said
    /// before a search in the history; `hint`: what stands there while nothing is typed.
    pub fn rows(&self, columns: usize, rows: usize, label: &str, hint: &str) -> (Vec<Line>, (usize, usize)) {
        let room = columns.saturating_sub(width(SIGN)).max(2);
        if let Some(search) = &self.search {
            let head = Line::of(&format!("{label} {}", search.query), Role::Accent);
            let at = width(&head.text());
            let found = self.found().unwrap_or_default().lines().next().unwrap_or_default().to_string();
            return (vec![clip(&head.with(&format!("  {found}"), Role::Dim), columns)], (0, at.min(columns)));
        }
        let text = self.buffer.text();
        if text.is_empty() {
            return (vec![clip(&Line::of(SIGN, Role::User).with(hint, Role::Dim), columns)], (0, width(SIGN)));
        }
        let laid = layout::rows(text, self.buffer.cursor(), room);
        let (row, column) = laid.cursor;
        let rows = rows.max(1);
        let from = (row + 1).saturating_sub(rows);
        let role = if text.starts_with('!') { Role::Warn } else { Role::Plain };
        let lines = laid.rows.iter().enumerate().skip(from).take(rows).map(|(at, (start, end))| {
            let sign = if at == 0 { SIGN } else { "  " };
            Line::of(sign, Role::User).with(text[*start..*end].trim_end_matches('\n'), role)
        });
        (lines.collect(), (row - from, width(SIGN) + column))
    }

    /// The open list, at most `rows` rows; the last says with `more` how many do not fit, where there are such.
    pub fn list(&self, columns: usize, rows: usize, more: impl Fn(usize) -> String) -> Vec<Line> {
        self.menu.as_ref().map_or_else(Vec::new, |it| it.lines(columns, rows, more))
    }

    /// The text as one line, for terminals whose cursor cannot be moved.
    pub fn flat(&self) -> String {
        crate::text::clean(&self.buffer.text().replace('\n', "⏎"))
    }
}

/// The keys and what they do, in two columns.
pub fn keys(say: impl Fn(&str) -> String, keymap_of: &BTreeMap<String, String>, columns: usize) -> Vec<Line> {
    let line = |(_, name, keys): &(Action, &str, &str)| {
        let keys = keymap_of.get(*name).map_or(*keys, String::as_str);
        let about = say(&format!("keys.{}", name.replace('-', "_")));
        Line::of(&format!("{keys:<28}  "), Role::Accent).with(&about, Role::Plain).indented(2, 30)
    };
    DEFAULTS.iter().map(line).flat_map(|it| wrap(&it, columns)).collect()
}

#[cfg(test)]
mod tests;
