//! The working tree through its public interface, on real disks.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod listing;
mod places;
mod races;
mod reach;
mod states;
mod text;
mod transactions;
