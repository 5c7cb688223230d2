//! What checkpoints keep and put back, told as text, and what is left when that is cut short.

mod back;
mod cut;
mod failing;
mod fixture;
mod keeps;
mod property;
mod random;
mod stores;
mod story;
