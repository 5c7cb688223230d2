//! Budgets reserve before a request: what it will cost at most is known before it is made, so none is overshot.

use ox_protocol::{Money, Stop, Tokens};

use super::state::Conversation;
use crate::price;

/// A reply that may not be longer than this is not worth its prompt.
const SHORTEST_REPLY: u64 = 256;

impl Conversation {
    /// The longest reply that the budgets pay for, where that is less than the model's own limit; or the stop, where they
    /// do not pay for a reply that is worth it.
    pub(super) fn reserve(&self) -> Result<Option<Tokens>, Stop> {
        let own = self.turn.model.max_output;
        let mut most = own;
        let input = self.prompt_tokens();
        if let Some(limit) = self.turn.limits.tokens {
            let spent = self.turn.usage.total().0.saturating_add(input.0);
            most = worth_it(most.min(Tokens(limit.0.saturating_sub(spent)))).ok_or(Stop::TokenBudget)?;
        }
        if let Some(limit) = self.turn.limits.cost {
            let left = Money(limit.0.saturating_sub(self.turn.cost.unwrap_or_default().0));
            let paid = price::affordable_output(&self.turn.model, left, input);
            most = worth_it(most.min(paid)).ok_or(Stop::CostBudget)?;
        }
        Ok((most < own).then_some(most))
    }
}

fn worth_it(output: Tokens) -> Option<Tokens> {
    (output.0 >= SHORTEST_REPLY).then_some(output)
}
