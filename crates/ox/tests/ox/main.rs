//! The command as a person or a script meets it: the real binary in folders of its own, without keys or network.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod acp;
mod actions;
mod agents;
mod attach;
mod cassettes;
mod checkpoints;
mod checks;
mod commands;
mod commit;
mod context;
mod crash;
mod demo;
mod dialog;
mod disk;
mod edit;
mod embeddings;
mod evidence;
mod fixers;
mod gate;
mod hooks;
mod impact;
mod index;
mod leaks;
mod login;
mod memory;
mod model;
mod models;
mod network;
mod piecewise;
mod place;
mod plan;
mod provider;
mod query;
mod resume;
mod review;
mod screens;
mod scripts;
mod terminal;
mod tls;
mod tree;
mod trust;
mod two_clients;
mod untrusted;
mod usage;
