//! What is known of providers and models, as data. A model that is not in the table gets cautious defaults, and the user's
//! configuration overrides everything.

use ox_protocol::{ModelFacts, ModelLayer, Money, Tokens, Wire};

/// A provider that needs no configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Provider {
    pub(crate) name: &'static str,
    pub(crate) wire: Wire,
    pub(crate) base_url: &'static str,
    /// The variable that replaces `base_url`; empty where there is none.
    pub(crate) url_env: &'static str,
    /// The variable that holds the key; empty where none is needed.
    pub(crate) key_env: &'static str,
    /// The model that is chosen where only the key is there.
    pub(crate) favourite: &'static str,
}

/// Providers, in the order in which their keys are looked for.
pub(crate) const PROVIDERS: &[Provider] = &[
    provider(
        "anthropic",
        Wire::Anthropic,
        "https://api.anthropic.com",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
        "claude-sonnet-5-5",
    ),
    provider(
        "openai",
        Wire::OpenaiChat,
        "https://api.openai.com/v1",
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
        "gpt-6.1-terra",
    ),
    provider(
        "openrouter",
        Wire::OpenaiChat,
        "https://openrouter.ai/api/v1",
        "",
        "OPENROUTER_API_KEY",
        "anthropic/claude-sonnet-5.5",
    ),
    provider("deepseek", Wire::OpenaiChat, "https://api.deepseek.com/v1", "", "DEEPSEEK_API_KEY", "deepseek-v4-pro"),
    provider("mistral", Wire::OpenaiChat, "https://api.mistral.ai/v1", "", "MISTRAL_API_KEY", "devstral-latest"),
    provider("groq", Wire::OpenaiChat, "https://api.groq.com/openai/v1", "", "GROQ_API_KEY", "openai/gpt-oss-120b"),
    provider("ollama", Wire::OpenaiChat, "http://127.0.0.1:11434/v1", "", "", ""),
    provider("lmstudio", Wire::OpenaiChat, "http://127.0.0.1:1234/v1", "", "", ""),
];

const fn provider(
    name: &'static str,
    wire: Wire,
    base_url: &'static str,
    url_env: &'static str,
    key_env: &'static str,
    favourite: &'static str,
) -> Provider {
    Provider { name, wire, base_url, url_env, key_env, favourite }
}

/// Facts of models whose name begins so: thousands of tokens, then cents per million tokens. `output` is what is asked for,
/// not the most that the model could write: providers count the whole of it against the account's rate limit.
struct Row {
    begins: &'static str,
    window: u64,
    output: u64,
    reasons: bool,
    /// Input, cached input and output.
    cents: (u64, u64, u64),
}

const fn row(begins: &'static str, window: u64, output: u64, reasons: bool, cents: (u64, u64, u64)) -> Row {
    Row { begins, window, output, reasons, cents }
}

/// The longest matching beginning counts. Prices are list prices for prompts of ordinary length.
const MODELS: &[Row] = &[
    row("claude-fable-5", 1000, 64, true, (1000, 100, 5000)),
    row("claude-opus-5-5", 1000, 64, true, (400, 20, 2000)),
    row("claude-opus-5", 1000, 64, true, (500, 50, 2500)),
    row("claude-opus-4-8", 1000, 64, true, (500, 50, 2500)),
    row("claude-opus-4-7", 1000, 64, true, (500, 50, 2500)),
    row("claude-opus-4-6", 1000, 64, true, (500, 50, 2500)),
    row("claude-opus-4-5", 200, 64, false, (500, 50, 2500)),
    row("claude-sonnet-5", 1000, 64, true, (200, 20, 1000)),
    row("claude-sonnet-4-6", 1000, 64, true, (300, 30, 1500)),
    row("claude-sonnet-4", 200, 64, false, (300, 30, 1500)),
    row("claude-haiku-5-5", 1000, 64, true, (10, 1, 50)),
    row("claude-haiku-4-5", 200, 64, false, (100, 10, 500)),
    row("claude", 200, 32, false, (0, 0, 0)),
    row("gpt-6.1-terra", 1050, 32, false, (100, 5, 500)),
    row("gpt-6.1-sol", 1050, 32, false, (200, 0, 1000)),
    row("gpt-6-sol", 1050, 32, false, (200, 0, 1000)),
    row("gpt-6-luna", 1050, 32, false, (10, 0, 50)),
    row("gpt-6", 1050, 32, false, (0, 0, 0)),
    row("gpt-5.6-terra", 1050, 32, false, (200, 20, 1200)),
    row("gpt-5.6-luna", 1050, 32, false, (20, 2, 120)),
    row("gpt-5.6", 1050, 32, false, (0, 0, 0)),
    row("gpt-5.5", 1050, 32, false, (500, 50, 3000)),
    row("gpt-5.4", 1050, 32, false, (250, 25, 1500)),
    row("gpt-5-mini", 400, 64, false, (25, 2, 200)),
    row("gpt-5", 400, 64, false, (125, 12, 1000)),
    row("gpt-4.1", 1047, 32, false, (200, 50, 800)),
    row("gpt-4o-mini", 128, 16, false, (15, 7, 60)),
    row("gpt-4o", 128, 16, false, (250, 125, 1000)),
    row("gpt-oss", 131, 32, false, (0, 0, 0)),
    row("o3", 200, 64, false, (200, 50, 800)),
    row("o4-mini", 200, 64, false, (110, 27, 440)),
    row("deepseek-v4", 1000, 64, true, (0, 0, 0)),
    row("deepseek-flash", 1000, 64, true, (0, 0, 0)),
    row("deepseek", 128, 32, true, (0, 0, 0)),
    row("devstral", 256, 32, false, (40, 0, 200)),
    row("mistral-large", 128, 32, false, (0, 0, 0)),
];

/// Everything known of `provider/model`.
pub(crate) fn facts(provider: &str, model: &str, layer: Option<&ModelLayer>) -> ModelFacts {
    let mut facts = ModelFacts { name: format!("{provider}/{model}"), ..ModelFacts::default() };
    // A local server's window is what it was started with, usually far less than the model could.
    if matches!(provider, "ollama" | "lmstudio") {
        facts.window = Tokens(32_768);
        facts.max_output = Tokens(8_192);
    } else if let Some(row) = find(model) {
        let price = |cents: u64| (cents > 0).then(|| Money(cents * 10_000));
        facts.window = Tokens(row.window * 1000);
        facts.max_output = Tokens(row.output * 1000);
        facts.reasons = row.reasons;
        facts.input_price = price(row.cents.0);
        facts.cached_price = price(row.cents.1);
        facts.output_price = price(row.cents.2);
    }
    facts.can_require = !facts.reasons;
    layer.into_iter().for_each(|layer| apply(&mut facts, layer));
    facts
}

fn find(model: &str) -> Option<&'static Row> {
    // Routers put the maker before the name and write versions with a dot.
    let name = model.rsplit('/').next().unwrap_or(model);
    let dashed = name.replace('.', "-");
    let name = if name.starts_with("claude") { dashed.as_str() } else { name };
    MODELS.iter().filter(|row| name.starts_with(row.begins)).max_by_key(|row| row.begins.len())
}

fn apply(facts: &mut ModelFacts, layer: &ModelLayer) {
    let money = |dollars: Option<f64>, now: Option<Money>| {
        dollars.map(|it| Money((it.max(0.0) * 1_000_000.0).round() as u64)).or(now)
    };
    facts.window = layer.window.map_or(facts.window, Tokens);
    facts.max_output = layer.max_output.map_or(facts.max_output, Tokens);
    facts.tools = layer.tools.unwrap_or(facts.tools);
    facts.input_price = money(layer.input_price, facts.input_price);
    facts.cached_price = money(layer.cached_price, facts.cached_price);
    facts.output_price = money(layer.output_price, facts.output_price);
    if let Some(reasons) = layer.reasons {
        facts.reasons = reasons;
        facts.can_require = !reasons;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_counts() {
        let cases = [
            ("anthropic", "claude-sonnet-5-5", 1_000_000, true, Some(2_000_000)),
            ("openrouter", "anthropic/claude-sonnet-5.5", 1_000_000, true, Some(2_000_000)),
            ("anthropic", "claude-haiku-4-5-20251001", 200_000, false, Some(1_000_000)),
            ("openai", "gpt-5-mini", 400_000, false, Some(250_000)),
            ("openai", "gpt-5.6", 1_050_000, false, None),
            ("ollama", "gpt-oss:20b", 32_768, false, None),
            ("openai", "something-new", 128_000, false, None),
        ];
        for (provider, model, window, reasons, input) in cases {
            let facts = facts(provider, model, None);
            let found = (facts.window.0, facts.reasons, facts.input_price.map(|it| it.0));
            assert_eq!(found, (window, reasons, input), "{provider}/{model}");
        }
    }

    #[test]
    fn the_user_knows_better() {
        let layer =
            ModelLayer { window: Some(8000), reasons: Some(false), input_price: Some(0.5), ..ModelLayer::default() };
        let facts = facts("anthropic", "claude-opus-5-5", Some(&layer));
        assert_eq!((facts.window, facts.can_require, facts.input_price), (Tokens(8000), true, Some(Money(500_000))));
    }
}
