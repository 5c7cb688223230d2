//! What the model sees.
