//! What keys do in the full screen. Those that edit text too belong to it while anything is typed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::pane::{Open, Pane};
use super::scroll::Scroll;
use super::search::Search;
use super::state::FullScreen;
use crate::composer::Action;
use crate::screen::Screen;

/// Rows that stay in view when a page is turned.
const KEPT: usize = 2;

impl FullScreen {
    /// Takes a key; false where it means nothing here.
    pub fn key(&mut self, key: KeyEvent, screen: &Screen) -> bool {
        self.note = None;
        if key.code == KeyCode::Esc && self.selection.take().is_some() {
            return true;
        }
        let is_ctrl_c = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
        if self.search.is_some() {
            if is_ctrl_c {
                self.search = None;
                return true;
            }
            if self.searching(key, screen) {
                return true;
            }
        }
        self.selection = None;
        if screen.consents(key) && !self.sees_question() {
            self.shows_first(screen);
            return true;
        }
        let is_idle = screen.composer.is_empty() && screen.asked().is_none() && screen.view.retry.is_none();
        if key.code == KeyCode::Enter && key.modifiers.is_empty() && is_idle && self.scroll != Scroll::End {
            self.to_end();
            return true;
        }
        if key.code == KeyCode::Esc && self.areas.pane.width > 0 && self.areas.text.height == 0 {
            self.pane = None;
            return true;
        }
        let keymap = screen.composer.keymap();
        let shared = keymap.actions(key).next().is_some_and(|it| !is_ours(it));
        let is_free = screen.composer.is_empty() && !screen.is_asked();
        let Some(action) = keymap.actions(key).find(|it| is_ours(*it)) else { return false };
        if shared && !is_free && action != Action::Expand {
            return false;
        }
        self.does(action);
        true
    }

    fn does(&mut self, action: Action) {
        let height = self.height();
        let page = isize::try_from(height.saturating_sub(KEPT).max(1)).unwrap_or(1);
        let over = self.areas.text.height == 0 && self.pane.is_some();
        match action {
            Action::PageUp if over => self.pane_go(-page),
            Action::PageDown if over => self.pane_go(page),
            Action::PageUp => self.go(-page),
            Action::PageDown => self.go(page),
            Action::ScrollUp => self.go(-1),
            Action::ScrollDown => self.go(1),
            Action::ScrollTop => {
                self.scroll = Scroll::At(0, 0);
                self.scroll.visible(&mut self.transcript, height);
            }
            Action::ScrollEnd => self.scroll = Scroll::End,
            Action::PromptBefore | Action::PromptAfter => self.prompt(action == Action::PromptAfter),
            Action::Find => self.search = Some(Search::default()),
            Action::Pane => self.show_pane(Pane::next(self.pane.as_ref().map(|it| it.pane))),
            Action::PaneUp => self.pane_go(-page),
            Action::PaneDown => self.pane_go(page),
            Action::Expand => self.scroll.keep(&mut self.transcript, height, |it| it.toggle_all()),
            _ => {}
        }
    }

    pub(super) fn go(&mut self, rows: isize) {
        let height = self.height();
        self.scroll.go(&mut self.transcript, height, rows);
    }

    pub(super) fn pane_go(&mut self, rows: isize) {
        if let Some(pane) = &mut self.pane {
            pane.top = pane.top.saturating_add_signed(rows);
        }
    }

    pub(super) fn show_pane(&mut self, pane: Option<Pane>) {
        self.pane = pane.map(Open::new);
    }

    /// To what the user said before or after the top of the view.
    fn prompt(&mut self, forward: bool) {
        let height = self.height();
        let top = self.scroll.visible(&mut self.transcript, height).first().copied();
        let Some((entry, _)) = top else { return };
        match self.transcript.user(entry, forward) {
            Some(entry) => {
                self.scroll = Scroll::At(entry, 0);
                self.scroll.visible(&mut self.transcript, height);
            }
            None if forward => self.scroll = Scroll::End,
            None => {}
        }
    }

    /// A key while something is searched for; false where it goes on to others.
    fn searching(&mut self, key: KeyEvent, screen: &Screen) -> bool {
        let height = self.height();
        let bottom = self.areas.seen.last().map_or(usize::MAX, |it| it.0);
        let FullScreen { search: Some(search), transcript, scroll, .. } = self else { return false };
        match key.code {
            KeyCode::Esc => {
                self.search = None;
                return true;
            }
            _ if screen.composer.keymap().is(key, Action::Find) => search.go(false),
            KeyCode::Enter if key.modifiers.contains(KeyModifiers::SHIFT) => search.go(true),
            KeyCode::Up | KeyCode::Enter => search.go(false),
            KeyCode::Down => search.go(true),
            KeyCode::Backspace => {
                search.query.pop();
                search.find(transcript, bottom);
            }
            KeyCode::Char('u') if key.modifiers == KeyModifiers::CONTROL => {
                search.query.clear();
                search.find(transcript, bottom);
            }
            KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
                search.query.push(c);
                search.find(transcript, bottom);
            }
            _ => return false,
        }
        if let Some(it) = search.current() {
            scroll.show(transcript, height, (it.entry, it.line, it.from));
        }
        true
    }

    /// Text pasted into the search; false where none is open.
    pub fn paste(&mut self, text: &str) -> bool {
        let bottom = self.areas.seen.last().map_or(usize::MAX, |it| it.0);
        let Some(search) = &mut self.search else { return false };
        search.query.push_str(text.lines().next().unwrap_or_default());
        search.find(&mut self.transcript, bottom);
        true
    }
}

fn is_ours(action: Action) -> bool {
    matches!(
        action,
        Action::PageUp
            | Action::PageDown
            | Action::ScrollUp
            | Action::ScrollDown
            | Action::ScrollTop
            | Action::ScrollEnd
            | Action::PromptBefore
            | Action::PromptAfter
            | Action::Find
            | Action::Pane
            | Action::PaneUp
            | Action::PaneDown
            | Action::Expand
    )
}
