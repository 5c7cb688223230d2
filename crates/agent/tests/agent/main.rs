//! The agent as a whole, where a scenario is not the right form.

mod first_prompt;
