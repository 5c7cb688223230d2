//! The page of limits: every number at which a turn ends, with its default, read from the type itself.

use std::fmt::Write;

use ox_protocol::Limits;

use crate::schema::{definition, fields};

/// The page.
pub fn page() -> String {
    let defaults = serde_json::to_value(Limits::default()).expect("limits are plain data");
    let mut page = String::from(
        "# Limits\n\n<!-- Written by `cargo xtask generate` from the types; edit their documentation instead. -->\n\n\
         What one turn may use at most. Those that the configuration can set stand under `limits` in\n\
         [configuration keys](configuration.md).\n\n| limit | default | meaning |\n|---|---:|---|\n",
    );
    for field in fields(&definition("Limits"), "") {
        let default = defaults.get(&field.name).map_or_else(|| "none".to_owned(), ToString::to_string);
        let _ = writeln!(page, "| `{}` | {default} | {} |", field.name, field.words);
    }
    page
}
