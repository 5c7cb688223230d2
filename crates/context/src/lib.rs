//! What the model sees: prompts, the project's context, the transcript, and the words around checks and refusals.
//!
//! Nothing here speaks to a model, runs a command or writes a file. Everything but [`load`] is a function of the log.

mod budget;
mod build;
mod checks;
mod load;
mod memory;
mod paths;
mod prune;
mod repair;
mod section;
mod transcript;
mod words;

pub use budget::{Budget, estimate};
pub use build::{Freshness, Item, OmitReason, PickInputs, Picked, Rank, build, unrepeated};
pub use checks::{FEEDBACK_BYTES, Round, before_edits, check_feedback, checks_output};
pub use load::active::context_files;
pub use load::{Git, INSTRUCTION_FILES, PromptFacts, load};
pub use memory::{Past, memory_room, memory_section, merge, turns};
pub use prune::{Pruned, prompt_tokens, prune, summary_request};
pub use repair::{diagnosis, diagnosis_request};
pub use transcript::{Transcript, remembered, unsent};
pub use words::{
    agent_section, agent_words, finding, init_words, mode_words, named_tools, refusal, review_words, schema_again,
    schema_words, system_prompt,
};
