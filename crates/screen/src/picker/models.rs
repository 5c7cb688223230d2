//! The models to choose from: those that can be asked first, each with its window and its price.

use ox_app::project::catalogue::Offered;
use ox_protocol::Money;

use super::{Of, Picker, Row};
use crate::report::Look;
use crate::text::Role;
use crate::words;

/// The list; `current`: the model that is asked now.
pub fn picker(look: &Look, all: &[Offered], current: &str) -> Picker {
    let rows = all.iter().map(|it| row(look, it, current)).collect();
    let say = |key: &str| look.say(key, &[]);
    Picker::new(Of::Models, say("picker.models.title"), say("picker.models.enter")).with_rows(rows, String::new())
}

fn row(look: &Look, it: &Offered, current: &str) -> Row {
    let price = |price: Option<Money>| price.map_or("?".to_string(), words::money);
    let prices = match (it.input_price, it.output_price) {
        (None, None) => String::new(),
        (input, output) => format!("{} / {}", price(input), price(output)),
    };
    let mark = match (&it.lacks, it.default) {
        (Some(_), _) => look.say("picker.models.no_key", &[]),
        (None, true) => look.say("picker.models.default", &[]),
        (None, false) => String::new(),
    };
    Row {
        id: it.name.clone(),
        cells: vec![
            (it.name.clone(), Role::Plain),
            (it.alias.clone().unwrap_or_default(), Role::Accent),
            (it.window.map(words::tokens).unwrap_or_default(), Role::Dim),
            (prices, Role::Dim),
        ],
        title: mark,
        also: it.lacks.clone().unwrap_or_default(),
        current: it.name == current,
        dim: it.lacks.is_some(),
    }
}
