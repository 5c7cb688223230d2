//! What a request cost, and the most that one can cost, from its tokens and the prices of its model.
//!
//! Nothing here is rounded down and nothing overflows: a sum of small requests is never less than what a provider asks
//! for. Where a price is not known there is no figure at all, never a zero.

use ox_protocol::{ModelFacts, Money, Tokens, Usage};

/// Prices are per million tokens and factors are in hundredths.
const SCALE: u128 = 100_000_000;

/// How a family of models is priced beyond three figures; factors are hundredths of the list price.
struct Rule {
    /// How their names begin; the longest beginning counts.
    begins: &'static str,
    /// Input that is written to the cache. Requests ask for the five minutes' cache, never for the dearer hour.
    write: u64,
    /// Input that is read from the cache, where the model's facts do not say it.
    read: u64,
    /// Above so many tokens of input all of the request is dearer.
    long: Option<Long>,
}

struct Long {
    above: u64,
    input: u64,
    output: u64,
}

const PLAIN: Rule = Rule { begins: "", write: 100, read: 100, long: None };

const fn claude(begins: &'static str) -> Rule {
    Rule { begins, write: 125, read: 10, long: None }
}

const fn tiered(begins: &'static str, above: u64) -> Rule {
    Rule { begins, long: Some(Long { above, input: 200, output: 150 }), ..PLAIN }
}

/// As the makers publish them; what is not here is taken to have one price for all of its input.
const RULES: &[Rule] = &[
    claude("claude"),
    Rule { long: Some(Long { above: 200_000, input: 200, output: 150 }), ..claude("claude-sonnet-4") },
    claude("claude-sonnet-4-6"),
    tiered("gpt-5.4", 272_000),
    Rule { begins: "gpt-5.4-mini", ..PLAIN },
    Rule { begins: "gpt-5.4-nano", ..PLAIN },
    tiered("gpt-5.5", 272_000),
    tiered("gemini-2.5-pro", 200_000),
    tiered("gemini-3-pro", 200_000),
    tiered("gemini-3.1-pro", 200_000),
];

/// The prices of one request in millionths of a dollar per hundred million tokens.
struct Rates {
    fresh: u128,
    read: u128,
    write: u128,
    output: u128,
}

impl Rates {
    /// None where the model's prices are not known.
    fn of(facts: &ModelFacts, input: Tokens) -> Option<Rates> {
        let rule = rule(&facts.name);
        let long = rule.long.as_ref().filter(|it| input.0 > it.above);
        let (more_in, more_out) = long.map_or((100, 100), |it| (it.input, it.output));
        let (fresh, output) = (facts.input_price?.0, facts.output_price?.0);
        // A share of a share: each factor is in hundredths.
        let share = |price: u64, factor: u64, of: u64| {
            u128::from(price).saturating_mul(u128::from(factor) * u128::from(of)).div_ceil(100)
        };
        Some(Rates {
            fresh: share(fresh, 100, more_in),
            read: facts.cached_price.map_or_else(|| share(fresh, rule.read, more_in), |it| share(it.0, 100, more_in)),
            write: share(fresh, rule.write, more_in),
            output: share(output, 100, more_out),
        })
    }
}

fn rule(name: &str) -> &'static Rule {
    let name = name.rsplit('/').next().unwrap_or(name);
    // Routers write Claude's versions with a dot.
    let dashed = name.replace('.', "-");
    let name = if name.starts_with("claude") { dashed.as_str() } else { name };
    RULES.iter().filter(|it| name.starts_with(it.begins)).max_by_key(|it| it.begins.len()).unwrap_or(&PLAIN)
}

fn money(sum: u128) -> Money {
    Money(u64::try_from(sum.div_ceil(SCALE)).unwrap_or(u64::MAX))
}

/// `count` tokens at `rate`.
fn of(count: u64, rate: u128) -> u128 {
    u128::from(count).saturating_mul(rate)
}

/// What a request cost that used `usage`; none where the prices are not known. Reasoning is part of the output, what was
/// read from and written to the cache is part of the input, and neither is counted twice.
pub fn cost(usage: Usage, facts: &ModelFacts) -> Option<Money> {
    let rates = Rates::of(facts, usage.input)?;
    let read = usage.cache_read.0.min(usage.input.0);
    let written = usage.cache_write.0.min(usage.input.0 - read);
    let fresh = usage.input.0 - read - written;
    let parts =
        [of(fresh, rates.fresh), of(read, rates.read), of(written, rates.write), of(usage.output.0, rates.output)];
    Some(money(parts.into_iter().fold(0, u128::saturating_add)))
}

/// The most that a request can cost whose input is at most `input` tokens and whose reply at most `max_output`: nothing
/// comes from the cache, everything is written to it. None where the prices are not known.
pub fn worst_cost(facts: &ModelFacts, input: Tokens, max_output: Tokens) -> Option<Money> {
    let rates = Rates::of(facts, input)?;
    Some(money(of(input.0, rates.fresh.max(rates.write)).saturating_add(of(max_output.0, rates.output))))
}

/// The longest reply, up to the model's own limit, with which a request of `input` tokens surely stays within `left`.
/// Zero where the input alone may cost more; the model's own limit where no price is known.
pub fn affordable_output(facts: &ModelFacts, left: Money, input: Tokens) -> Tokens {
    let Some(rates) = Rates::of(facts, input) else { return facts.max_output };
    let spent = of(input.0, rates.fresh.max(rates.write));
    let Some(rest) = of(left.0, SCALE).checked_sub(spent) else { return Tokens(0) };
    let most = rest.checked_div(rates.output).map_or(u64::MAX, |it| u64::try_from(it).unwrap_or(u64::MAX));
    Tokens(most.min(facts.max_output.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(name: &str, input: u64, cached: Option<u64>, output: u64) -> ModelFacts {
        ModelFacts {
            name: name.to_string(),
            input_price: Some(Money(input)),
            cached_price: cached.map(Money),
            output_price: Some(Money(output)),
            max_output: Tokens(1_000),
            ..ModelFacts::default()
        }
    }

    fn usage(input: u64, read: u64, write: u64, output: u64) -> Usage {
        Usage {
            input: Tokens(input),
            cache_read: Tokens(read),
            cache_write: Tokens(write),
            output: Tokens(output),
            reasoning: Tokens(output / 2),
        }
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let sonnet = facts("openrouter/anthropic/claude-sonnet-5.5", 3_000_000, None, 15_000_000);
        let said = facts("anthropic/claude-sonnet-5-5", 3_000_000, Some(600_000), 15_000_000);
        let gpt = facts("openai/gpt-5.4", 2_500_000, Some(250_000), 15_000_000);
        let mini = facts("openai/gpt-5.4-mini", 2_500_000, Some(250_000), 15_000_000);
        let plain = facts("mine/model", 1_000_000, None, 2_000_000);
        let cases = [
            (&sonnet, usage(1000, 0, 0, 100), 3_000 + 1_500),
            (&sonnet, usage(1000, 900, 0, 0), 300 + 270),
            (&sonnet, usage(1000, 0, 1000, 0), 3_750),
            (&said, usage(1000, 1000, 0, 0), 600),
            (&gpt, usage(272_000, 0, 0, 1000), 680_000 + 15_000),
            (&gpt, usage(272_001, 272_001, 0, 1000), 136_001 + 22_500),
            (&mini, usage(300_000, 0, 0, 0), 750_000),
            (&plain, usage(10, 5, 5, 0), 10),
            // More from the cache than there was: some endpoints count like that.
            (&plain, usage(10, 20, 20, 0), 10),
            (&plain, usage(u64::MAX, 0, 0, u64::MAX), u64::MAX),
        ];
        for (facts, usage, expected) in cases {
            assert_eq!(cost(usage, facts), Some(Money(expected)), "{} {usage:?}", facts.name);
        }
        assert_eq!(cost(usage(1, 0, 0, 1), &ModelFacts::default()), None);
    }

    #[test]
    fn the_smallest_request_costs_something_and_a_free_one_nothing() {
        assert_eq!(cost(usage(1, 0, 0, 0), &facts("m", 1, None, 1)), Some(Money(1)));
        assert_eq!(cost(usage(1, 0, 0, 1), &facts("m", 0, None, 0)), Some(Money(0)));
    }

    #[test]
    fn no_use_costs_more_than_the_worst() {
        let models = ["claude-opus-5", "claude-sonnet-4-5", "gpt-5.5", "gemini-3-pro", "other"];
        for name in models {
            let facts = facts(name, 2_000_003, Some(200_001), 10_000_007);
            for input in [0, 1, 777, 199_999, 200_001, 272_001] {
                for share in [0, 1, 3, input] {
                    let used = usage(input, share / 2, share, 999);
                    assert!(cost(used, &facts) <= worst_cost(&facts, Tokens(input), Tokens(999)), "{name} {used:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_affordable_is_the_longest_that_fits() {
        for name in ["claude-opus-5", "gpt-5.5", "other"] {
            let facts = facts(name, 2_000_003, None, 10_000_007);
            for (left, input) in
                [(0, 0), (1, 0), (1_000, 100), (1_000, 499), (1_000, 500), (9_000, 7), (700_000, 272_001)]
            {
                let (left, input) = (Money(left), Tokens(input));
                let most = affordable_output(&facts, left, input);
                let fits = |output: u64| worst_cost(&facts, input, Tokens(output)).unwrap() <= left;
                assert!(most.0 == 0 || fits(most.0), "{name} {left:?} {input:?}: {most:?} is too much");
                assert!(most == facts.max_output || !fits(most.0 + 1), "{name} {left:?} {input:?}: more would fit");
            }
        }
        assert_eq!(affordable_output(&ModelFacts::default(), Money(0), Tokens(9)), ModelFacts::default().max_output);
        assert_eq!(affordable_output(&facts("m", 0, None, 0), Money(0), Tokens(9)), Tokens(1_000));
    }
}
