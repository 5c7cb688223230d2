//! What checkpoints keep and put back, told as text, and what is left when that is cut short.

mod cut;
mod failing;
mod keeps;
mod random;
mod stores;
mod story;
mod world;
