//! Short names of models, as data in `catalogue/aliases.txt`, and the name that was probably meant.
//!
//! Nothing is opened here.

use super::models::catalogue;
use super::providers::PROVIDERS;

const TABLE: &str = include_str!("aliases.txt");

/// A short name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// What is written.
    pub name: &'static str,
    /// The models that it stands for, as `provider/model`, the preferred one first.
    pub models: Vec<&'static str>,
}

/// All of them, in the order of the table.
pub fn aliases() -> impl Iterator<Item = Alias> {
    let rows = TABLE.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
    rows.filter_map(|line| {
        let mut words = line.split_whitespace();
        Some(Alias { name: words.next()?, models: words.collect() })
    })
}

/// The known name that is written most like `name`; none where none is much like it.
pub(crate) fn nearest(name: &str) -> Option<String> {
    let favourites = PROVIDERS.iter().filter(|it| !it.favourite.is_empty());
    let favourites = favourites.map(|it| format!("{}/{}", it.name, it.favourite));
    let named =
        aliases().flat_map(|it| std::iter::once(it.name.to_owned()).chain(it.models.into_iter().map(str::to_owned)));
    let begins = catalogue().iter().map(|it| it.begins.to_owned());
    let written = name.to_lowercase();
    let alone = |it: &str| it.rsplit('/').next().unwrap_or(it).to_owned();
    let far = |it: &str| {
        let whole = strsim::osa_distance(&written, it);
        if written.contains('/') { whole } else { whole.min(strsim::osa_distance(&written, &alone(it))) }
    };
    let (far, near) = named.chain(favourites).chain(begins).map(|it| (far(&it), it)).min()?;
    // A third of the letters may be other ones; of a short name one.
    (far <= (written.chars().count() / 3).max(1)).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::open::{Choice, check_name};

    #[test]
    fn every_alias_leads_to_models_that_are_known() {
        let all: Vec<Alias> = aliases().collect();
        assert!(all.len() > 8);
        for alias in &all {
            assert!(!alias.models.is_empty() && !alias.name.contains('/'), "{}", alias.name);
            for model in &alias.models {
                assert!(check_name(&Choice::default(), model).is_ok(), "{model}");
                assert!(crate::known(model).is_some(), "{model} is not in the catalogue");
            }
        }
    }

    #[test]
    fn a_slip_of_the_pen_is_understood() {
        for (written, near) in [("sonet", Some("sonnet")), ("opuss", Some("opus")), ("xyzzy-9", None)] {
            assert_eq!(nearest(written).as_deref(), near, "{written}");
        }
    }
}
