//! A list to choose from, with a typed search, columns and a preview.
//!
//! Promise: pure. A picker says what was chosen and changes nothing itself; what cannot be taken back is asked about first.

pub mod choices;
pub mod conversations;
mod draw;
pub mod models;
pub mod turns;

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::editor::{Edited, Editor};
use crate::fuzzy;
use crate::report::Look;
use crate::text::{Line, Role};

/// Rows that a page key goes over.
const PAGE: usize = 10;

/// What is chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The stored conversations.
    Conversations,
    /// The turns of the conversation, to go back to before one of them.
    Turns,
    /// The same, to say one of its prompts again in a fork.
    Prompts,
    /// What goes back to before this turn.
    Back(u32),
    /// The models.
    Models,
    /// How much the model reasons.
    Efforts,
    /// The themes.
    Themes,
    /// What may run unasked.
    Rules,
    /// The commands in the background.
    Jobs,
    /// The recorded states of the project.
    Checkpoints,
    /// What to do with a plan.
    Plan,
    /// A few answers to a question.
    Answers,
}

/// Something that can be chosen.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// What it is known by.
    pub id: String,
    /// One text for each column.
    pub cells: Vec<(String, Role)>,
    /// The last column, which takes the room that is left.
    pub title: String,
    /// Searched too, and not shown.
    pub also: String,
    /// True for what counts now.
    pub current: bool,
    /// True for what is of less use.
    pub dim: bool,
}

/// A further key, and what comes of it.
#[derive(Clone, Debug)]
pub struct Extra {
    /// The key.
    pub key: KeyCode,
    /// What is held with it.
    pub modifiers: KeyModifiers,
    /// In the foot: `Ctrl-D delete`.
    pub about: String,
    /// What is asked first.
    pub step: Asks,
}

/// What is asked before a further key counts; `{title}` stands for the row's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asks {
    /// It counts at once.
    Nothing,
    /// This question has to be answered with `y`.
    Yes(String),
    /// A text is typed behind this.
    Text(String),
}

/// What a key led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing to act on.
    Nothing,
    /// The list was left.
    Closed,
    /// The row was chosen.
    Chosen,
    /// Another row is the chosen one.
    Moved,
    /// A further key, with the text that was typed for it.
    Extra(KeyCode, String),
}

/// Something that a user has picked, to be carried out by the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The list.
    pub of: Of,
    /// The row; empty where there is none.
    pub id: String,
    /// What the key led to.
    pub answer: Answer,
}

/// An open list.
#[derive(Clone, Debug)]
pub struct Picker {
    /// What it lists.
    pub of: Of,
    title: String,
    rows: Vec<Row>,
    /// What Enter does, for the foot.
    enter: String,
    extras: Vec<Extra>,
    /// What is typed to search; none where the rows are few and have numbers.
    query: Option<Editor>,
    /// The rows that match, best first.
    shown: Vec<usize>,
    chosen: usize,
    /// What is known of rows, for the preview; none where there is no preview.
    previews: Option<BTreeMap<String, Vec<Line>>>,
    /// A further key that waits for its answer.
    asked: Option<(usize, Editor)>,
    /// What stands in the place of the rows where there are none.
    empty: String,
    /// What came of the last action.
    note: Option<Line>,
}

impl Picker {
    /// A list with a search.
    pub fn new(of: Of, title: String, enter: String) -> Picker {
        Picker {
            of,
            title,
            rows: Vec::new(),
            enter,
            extras: Vec::new(),
            query: Some(Editor::default()),
            shown: Vec::new(),
            chosen: 0,
            previews: None,
            asked: None,
            empty: String::new(),
            note: None,
        }
    }

    /// A few rows that have numbers instead of a search.
    pub fn numbered(of: Of, title: String, enter: String) -> Picker {
        Picker { query: None, ..Picker::new(of, title, enter) }
    }

    /// The rows; the current one is chosen.
    #[must_use]
    pub fn with_rows(mut self, rows: Vec<Row>, empty: String) -> Picker {
        self.chosen = rows.iter().position(|it| it.current).unwrap_or(0);
        self.shown = (0..rows.len()).collect();
        (self.rows, self.empty) = (rows, empty);
        self
    }

    /// A further key.
    #[must_use]
    pub fn with_extra(mut self, key: KeyCode, modifiers: KeyModifiers, about: String, step: Asks) -> Picker {
        self.extras.push(Extra { key, modifiers, about, step });
        self
    }

    /// Rows have a preview, which is set with [`Picker::preview`].
    #[must_use]
    pub fn with_previews(mut self) -> Picker {
        self.previews = Some(BTreeMap::new());
        self
    }

    /// The row that is chosen.
    pub fn row(&self) -> Option<&Row> {
        self.shown.get(self.chosen).map(|at| &self.rows[*at])
    }

    /// The row whose preview is wanted and not known.
    pub fn wants_preview(&self) -> Option<String> {
        let (row, known) = (self.row()?, self.previews.as_ref()?);
        (!known.contains_key(&row.id)).then(|| row.id.clone())
    }

    /// What the preview of a row shows.
    pub fn preview(&mut self, id: &str, lines: Vec<Line>) {
        if let Some(known) = &mut self.previews {
            known.insert(id.to_string(), lines);
        }
    }

    /// Puts other rows in the place of these; search and choice stay.
    pub fn set_rows(&mut self, rows: Vec<Row>) {
        self.rows = rows;
        self.search(self.chosen);
    }

    /// Says what came of an action.
    pub fn say(&mut self, note: Line) {
        self.note = Some(note);
    }

    /// What is pasted is searched for, or is the answer to what is asked.
    pub fn paste(&mut self, text: &str) {
        let line = text.lines().next().unwrap_or_default();
        match (&mut self.asked, &mut self.query) {
            (Some((_, editor)), _) => editor.paste(line),
            (None, Some(query)) => {
                query.paste(line);
                self.search(0);
            }
            _ => {}
        }
    }

    /// The list as lines, each row with its number, for a screen that is not drawn over.
    pub fn printed(&self, look: &Look) -> Vec<Line> {
        let mut out = vec![Line::of(&self.title, Role::Strong)];
        out.extend(self.rows.iter().enumerate().map(|(at, row)| {
            let cells = row.cells.iter().map(|it| it.0.trim()).filter(|it| !it.is_empty());
            let texts: Vec<&str> = cells.chain([row.title.as_str()]).collect();
            let now = if row.current { look.say("picker.current", &[]) } else { String::new() };
            Line::of(format!("{}. {} {now}", at + 1, texts.join("  ")).trim_end(), Role::Plain).hanging(4)
        }));
        match self.rows.is_empty() {
            true => out.push(Line::of(&self.empty, Role::Dim)),
            false if self.is_chosen_from() => out.push(Line::of(&look.say("picker.linear", &[]), Role::Dim)),
            false => {}
        }
        out
    }

    /// True where a row can be chosen, not only looked at.
    pub fn is_chosen_from(&self) -> bool {
        !self.enter.is_empty() && !self.rows.is_empty()
    }

    /// The row of this number, or of this name.
    pub fn named(&self, text: &str) -> Option<&Row> {
        let number = text.trim_end_matches('.').parse::<usize>().ok().and_then(|it| self.rows.get(it.checked_sub(1)?));
        let is = |name: &str| !text.is_empty() && name.to_lowercase() == text.to_lowercase();
        number.or_else(|| self.rows.iter().find(|it| is(&it.id) || is(&it.title)))
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Answer {
        self.note = None;
        if let Some((at, editor)) = self.asked.take() {
            return self.answered(at, editor, key);
        }
        let before = self.row().map(|it| it.id.clone());
        if let Some(answer) = self.acted(key) {
            return answer;
        }
        self.moved(key);
        if self.row().map(|it| &it.id) == before.as_ref() { Answer::Nothing } else { Answer::Moved }
    }

    /// What a key does beyond moving and searching.
    fn acted(&mut self, key: KeyEvent) -> Option<Answer> {
        let extra = self.extras.iter().position(|it| it.key == key.code && it.modifiers == key.modifiers);
        if let Some(at) = extra {
            let row = self.row()?.clone();
            return Some(match &self.extras[at].step {
                Asks::Nothing => Answer::Extra(key.code, String::new()),
                Asks::Yes(_) => self.ask(at, Editor::default()),
                Asks::Text(_) => self.ask(at, Editor::with(&row.title)),
            });
        }
        match key.code {
            KeyCode::Enter => Some(if self.row().is_some() { Answer::Chosen } else { Answer::Nothing }),
            KeyCode::Esc if self.query.as_mut().is_some_and(|it| !it.take().is_empty()) => {
                self.search(0);
                Some(Answer::Moved)
            }
            KeyCode::Esc => Some(Answer::Closed),
            KeyCode::Char('q') if self.query.is_none() && key.modifiers.is_empty() => Some(Answer::Closed),
            KeyCode::Char(c) if self.query.is_none() && key.modifiers.is_empty() => {
                let at = (c.to_digit(10)? as usize).checked_sub(1).filter(|at| *at < self.shown.len())?;
                self.chosen = at;
                Some(Answer::Chosen)
            }
            _ => None,
        }
    }

    fn ask(&mut self, at: usize, editor: Editor) -> Answer {
        self.asked = Some((at, editor));
        Answer::Nothing
    }

    /// A key while something is asked: only `y` agrees, and Enter ends a text.
    fn answered(&mut self, at: usize, mut editor: Editor, key: KeyEvent) -> Answer {
        let code = self.extras[at].key;
        if let Asks::Yes(_) = self.extras[at].step {
            return match key.code {
                KeyCode::Char('y' | 'Y') if key.modifiers.difference(KeyModifiers::SHIFT).is_empty() => {
                    Answer::Extra(code, String::new())
                }
                _ => Answer::Nothing,
            };
        }
        match key.code {
            KeyCode::Esc => Answer::Nothing,
            _ => match editor.key(key) {
                Edited::Entered(text) => Answer::Extra(code, text.trim().to_string()),
                _ => self.ask(at, editor),
            },
        }
    }

    fn moved(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let last = self.shown.len().saturating_sub(1);
        let plain = self.query.is_none();
        self.chosen = match key.code {
            KeyCode::Up => self.chosen.saturating_sub(1),
            KeyCode::Char('p') if control => self.chosen.saturating_sub(1),
            KeyCode::Char('k') if plain => self.chosen.saturating_sub(1),
            KeyCode::Down => (self.chosen + 1).min(last),
            KeyCode::Char('n') if control => (self.chosen + 1).min(last),
            KeyCode::Char('j') if plain => (self.chosen + 1).min(last),
            KeyCode::PageUp => self.chosen.saturating_sub(PAGE),
            KeyCode::PageDown => (self.chosen + PAGE).min(last),
            KeyCode::Home => 0,
            KeyCode::End => last,
            _ => return self.typed(key),
        };
    }

    fn typed(&mut self, key: KeyEvent) {
        let Some(query) = &mut self.query else { return };
        let before = query.view(usize::MAX).0;
        query.key(key);
        if query.view(usize::MAX).0 != before {
            self.search(0);
        }
    }

    /// Finds the rows that match, and goes to one of them.
    fn search(&mut self, chosen: usize) {
        let query = self.query.as_ref().map(|it| it.view(usize::MAX).0).unwrap_or_default();
        let text = |row: &Row| {
            let cells = row.cells.iter().map(|it| it.0.as_str()).collect::<Vec<_>>().join(" ");
            format!("{} {cells} {}", row.title, row.also)
        };
        let texts: Vec<String> = self.rows.iter().map(text).collect();
        self.shown = found(query.trim(), &texts);
        self.chosen = chosen.min(self.shown.len().saturating_sub(1));
    }
}

/// The texts in which every word occurs, in their order; where there are none, those that are like it, best first.
fn found(query: &str, texts: &[String]) -> Vec<usize> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let has = |text: &String| {
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    };
    let exact: Vec<usize> = (0..texts.len()).filter(|at| has(&texts[*at])).collect();
    if exact.is_empty() { fuzzy::best(query, texts, texts.len()) } else { exact }
}

#[cfg(test)]
mod tests;
