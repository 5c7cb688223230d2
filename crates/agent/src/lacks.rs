//! What a model was found to lack, kept for the next runs: no request is spent on the same refusal twice.
//!
//! It belongs to the model at its address, whatever the project. A page that cannot be read or written costs one refused
//! request, and nobody is told.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ox_config::Settings;
use ox_config::state::{private_folder, replace};
use ox_protocol::{Event, Frame};

const PAGE: &str = "models.json";

type Page = BTreeMap<String, BTreeSet<String>>;

/// The downgrades of these models that earlier runs found out.
pub(crate) fn known(state: &Path, settings: &Settings, models: &[&str]) -> Vec<Event> {
    let page = read(state);
    let of = |model: &&str| {
        let found = page.get(&key(settings, model)).cloned().unwrap_or_default();
        let model = (*model).to_string();
        found.into_iter().map(move |what| Event::Downgrade {
            model: model.clone(),
            what,
            reason: "an earlier run found it out".to_string(),
        })
    };
    models.iter().flat_map(of).collect()
}

/// Keeps the downgrades among these events.
pub(crate) fn keep(state: &Path, settings: &Settings, frames: &[Frame]) {
    let found = frames.iter().filter_map(|it| match &it.event {
        Event::Downgrade { model, what, .. } => Some((key(settings, model), what.clone())),
        _ => None,
    });
    let mut page = read(state);
    let before = page.clone();
    for (key, what) in found {
        page.entry(key).or_default().insert(what);
    }
    if page != before
        && private_folder(state).is_ok()
        && let Ok(text) = serde_json::to_string_pretty(&page)
    {
        drop(replace(&state.join(PAGE), &text));
    }
}

fn read(state: &Path) -> Page {
    let text = std::fs::read_to_string(state.join(PAGE)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// A model at its address: another server behind the same name may know more.
fn key(settings: &Settings, model: &str) -> String {
    let provider = model.split('/').next().unwrap_or_default();
    let own = settings.providers.get(provider).and_then(|it| it.base_url.as_deref());
    format!("{model} {}", settings.base_url.as_deref().or(own).unwrap_or_default()).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_lacks_is_known_to_the_next_run_at_the_same_address_alone() {
        let state = tempfile::tempdir().unwrap();
        let mut settings = Settings::default();
        let event = Event::Downgrade { model: "a/b".into(), what: "tool_choice".into(), reason: "no".into() };
        let frame = Frame::new(ox_protocol::Seq(1), ox_protocol::Time(1), event);
        keep(state.path(), &settings, &[frame]);
        let reported = |settings: &Settings, models: &[&str]| {
            let all = known(state.path(), settings, models);
            all.iter().filter(|it| matches!(it, Event::Downgrade { what, .. } if what == "tool_choice")).count()
        };
        assert_eq!((reported(&settings, &["a/b", "a/c"]), reported(&settings, &["a/c"])), (1, 0));
        settings.base_url = Some("http://other".into());
        assert_eq!(reported(&settings, &["a/b"]), 0);
    }
}
