//! Text for the clipboard of the user's own machine, through the terminal.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The escape that has the terminal put `text` into the clipboard. tmux takes it for itself where it is set to, and hands
/// on what is wrapped where that is allowed.
pub(super) fn copied(text: &str, env: impl Fn(&str) -> Option<String>) -> String {
    let escape = format!("\u{1b}]52;c;{}\u{7}", STANDARD.encode(text));
    match env("TMUX") {
        Some(_) => format!("{escape}\u{1b}Ptmux;{}\u{1b}\\", escape.replace('\u{1b}', "\u{1b}\u{1b}")),
        None => escape,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tmux_hands_it_on() {
        let plain = "\u{1b}]52;c;aMOp\u{7}";
        assert_eq!(copied("hé", |_| None), plain);
        let wrapped = format!("{plain}\u{1b}Ptmux;\u{1b}{plain}\u{1b}\\");
        assert_eq!(copied("hé", |name| (name == "TMUX").then(String::new)), wrapped);
    }
}
