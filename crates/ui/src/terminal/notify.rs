//! The terminal's title, and notifications of the desktop through the terminal.

use ox_client::view::View;

use crate::report::Look;
use crate::text::clean;

/// Escapes that make the terminal notify its user, or only ring where it knows none.
pub(super) fn notification(title: &str, body: &str, env: impl Fn(&str) -> Option<String>) -> String {
    let safe = |text: &str| clean(text).replace(['\n', ';'], " ");
    // VTE and rxvt know 777, the others that know any know 9.
    let is_777 = env("VTE_VERSION").is_some() || env("TERM").is_some_and(|it| it.starts_with("rxvt"));
    let escape = match is_777 {
        true => format!("\u{1b}]777;notify;{};{}\u{7}", safe(title), safe(body)),
        false => format!("\u{1b}]9;{}: {}\u{7}", safe(title), safe(body)),
    };
    // tmux hands on what is wrapped, with each escape doubled.
    let escape = match env("TMUX") {
        Some(_) => format!("\u{1b}Ptmux;{}\u{1b}\\", escape.replace('\u{1b}', "\u{1b}\u{1b}")),
        None => escape,
    };
    format!("{escape}\u{7}")
}

/// The title of the terminal's window: what the conversation does, and where.
pub(super) fn title(look: &Look, view: &View, root: &str) -> String {
    let name = root.rsplit('/').next().unwrap_or(root);
    let about = view.name.as_deref().unwrap_or(name);
    let state = match (view.asked.is_empty(), view.busy) {
        (false, _) => "? ",
        (true, true) => "● ",
        (true, false) => "",
    };
    format!("\u{1b}]2;{state}{}\u{7}", clean(&look.say("title", &[("about", about)])).replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terminal_decides_the_escape() {
        let with = |name: &'static str| move |it: &str| (it == name).then(|| "1".to_string());
        assert_eq!(notification("Ox", "two\nlines;", |_| None), "\u{1b}]9;Ox: two lines \u{7}\u{7}");
        assert_eq!(notification("Ox", "a;b", with("VTE_VERSION")), "\u{1b}]777;notify;Ox;a b\u{7}\u{7}");
        assert_eq!(notification("Ox", "done", with("TMUX")), "\u{1b}Ptmux;\u{1b}\u{1b}]9;Ox: done\u{7}\u{1b}\\\u{7}");
    }
}
