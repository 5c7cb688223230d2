//! The page of configuration keys, written from the table that the files, the environment and the flags are read by.

use ox_protocol::locale::Language;

/// The page.
pub fn page() -> String {
    format!(
        "# Configuration keys\n\n<!-- Written by `cargo xtask generate` from the table of keys; edit the catalogue instead. -->\n\n\
         How the layers are combined: [configuration](../configuration.md).\n\n{}",
        ox_config::reference(Language::En)
    )
}
