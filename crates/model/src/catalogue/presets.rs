//! What the presets `lite` and `pro` mean at each provider, as data in `catalogue/presets.txt`.
//!
//! A preset never crosses over to another provider: whoever pays the one may have no key for the other.

use ox_protocol::{Preset, RolesLayer};

const TABLE: &str = include_str!("presets.txt");

/// The models of one provider, each as the provider names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Siblings {
    /// The provider.
    pub provider: &'static str,
    /// A small, fast one.
    pub small: Option<&'static str>,
    /// A strong one.
    pub strong: Option<&'static str>,
    /// One that draws.
    pub draws: Option<&'static str>,
}

/// All that is known, in the order of the table.
pub(crate) fn siblings() -> impl Iterator<Item = Siblings> {
    let rows = TABLE.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
    rows.map(|line| {
        let mut words = line.split_whitespace();
        let provider = words.next().unwrap_or_default();
        let mut name = || words.next().filter(|it| *it != "-");
        Siblings { provider, small: name(), strong: name(), draws: name() }
    })
}

fn of(model: &str) -> Option<Siblings> {
    let provider = model.split_once('/')?.0;
    siblings().find(|it| it.provider == provider)
}

/// The models that `preset` gives to the parts of the work beside `main` (`provider/model`); none where the main one does
/// them.
pub fn roles(preset: Preset, main: &str) -> RolesLayer {
    let Some(known) = of(main) else { return RolesLayer::default() };
    let named = |model: Option<&str>| model.map(|it| format!("{}/{it}", known.provider));
    match preset {
        Preset::Lite => {
            let small = named(known.small);
            RolesLayer { router: small.clone(), summary: small, ..RolesLayer::default() }
        }
        Preset::Pro => {
            let strong = named(known.strong);
            RolesLayer { planner: strong.clone(), repair: strong, ..RolesLayer::default() }
        }
    }
}

/// The main model of `preset` where `chosen` is the one that would be taken without it: only `pro` has one of its own.
pub fn main(preset: Preset, chosen: &str) -> Option<String> {
    let known = of(chosen).filter(|_| preset == Preset::Pro)?;
    Some(format!("{}/{}", known.provider, known.strong?))
}

/// The model that draws at the provider of `main`.
pub fn draws(main: &str) -> Option<String> {
    let known = of(main)?;
    Some(format!("{}/{}", known.provider, known.draws?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::models::known;
    use crate::catalogue::providers;

    #[test]
    fn every_row_is_of_a_known_provider_and_names_known_models() {
        assert!(siblings().count() > 5);
        for row in siblings() {
            assert!(providers::find(row.provider).is_some(), "{}", row.provider);
            for model in row.small.iter().chain(&row.strong) {
                assert!(known(model).is_some_and(|it| it.begins.len() > 4), "{model} has no row of its own");
            }
        }
        for line in TABLE.lines().filter(|it| !it.starts_with('#')) {
            assert_eq!(line.split_whitespace().count(), 4, "{line}");
        }
    }

    #[test]
    fn a_small_model_costs_less_than_a_strong_one() {
        for row in siblings() {
            let price = |model: Option<&str>| known(model?)?.input_price;
            let (Some(small), Some(strong)) = (price(row.small), price(row.strong)) else { continue };
            assert!(small < strong, "{}", row.provider);
        }
    }

    #[test]
    fn a_preset_stays_at_the_provider() {
        let lite = roles(Preset::Lite, "anthropic/claude-sonnet-5-5");
        assert_eq!(lite.summary.as_deref(), Some("anthropic/claude-haiku-5-5"));
        assert_eq!(lite.planner, None);
        let pro = roles(Preset::Pro, "openrouter/qwen/qwen3-coder");
        assert_eq!((pro.planner.as_deref(), pro.summary), (Some("openrouter/anthropic/claude-opus-5.5"), None));
        assert_eq!(roles(Preset::Pro, "ollama/qwen3"), RolesLayer::default());
        assert_eq!(roles(Preset::Lite, "manual"), RolesLayer::default());
        assert_eq!(main(Preset::Pro, "openai/gpt-6.1-terra").as_deref(), Some("openai/gpt-6.1-sol"));
        assert_eq!((main(Preset::Lite, "openai/x"), main(Preset::Pro, "groq/x")), (None, None));
        assert_eq!((draws("openai/x").as_deref(), draws("anthropic/x")), (Some("openai/gpt-image-2"), None));
    }
}
