//! A conversation without the secrets in it. All of it comes from files, so all of it is looked at.

use serde_json::Value;

use crate::{Foreign, What};

/// Takes the secrets out of everything that was said, called and answered; `clean` finds them in one text.
pub fn without_secrets(foreign: &mut Foreign, clean: &dyn Fn(String) -> String) {
    let swap = |text: &mut String| *text = clean(std::mem::take(text));
    foreign.title.iter_mut().for_each(swap);
    for item in &mut foreign.items {
        match &mut item.what {
            What::Prompt { text, .. } | What::Steer { text } | What::Result { text, .. } => swap(text),
            What::Compacted { digest } => swap(digest),
            What::Reply { text, reasoning, calls, .. } => {
                swap(text);
                reasoning.iter_mut().for_each(swap);
                calls.iter_mut().for_each(|it| within(&mut it.args, clean));
            }
            What::Interrupted | What::Rewound { .. } => {}
        }
    }
}

fn within(value: &mut Value, clean: &dyn Fn(String) -> String) {
    match value {
        Value::String(text) => *text = clean(std::mem::take(text)),
        Value::Array(all) => all.iter_mut().for_each(|it| within(it, clean)),
        Value::Object(all) => {
            for (key, it) in all.iter_mut() {
                match it {
                    Value::String(text) => *text = named(key, text, clean),
                    other => within(other, clean),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A text without secrets, also those that only its name gives away.
fn named(key: &str, text: &str, clean: &dyn Fn(String) -> String) -> String {
    let own = clean(text.to_owned());
    let (before, whole) = (format!("{key}: "), format!("{key}: {text}"));
    let said = clean(whole.clone());
    match own == text && said != whole {
        true => said.strip_prefix(&before).map(str::to_owned).unwrap_or(said),
        false => own,
    }
}
