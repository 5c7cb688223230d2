//! The budgets that belong to a preset, as a table; which models it means is for the catalogue of models to say.
//!
//! A preset only fills in what nobody set: it lies directly above the defaults, so that every layer wins over it.

use super::layer::Setting;
use super::merge;
use super::origin::Origin;
use crate::keys::table;

/// Each preset with the keys that it sets and their values as they would be written.
const PRESETS: &[(&str, &[(&str, &str)])] = &[
    (
        "lite",
        &[
            ("limits.max_iterations", "50"),
            ("limits.check_rounds", "3"),
            ("limits.stop_hook_retries", "3"),
            ("limits.memory_tasks", "5"),
        ],
    ),
    ("pro", &[("limits.max_iterations", "200"), ("limits.check_rounds", "8"), ("context.keep_iterations", "4")]),
];

/// The values of the preset that the strongest of these layers names; empty where none names one.
pub fn budgets(layers: &[&[Setting]]) -> merge::Values {
    let chosen = layers.iter().rev().flat_map(|it| it.iter()).find(|it| it.key.name == "preset");
    let name = chosen.and_then(|it| it.value.as_str()).unwrap_or_default();
    let Some((name, rows)) = PRESETS.iter().find(|(it, _)| *it == name) else { return merge::Values::new() };
    let row = |(key, text): &(&'static str, &'static str)| {
        let kind = table::at(&key.split('.').map(str::to_string).collect::<Vec<String>>())?.kind;
        Some((key.to_string(), merge::Merged::new(key, kind.parse(text)?, Origin::Preset { name })))
    };
    rows.iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::kind::Kind;
    use crate::keys::table::KEYS;

    #[test]
    fn each_preset_that_can_be_chosen_has_budgets_and_each_row_counts() {
        let key = KEYS.iter().find(|it| it.name == "preset").unwrap();
        let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
        assert_eq!(key.kind, Kind::Choice(&["lite", "pro"]));
        assert_eq!(names, ["lite", "pro"]);
        for (name, rows) in PRESETS {
            let value = toml::Value::String(name.to_string());
            let setting = Setting { key, path: vec!["preset".to_string()], value, origin: Origin::Default };
            assert_eq!(budgets(&[&[setting]]).len(), rows.len(), "{name}");
        }
    }
}
