//! How many columns the terminal gives to characters of ambiguous width (Unicode Standard Annex 11).

use std::io::{Write as _, stdout};

use crossterm::cursor;

use super::raw::Raw;

/// True where they take two columns. `setting`: `narrow`, `wide`, or `auto`; then a terminal of an East Asian locale is
/// asked where its cursor stands behind one, and all others are taken for narrow. `env` looks up environment variables.
/// Nobody may be reading the keyboard.
pub(super) fn is_wide(setting: &str, env: impl Fn(&str) -> Option<String>) -> bool {
    match setting {
        "wide" => true,
        "auto" if is_east_asian(env) => measured().is_ok_and(|column| column == 2),
        _ => false,
    }
}

fn is_east_asian(env: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|it| env(it).filter(|it| !it.is_empty()));
    locale.is_some_and(|it| ["zh", "ja", "ko"].iter().any(|language| it.starts_with(language)))
}

/// The column behind a middle dot at the beginning of the line, which is erased again.
fn measured() -> std::io::Result<u16> {
    let _raw = Raw::enter(true, false)?;
    let mut out = stdout();
    out.write_all("\r·".as_bytes())?;
    out.flush()?;
    let place = cursor::position();
    out.write_all(b"\r\x1b[K")?;
    out.flush()?;
    Ok(place?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_of_an_east_asian_locale_is_asked() {
        let with = |name: &'static str, value: &'static str| move |it: &str| (it == name).then(|| value.to_string());
        assert!(is_wide("wide", |_| None));
        assert!(!is_wide("narrow", with("LANG", "zh_CN.UTF-8")));
        assert!(!is_wide("auto", with("LANG", "en_US.UTF-8")));
        assert!(is_east_asian(with("LANG", "ja_JP.UTF-8")) && is_east_asian(with("LC_ALL", "ko_KR")));
        let both = |it: &str| Some(if it == "LC_ALL" { "C" } else { "zh_CN" }.to_string());
        assert!(!is_east_asian(both));
    }
}
