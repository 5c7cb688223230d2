//! The working tree through its public interface, on real disks.

#![allow(clippy::unwrap_used)]

mod listing;
mod places;
mod races;
mod reach;
mod states;
mod text;
mod transactions;
