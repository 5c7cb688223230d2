//! The turn as a whole: its state table, its stories and its invariants under random events.

mod agents;
mod audit;
mod fixers;
mod fixture;
mod hooks;
mod intent;
mod invariants;
mod loops;
mod permission;
mod plan;
mod prefix;
mod repair;
mod retry;
mod review;
mod story;
mod table;
mod verification;
