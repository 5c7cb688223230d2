//! What is left of a transaction that is cut short at any of its calls, or in which any of them fails.

mod cases;
mod failing;
mod fixture;
mod killed;
mod locked;
mod meddled;
