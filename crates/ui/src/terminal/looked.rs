//! What was looked up for the list that is open.

use std::collections::BTreeMap;

use ox_app::conversations::listed::Listed;

use crate::picker::conversations::Running;
use crate::text::Line;

/// What was looked up.
#[derive(Debug, Default)]
pub(super) struct Looked {
    pub(super) conversations: Vec<Listed>,
    pub(super) running: Running,
    /// What going back over a turn would change, by its number.
    pub(super) changes: BTreeMap<u32, Vec<Line>>,
    /// What was asked in the turn that is being gone back to.
    pub(super) again: Option<String>,
    /// The model to go over to once its provider has a key.
    pub(super) model: Option<String>,
}
