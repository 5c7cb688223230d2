//! How roles look. `dark` and `light` name their colours from the 256 that terminals share; `16` keeps to the terminal's own
//! palette, and so to the user's scheme.
//!
//! Promise: nothing else writes an escape into a line: colours, and links that were checked when they were made.

use ox_syntax::Class;

use super::{Ground, Line, Role, Span};

/// A colour theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// No escapes at all.
    None,
    /// Bold, dim and underlined, but no colour.
    Mono,
    /// For dark backgrounds.
    #[default]
    Dark,
    /// For light backgrounds.
    Light,
    /// The sixteen colours of the terminal's palette.
    Palette,
}

/// The theme for `setting` (`auto`, `dark`, `light`, `16`, `none`; anything else counts as `auto`); see [`detect_on`].
pub fn detect(setting: &str, env: impl Fn(&str) -> Option<String>) -> Theme {
    detect_on(None, setting, env)
}

/// The theme for `setting` on a terminal that said what its background is, or did not.
///
/// `env` looks up environment variables. A dumb terminal gets no escapes whatever the setting; NO_COLOR (any value but the
/// empty one) takes the colours away and nothing else. `auto` believes the terminal, then COLORFGBG, and takes dark
/// otherwise; a terminal that names no more than sixteen colours gets those.
pub fn detect_on(background: Option<Theme>, setting: &str, env: impl Fn(&str) -> Option<String>) -> Theme {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    let term = set("TERM").unwrap_or_default();
    if term == "dumb" || setting == "none" {
        return Theme::None;
    }
    if set("NO_COLOR").is_some() {
        return Theme::Mono;
    }
    match setting {
        "dark" => Theme::Dark,
        "light" => Theme::Light,
        "16" => Theme::Palette,
        _ if POOR.contains(&term.as_str()) && set("COLORTERM").is_none() => Theme::Palette,
        _ => background.unwrap_or_else(|| {
            let said = set("COLORFGBG").and_then(|it| it.rsplit(';').next().and_then(|it| it.parse::<u8>().ok()));
            if matches!(said, Some(7 | 15)) { Theme::Light } else { Theme::Dark }
        }),
    }
}

/// Terminals whose names promise sixteen colours at most.
const POOR: [&str; 6] = ["linux", "ansi", "vt100", "vt220", "cons25", "cygwin"];

/// The theme for the background that a terminal names when it is asked by `OSC 11`, as in `rgb:1e1e/1e1e/1e1e`.
pub fn background_of(reply: &str) -> Option<Theme> {
    let numbers = reply.split_once("rgb:").or_else(|| reply.split_once("rgba:"))?.1;
    let mut parts = numbers.split('/').map(|it| {
        let digits: String = it.chars().take_while(char::is_ascii_hexdigit).take(4).collect();
        let most = 16_f32.powi(i32::try_from(digits.len()).ok()?) - 1.0;
        u16::from_str_radix(&digits, 16).ok().map(|value| f32::from(value) / most)
    });
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    // How bright it seems (ITU-R BT.709); the middle between black and white.
    let bright = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    Some(if bright > 0.5 { Theme::Light } else { Theme::Dark })
}

/// True for a terminal that is known to follow links in a text (`OSC 8`). FORCE_HYPERLINK, which others obey too, decides
/// where it is set: `0` for no.
pub fn hyperlinks(env: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    let term = set("TERM").unwrap_or_default();
    if term.is_empty() || term == "dumb" {
        return false;
    }
    if let Some(forced) = set("FORCE_HYPERLINK") {
        return forced != "0";
    }
    let program = set("TERM_PROGRAM").unwrap_or_default();
    // Multiplexers name themselves and pass links on in their own ways.
    if term.starts_with("screen") || term.starts_with("tmux") || program == "tmux" {
        return false;
    }
    let known = ["kitty", "alacritty", "foot", "ghostty", "wezterm", "contour"];
    let programs = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "WarpTerminal", "zed"];
    let vte = set("VTE_VERSION").and_then(|it| it.parse::<u32>().ok());
    known.iter().any(|it| term.contains(it))
        || programs.contains(&program.as_str())
        || ["WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM"].iter().any(|it| set(it).is_some())
        // Earlier ones fail over some links.
        || vte.is_some_and(|it| it >= 5_000)
}

impl Theme {
    /// The line as text with this theme's escapes, unwrapped.
    pub fn paint(self, line: &Line) -> String {
        let mut out = String::new();
        for span in line.lead.iter().chain(&line.spans) {
            let target = span.target.as_ref().filter(|_| self != Theme::None);
            if let Some(target) = target {
                out += &format!("\u{1b}]8;;{}\u{1b}\\", target.as_str());
            }
            match self.codes(span).as_str() {
                "" => out += &span.text,
                code => out += &format!("\u{1b}[{code}m{}\u{1b}[0m", span.text),
            }
            if target.is_some() {
                out += "\u{1b}]8;;\u{1b}\\";
            }
        }
        out
    }

    /// SGR parameters of a span; empty for none.
    pub fn codes(self, span: &Span) -> String {
        let (role, ground) = (self.code(span.role), self.ground(span.ground));
        // Words on a ground of the palette have its colour; two would be hard to read.
        let role = if self == Theme::Palette && !ground.is_empty() { "" } else { role };
        [role, ground].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(";")
    }

    /// SGR parameters of a role; empty for none.
    fn code(self, role: Role) -> &'static str {
        match (self, role) {
            (Theme::None, _) | (_, Role::Plain) => "",
            (_, Role::Dim) => "2",
            (_, Role::Strong) => "1",
            (_, Role::Emphasis) => "3",
            (_, Role::Heading) => "1;4",
            (Theme::Mono, Role::Link) => "4",
            (Theme::Mono, Role::User | Role::Bad | Role::Warn) => "1",
            (Theme::Mono, Role::Syntax(Class::Comment)) => "2",
            (Theme::Mono, Role::Syntax(Class::Keyword)) => "1",
            (Theme::Mono, _) => "",
            (_, Role::Warn) => "33",
            (_, Role::Good | Role::Added) => "32",
            (_, Role::Hunk) => "35",
            (Theme::Light, Role::Code | Role::Accent) => "34",
            (Theme::Light, Role::Link) => "4;34",
            (Theme::Light, Role::User) => "1;34",
            (Theme::Light, Role::Bad | Role::Removed) => "31",
            (_, Role::Code | Role::Accent) => "36",
            (_, Role::Link) => "4;94",
            (_, Role::User) => "1;96",
            (_, Role::Bad | Role::Removed) => "91",
            (_, Role::Syntax(class)) => self.syntax(class),
        }
    }

    /// SGR parameters of a part of a program, for the themes with colours: dark, light, palette.
    fn syntax(self, class: Class) -> &'static str {
        let [dark, light, palette] = match class {
            Class::Keyword => ["38;5;176", "38;5;91", "35"],
            Class::String => ["38;5;114", "38;5;28", "32"],
            Class::Escape => ["38;5;80", "38;5;30", "36"],
            Class::Comment => ["38;5;246", "38;5;243", "2"],
            Class::Number | Class::Constant => ["38;5;215", "38;5;130", "36"],
            Class::Function => ["38;5;111", "38;5;26", "94"],
            Class::Type => ["38;5;180", "38;5;94", "33"],
            Class::Attribute => ["38;5;109", "38;5;60", "33"],
            Class::Property => ["38;5;152", "38;5;24", ""],
            Class::Tag => ["38;5;168", "38;5;125", "94"],
        };
        match self {
            Theme::None | Theme::Mono => "",
            Theme::Dark => dark,
            Theme::Light => light,
            Theme::Palette => palette,
        }
    }

    /// SGR parameters of what a span lies on.
    fn ground(self, ground: Ground) -> &'static str {
        match (self, ground) {
            (Theme::None, _) | (_, Ground::Plain) => "",
            (Theme::Mono, Ground::AddedPart | Ground::RemovedPart) => "4",
            (Theme::Mono, _) => "",
            (Theme::Dark, Ground::Added) => "48;5;22",
            (Theme::Dark, Ground::AddedPart) => "1;48;5;28",
            (Theme::Dark, Ground::Removed) => "48;5;52",
            (Theme::Dark, Ground::RemovedPart) => "1;48;5;88",
            (Theme::Light, Ground::Added) => "48;5;194",
            (Theme::Light, Ground::AddedPart) => "1;48;5;157",
            (Theme::Light, Ground::Removed) => "48;5;224",
            (Theme::Light, Ground::RemovedPart) => "1;48;5;217",
            (Theme::Palette, Ground::Added) => "32",
            (Theme::Palette, Ground::AddedPart) => "32;7",
            (Theme::Palette, Ground::Removed) => "31",
            (Theme::Palette, Ground::RemovedPart) => "31;7",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    type Vars<'a> = &'a [(&'a str, &'a str)];

    fn env<'a>(vars: Vars<'a>) -> impl Fn(&str) -> Option<String> + 'a {
        |name| vars.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_string())
    }

    #[test]
    fn detection() {
        let cases: [(&str, Vars<'_>, Theme); 12] = [
            ("auto", &[], Theme::Dark),
            ("auto", &[("COLORFGBG", "0;15")], Theme::Light),
            ("auto", &[("COLORFGBG", "15;default;0")], Theme::Dark),
            ("auto", &[("TERM", "linux")], Theme::Palette),
            ("auto", &[("TERM", "linux"), ("COLORTERM", "truecolor")], Theme::Dark),
            ("light", &[("TERM", "xterm")], Theme::Light),
            ("16", &[("TERM", "xterm")], Theme::Palette),
            ("none", &[], Theme::None),
            ("dark", &[("NO_COLOR", "1")], Theme::Mono),
            ("dark", &[("NO_COLOR", "")], Theme::Dark),
            ("dark", &[("TERM", "dumb")], Theme::None),
            ("auto", &[("TERM", "dumb"), ("NO_COLOR", "1")], Theme::None),
        ];
        for (setting, vars, expected) in cases {
            assert_eq!(detect(setting, env(vars)), expected, "{setting} {vars:?}");
        }
        assert_eq!(detect_on(Some(Theme::Light), "auto", env(&[("COLORFGBG", "15;0")])), Theme::Light);
        assert_eq!(detect_on(Some(Theme::Light), "dark", env(&[])), Theme::Dark);
    }

    #[test]
    fn a_terminals_answer_is_read() {
        let cases = [
            ("\u{1b}]11;rgb:1e1e/1e1e/1e1e\u{1b}\\", Some(Theme::Dark)),
            ("\u{1b}]11;rgb:ffff/ffff/f0f0\u{7}", Some(Theme::Light)),
            ("rgb:fd/f6/e3", Some(Theme::Light)),
            ("rgba:0000/2b2b/3636/ffff", Some(Theme::Dark)),
            ("rgb:zz/00/00", None),
            ("rgb:00/00", None),
            ("", None),
        ];
        for (reply, expected) in cases {
            assert_eq!(background_of(reply), expected, "{reply:?}");
        }
    }

    #[test]
    fn links_are_offered_where_they_are_known_to_work() {
        let cases: [(Vars<'_>, bool); 8] = [
            (&[], false),
            (&[("TERM", "xterm-kitty")], true),
            (&[("TERM", "xterm-256color")], false),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")], true),
            (&[("TERM", "tmux-256color"), ("VTE_VERSION", "7600")], false),
            (&[("TERM", "xterm-kitty"), ("FORCE_HYPERLINK", "0")], false),
            (&[("TERM", "tmux-256color"), ("FORCE_HYPERLINK", "1")], true),
            (&[("TERM", "dumb"), ("FORCE_HYPERLINK", "1")], false),
        ];
        for (vars, expected) in cases {
            assert_eq!(hyperlinks(env(vars)), expected, "{vars:?}");
        }
    }

    #[test]
    fn without_a_theme_there_is_no_escape() {
        let line = Line::of("a\u{1b}[31m", Role::Bad).with("b", Role::Heading);
        let line = line.linked("c", Role::Plain, Target::new("https://ox.dev"));
        assert_eq!(Theme::None.paint(&line), "abc");
        let link = "\u{1b}]8;;https://ox.dev\u{1b}\\c\u{1b}]8;;\u{1b}\\";
        assert_eq!(Theme::Dark.paint(&line), format!("\u{1b}[91ma\u{1b}[0m\u{1b}[1;4mb\u{1b}[0m{link}"));
    }

    #[test]
    fn without_colours_nothing_is_coloured() {
        let roles =
            [Role::Dim, Role::Code, Role::Link, Role::Bad, Role::Added, Role::Syntax(Class::Keyword), Role::Hunk];
        let grounds = [Ground::Plain, Ground::Added, Ground::AddedPart, Ground::RemovedPart];
        for (role, ground) in roles.into_iter().flat_map(|role| grounds.map(|ground| (role, ground))) {
            let codes = Theme::Mono.codes(&Span { ground, ..Span::new("x", role) });
            assert!(codes.split(';').all(|it| ["", "1", "2", "3", "4"].contains(&it)), "{role:?}: {codes}");
        }
    }

    #[test]
    fn only_addresses_that_may_be_followed_are_targets() {
        let cases = [
            ("https://ox.dev/a b", Some("https://ox.dev/a%20b")),
            ("HTTP://x", Some("HTTP://x")),
            ("mailto:a@b.example", Some("mailto:a@b.example")),
            ("https://x.example/中", Some("https://x.example/%E4%B8%AD")),
            ("https://x\u{1b}]8;;evil", None),
            ("javascript:alert(1)", None),
            ("data:text/html,x", None),
            ("", None),
        ];
        for (address, expected) in cases {
            assert_eq!(Target::new(address).as_ref().map(Target::as_str), expected, "{address}");
        }
        let file = |root: &str, path: &str| Target::file(root, path).map(|it| it.as_str().to_string());
        assert_eq!(file("/p", "a b.rs").as_deref(), Some("file:///p/a%20b.rs"));
        assert_eq!(file("", "/a.rs").as_deref(), Some("file:///a.rs"));
        assert_eq!(file("", "a.rs"), None);
        assert_eq!(file("relative", "a.rs"), None);
    }
}
