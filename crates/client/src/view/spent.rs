//! What was used and what it cost: by the turn, by the conversation.
//!
//! Promise: pure. A request whose price is not known is counted as such and never as free.

use ox_protocol::{Limits, Money, Tokens, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What some requests used and cost together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spent {
    /// Their tokens.
    pub usage: Usage,
    /// What those cost whose price is known.
    pub cost: Money,
    /// How many there were.
    pub requests: u64,
    /// How many of them have no known price.
    pub unpriced: u64,
}

/// The accounts of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Account {
    /// Of the last turn.
    pub turn: Spent,
    /// Of the conversation.
    pub conversation: Spent,
    /// Cost budget of the turn.
    pub cost_limit: Option<Money>,
    /// Token budget of the turn.
    pub token_limit: Option<Tokens>,
}

impl Spent {
    /// Counts a request that was answered.
    pub fn add(&mut self, usage: Usage, cost: Option<Money>) {
        self.usage += usage;
        self.requests += 1;
        match cost {
            Some(cost) => self.cost = Money(self.cost.0.saturating_add(cost.0)),
            None => self.unpriced += 1,
        }
    }

    /// Counts what a sub-agent used in so many requests.
    pub fn add_agent(&mut self, usage: Usage, cost: Option<Money>, requests: u32) {
        if requests > 0 {
            self.add(usage, cost);
            self.requests += u64::from(requests - 1);
            self.unpriced += if cost.is_none() { u64::from(requests - 1) } else { 0 };
        }
    }

    /// How much of the input came from the provider's cache, in percent; none where nothing was asked.
    pub fn hit_rate(&self) -> Option<u64> {
        let read = u128::from(self.usage.cache_read.0) * 100;
        let share = read.checked_div(u128::from(self.usage.input.0))?;
        Some(u64::try_from(share).unwrap_or(100).min(100))
    }
}

impl Account {
    /// A turn begins under these limits.
    pub fn turn(&mut self, limits: &Limits) {
        self.turn = Spent::default();
        self.cost_limit = limits.cost;
        self.token_limit = limits.tokens;
    }

    /// A request was answered.
    pub fn add(&mut self, usage: Usage, cost: Option<Money>) {
        for spent in [&mut self.turn, &mut self.conversation] {
            spent.add(usage, cost);
        }
    }

    /// A sub-agent ended that made so many requests.
    pub fn add_agent(&mut self, usage: Usage, cost: Option<Money>, requests: u32) {
        for spent in [&mut self.turn, &mut self.conversation] {
            spent.add_agent(usage, cost, requests);
        }
    }

    /// What is left of the turn's cost budget, where there is one.
    pub fn cost_left(&self) -> Option<Money> {
        Some(Money(self.cost_limit?.0.saturating_sub(self.turn.cost.0)))
    }

    /// What is left of the turn's token budget, where there is one.
    pub fn tokens_left(&self) -> Option<Tokens> {
        let used = self.turn.usage.input.0.saturating_add(self.turn.usage.output.0);
        Some(Tokens(self.token_limit?.0.saturating_sub(used)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, cached: u64, output: u64) -> Usage {
        Usage { input: Tokens(input), cache_read: Tokens(cached), output: Tokens(output), ..Usage::default() }
    }

    #[test]
    fn turns_add_up() {
        let mut account = Account::default();
        let limits = Limits { cost: Some(Money(100)), tokens: Some(Tokens(1_000)), ..Limits::default() };
        account.turn(&limits);
        account.add(usage(100, 50, 10), Some(Money(30)));
        account.turn(&limits);
        account.add(usage(100, 90, 10), Some(Money(40)));
        account.add(usage(200, 180, 10), None);
        assert_eq!((account.turn.cost, account.turn.requests, account.turn.unpriced), (Money(40), 2, 1));
        assert_eq!((account.conversation.cost, account.conversation.usage.input), (Money(70), Tokens(400)));
        assert_eq!((account.cost_left(), account.tokens_left()), (Some(Money(60)), Some(Tokens(680))));
        assert_eq!((account.turn.hit_rate(), Spent::default().hit_rate()), (Some(90), None));
        account.add(usage(u64::MAX, u64::MAX, u64::MAX), Some(Money(u64::MAX)));
        assert_eq!((account.cost_left(), account.tokens_left()), (Some(Money(0)), Some(Tokens(0))));
        assert_eq!(account.conversation.hit_rate(), Some(100));
    }
}
