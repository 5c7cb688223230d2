//! The client from outside: subscriptions, the view fold, sockets.
#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod hub;
mod socket;
mod view;
