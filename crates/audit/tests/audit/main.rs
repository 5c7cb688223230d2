//! What an audit says of changes: dishonest ones in many languages, honest ones that look alike, and unfinished ones.

mod config;
mod dishonest;
mod done;
mod honest;
mod linked;
mod testing;
