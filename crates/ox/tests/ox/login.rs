//! `ox login`: a key that is kept, proved, used and forgotten, and never shown.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use ox_scenario::wire::KEY;

use crate::place::{Place, Ran};
use crate::provider::{Format, Provider};
use crate::terminal::Terminal;

fn login(place: &Place, provider: &Provider, args: &[&str], key: &str) -> Ran {
    let mut command = place.command(&[&["login"], args].concat());
    command.env("OPENAI_BASE_URL", format!("{}/v1", provider.address));
    place.feed(command, key)
}

fn kept(place: &Place) -> String {
    fs::read_to_string(place.home("state/keys.json")).unwrap_or_default()
}

#[test]
fn a_key_is_proved_kept_used_and_forgotten() {
    let place = Place::new();
    let provider = Provider::new(Format::OpenAi, "-- model --\nOK\n-- model --\n@list_files\n-- model --\nHello.\n");
    let ran = login(&place, &provider, &["openai", "--model", "openai/mock-model"], &format!("{KEY}\n"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    assert!(ran.err.contains("The key for openai is stored in /home/state/keys.json"), "{}", ran.err);
    let mode = fs::metadata(place.home("state/keys.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The server takes no other key, and there is none in the environment.
    let mut command = place.command(&["run", "--mode", "chat", "--model", "openai/mock-model", "hi"]);
    command.env("OPENAI_BASE_URL", format!("{}/v1", provider.address));
    let ran = place.finish(command);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Hello.\n"), "{}", ran.err);
    provider.is_content();
    let all = [place.ox(&["login", "--list"]), place.ox(&["models"]), place.ox(&["doctor"])];
    assert!(all[0].out.contains("openai"), "{}", all[0].err);
    assert!(all[1].out.contains("key stored (ox login)"), "{}", all[1].out);
    assert!(all[2].out.contains("openai (ox login)"), "{}", all[2].out);
    assert!(all.iter().all(|it| !it.out.contains(KEY) && !it.err.contains(KEY)));
    assert_eq!(place.ox(&["login", "openai", "--remove"]).code, Some(0));
    assert!(!kept(&place).contains(KEY));
    assert_eq!(place.ox(&["login", "openai", "--remove"]).code, Some(1));
}

#[test]
fn a_key_that_is_rejected_or_cannot_be_tested_is_not_kept() {
    let place = Place::new();
    let provider = Provider::new(Format::OpenAi, &format!("-- model: fail 401 Incorrect API key provided: {KEY} --\n"));
    let ran = login(&place, &provider, &["openai", "--model", "openai/mock-model"], KEY);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("openai rejected the key; it was not stored: "), "{}", ran.err);
    assert!(!ran.err.contains(KEY) && kept(&place).is_empty());
    let provider = Provider::new(Format::OpenAi, "-- model: fail 429 You exceeded your current quota --\n");
    let ran = login(&place, &provider, &["openai", "--model", "openai/mock-model"], KEY);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("accepts the key, but something else failed"), "{}", ran.err);
    let mut nobody = provider;
    nobody.address = "http://127.0.0.1:1".into();
    fs::write(place.home("config.toml"), "[providers.groq]\nbase_url = \"http://127.0.0.1:1/v1\"\n").unwrap();
    let ran = login(&place, &nobody, &["groq"], "key-of-groq-1234");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("Could not test") && !kept(&place).contains("groq"), "{}", ran.err);
    let ran = login(&place, &nobody, &["openai", "--model", "openai/x"], "other-key-1234");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("Could not test the key") && !kept(&place).contains("other-key"), "{}", ran.err);
    let ran = login(&place, &nobody, &["openai", "--no-test"], "other-key-1234");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(kept(&place).contains("other-key-1234"));
}

#[test]
fn mistakes_are_named() {
    let place = Place::new();
    let says = |args: &[&str], input: &str| {
        let ran = place.feed(place.command(args), input);
        ran.refusal(2).to_string()
    };
    assert!(says(&["login"], "").contains("ox login <provider>. Known providers: anthropic, openai"));
    assert!(says(&["login", "openia", "--no-test"], "x").contains("Unknown provider `openia`"));
    for key in ["two words", "two\nlines", " \n"] {
        assert!(says(&["login", "openai", "--no-test"], key).contains("This is not a key."), "{key}");
    }
    // A key among the arguments would be seen by `ps`; nothing takes one.
    assert_eq!(place.ox(&["login", "openai", "a-key"]).code, Some(2));
}

#[test]
fn nobody_sees_what_is_typed_and_ctrl_c_leaves_the_terminal_as_it_was() {
    let place = Place::new();
    let mut terminal = Terminal::open(&place, &["login", "--no-test"], &[]);
    terminal.shows("Whose key is it?");
    terminal.types("1");
    terminal.shows("Key for anthropic (not shown): ");
    terminal.types("typed-by-hanf\u{7f}d-123\r");
    terminal.shows("The key for anthropic is stored");
    let all = terminal.ends(0);
    assert!(!all.contains("typed-by"), "{all}");
    assert!(kept(&place).contains("typed-by-hand-123"));
    let mut terminal = Terminal::open(&place, &["login", "openai", "--no-test"], &[]);
    terminal.shows("not shown");
    terminal.types("half\u{3}");
    terminal.ends(130);
    assert!(!kept(&place).contains("half"));
}

#[test]
fn keys_that_others_may_read_are_not_used() {
    let place = Place::new();
    let ran = place.feed(place.command(&["login", "openai", "--no-test"]), "key-of-a-test-1");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    fs::set_permissions(place.home("state/keys.json"), fs::Permissions::from_mode(0o644)).unwrap();
    let ran = place.ox(&["run", "--model", "openai/x", "hi"]);
    assert_eq!(ran.code, Some(41));
    assert!(ran.err.contains("Other users can read or write the stored keys in /home/state/keys.json"), "{}", ran.err);
    let doctor = place.ox(&["doctor"]);
    assert!(doctor.code == Some(1) && doctor.out.contains("Run `chmod 600` on it"), "{}", doctor.out);
}
