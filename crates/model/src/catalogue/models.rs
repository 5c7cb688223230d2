//! What is known of models, as data in `catalogue/models.txt`. A model that is not there gets cautious defaults, and the
//! user's configuration overrides everything.

use std::sync::OnceLock;

use ox_protocol::{ModelFacts, ModelLayer, Money, Tokens};

const TABLE: &str = include_str!("models.txt");

/// What is known of the models whose names begin alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// How their names begin.
    pub begins: &'static str,
    /// Their window.
    pub window: Tokens,
    /// The longest reply that is asked for.
    pub max_output: Tokens,
    /// True where they cannot be forced to call a tool because they reason.
    pub reasons: bool,
    /// True where they see pictures.
    pub sees: bool,
    /// Price per million input tokens.
    pub input_price: Option<Money>,
    /// Price per million cached input tokens.
    pub cached_price: Option<Money>,
    /// Price per million output tokens.
    pub output_price: Option<Money>,
}

/// All that is known, in the order of the table.
pub fn catalogue() -> &'static [Known] {
    static ROWS: OnceLock<Vec<Known>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let rows = TABLE.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
        rows.map(|it| row(it).expect("the table is checked by a test")).collect()
    })
}

fn row(line: &'static str) -> Option<Known> {
    let mut words = line.split_whitespace();
    let begins = words.next()?;
    let mut thousands = || Some(Tokens(words.next()?.parse::<u64>().ok()? * 1000));
    let (window, max_output) = (thousands()?, thousands()?);
    let abilities: Vec<&str> = words.next()?.split(',').filter(|it| *it != "-").collect();
    let mut price = || match words.next()? {
        "-" => Some(None),
        dollars => dollars.parse().ok().map(|it: f64| Some(money(it))),
    };
    let known = Known {
        begins,
        window,
        max_output,
        reasons: abilities.contains(&"reasons"),
        sees: !abilities.contains(&"blind"),
        input_price: price()?,
        cached_price: price()?,
        output_price: price()?,
    };
    let understood = abilities.iter().all(|it| ["reasons", "blind"].contains(it));
    (understood && words.next().is_none()).then_some(known)
}

fn money(dollars: f64) -> Money {
    Money((dollars.max(0.0) * 1_000_000.0).round() as u64)
}

/// The row that counts for `model`, as a provider or a router names it.
pub fn known(model: &str) -> Option<&'static Known> {
    // Routers put the maker before the name and write versions with a dot.
    let name = model.rsplit('/').next().unwrap_or(model);
    let dashed = name.replace('.', "-");
    let name = if name.starts_with("claude") { dashed.as_str() } else { name };
    catalogue().iter().filter(|row| name.starts_with(row.begins)).max_by_key(|row| row.begins.len())
}

/// Everything known of `provider/model`. `local` where the provider is a server on the user's own machine: its window is
/// what it was started with, usually far less than the model could.
pub(crate) fn facts(provider: &str, model: &str, local: bool, layer: Option<&ModelLayer>) -> ModelFacts {
    let mut facts = ModelFacts { name: format!("{provider}/{model}"), ..ModelFacts::default() };
    if local {
        facts.window = Tokens(32_768);
        facts.max_output = Tokens(8_192);
    } else if let Some(row) = known(model) {
        facts.window = row.window;
        facts.max_output = row.max_output;
        facts.reasons = row.reasons;
        facts.input_price = row.input_price;
        facts.cached_price = row.cached_price;
        facts.output_price = row.output_price;
    }
    facts.can_require = !facts.reasons;
    layer.into_iter().for_each(|layer| apply(&mut facts, layer));
    facts
}

pub(crate) fn apply(facts: &mut ModelFacts, layer: &ModelLayer) {
    facts.window = layer.window.map_or(facts.window, Tokens);
    facts.max_output = layer.max_output.map_or(facts.max_output, Tokens);
    facts.tools = layer.tools.unwrap_or(facts.tools);
    facts.input_price = layer.input_price.map(money).or(facts.input_price);
    facts.cached_price = layer.cached_price.map(money).or(facts.cached_price);
    facts.output_price = layer.output_price.map(money).or(facts.output_price);
    if let Some(reasons) = layer.reasons {
        facts.reasons = reasons;
        facts.can_require = !reasons;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_understood_and_stands_once() {
        let mut begins: Vec<&str> = catalogue().iter().map(|it| it.begins).collect();
        begins.sort_unstable();
        assert!(begins.len() > 40);
        assert!(begins.windows(2).all(|it| it[0] != it[1]), "a beginning stands twice");
        for row in catalogue() {
            assert!(row.window > row.max_output && row.max_output.0 > 0, "{}", row.begins);
            let (input, cached) = (row.input_price.unwrap_or_default(), row.cached_price.unwrap_or_default());
            assert!(cached <= input && input <= row.output_price.unwrap_or_default(), "{}", row.begins);
        }
    }

    #[test]
    fn the_longest_beginning_counts() {
        let cases = [
            ("anthropic", "claude-sonnet-5-5", 1_000_000, true, Some(2_000_000)),
            ("openrouter", "anthropic/claude-sonnet-5.5", 1_000_000, true, Some(2_000_000)),
            ("anthropic", "claude-haiku-4-5-20251001", 200_000, false, Some(1_000_000)),
            ("openai", "gpt-5-mini", 400_000, false, Some(250_000)),
            ("openai", "gpt-5.6", 1_050_000, false, None),
            ("gemini", "gemini-2.5-flash-lite-preview", 1_048_000, false, Some(100_000)),
            ("openai", "something-new", 128_000, false, None),
        ];
        for (provider, model, window, reasons, input) in cases {
            let facts = facts(provider, model, false, None);
            let found = (facts.window.0, facts.reasons, facts.input_price.map(|it| it.0));
            assert_eq!(found, (window, reasons, input), "{provider}/{model}");
        }
        assert_eq!(facts("ollama", "gpt-oss:20b", true, None).window, Tokens(32_768));
    }

    #[test]
    fn the_user_knows_better() {
        let layer =
            ModelLayer { window: Some(8000), reasons: Some(false), input_price: Some(0.5), ..ModelLayer::default() };
        let facts = facts("anthropic", "claude-opus-5-5", false, Some(&layer));
        assert_eq!((facts.window, facts.can_require, facts.input_price), (Tokens(8000), true, Some(Money(500_000))));
    }
}
