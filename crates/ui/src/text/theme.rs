//! How roles look. The sixteen colours of the terminal's own palette are used, so that the user's scheme is kept.

use super::{Line, Role};

/// A colour theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// No escapes at all.
    None,
    /// For dark backgrounds.
    #[default]
    Dark,
    /// For light backgrounds.
    Light,
}

/// The theme for `setting` (`auto`, `dark`, `light`, `none`; anything else counts as `auto`).
///
/// `env` looks up environment variables: NO_COLOR (any value but the empty one) and a dumb terminal win over the
/// setting; `auto` reads the background from COLORFGBG where the terminal sets it and takes dark otherwise.
pub fn detect(setting: &str, env: impl Fn(&str) -> Option<String>) -> Theme {
    let set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    if set("NO_COLOR") || env("TERM").is_some_and(|term| term == "dumb") {
        return Theme::None;
    }
    match setting {
        "none" => Theme::None,
        "dark" => Theme::Dark,
        "light" => Theme::Light,
        _ => {
            let background = env("COLORFGBG").and_then(|it| it.rsplit(';').next().and_then(|it| it.parse::<u8>().ok()));
            if matches!(background, Some(7 | 15)) { Theme::Light } else { Theme::Dark }
        }
    }
}

impl Theme {
    /// The line as text with this theme's escapes, unwrapped.
    pub fn paint(self, line: &Line) -> String {
        let mut out = String::new();
        for span in line.lead.iter().chain(&line.spans) {
            match self.code(span.role) {
                "" => out += &span.text,
                code => out += &format!("\u{1b}[{code}m{}\u{1b}[0m", span.text),
            }
        }
        out
    }

    /// SGR parameters of a role; empty for none.
    fn code(self, role: Role) -> &'static str {
        match (self, role) {
            (Theme::None, _) | (_, Role::Plain) => "",
            (_, Role::Dim) => "2",
            (_, Role::Strong) => "1",
            (_, Role::Emphasis) => "3",
            (_, Role::Heading) => "1;4",
            (_, Role::Warn) => "33",
            (Theme::Dark, Role::Code | Role::Accent) => "36",
            (Theme::Dark, Role::Link) => "4;94",
            (Theme::Dark, Role::User) => "1;96",
            (Theme::Dark, Role::Good | Role::Added) => "32",
            (Theme::Dark, Role::Bad | Role::Removed) => "91",
            (Theme::Dark, Role::Hunk) => "35",
            (Theme::Light, Role::Code | Role::Accent) => "34",
            (Theme::Light, Role::Link) => "4;34",
            (Theme::Light, Role::User) => "1;34",
            (Theme::Light, Role::Good | Role::Added) => "32",
            (Theme::Light, Role::Bad | Role::Removed) => "31",
            (Theme::Light, Role::Hunk) => "35",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detection() {
        let theme = |setting: &str, vars: &[(&str, &str)]| {
            detect(setting, |name| vars.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_string()))
        };
        assert_eq!(theme("auto", &[]), Theme::Dark);
        assert_eq!(theme("auto", &[("COLORFGBG", "0;15")]), Theme::Light);
        assert_eq!(theme("auto", &[("COLORFGBG", "15;default;0")]), Theme::Dark);
        assert_eq!(theme("light", &[("TERM", "xterm")]), Theme::Light);
        assert_eq!(theme("dark", &[("NO_COLOR", "1")]), Theme::None);
        assert_eq!(theme("dark", &[("NO_COLOR", "")]), Theme::Dark);
        assert_eq!(theme("auto", &[("TERM", "dumb")]), Theme::None);
    }

    #[test]
    fn without_a_theme_there_is_no_escape() {
        let line = Line::of("a\u{1b}[31m", Role::Bad).with("b", Role::Heading);
        assert_eq!(Theme::None.paint(&line), "ab");
        assert_eq!(Theme::Dark.paint(&line), "\u{1b}[91ma\u{1b}[0m\u{1b}[1;4mb\u{1b}[0m");
    }
}
