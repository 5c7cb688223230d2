//! Benchmarks of the release build against its limits and against the peers found on `PATH`: `cargo xtask bench NAME`.
//!
//! A figure is printed only if it was measured in this run; all servers listen on loopback and end with the run.

mod agent_loop;
mod faults;
mod first_piece;
mod harness;
mod index;
mod injections;
mod program;
mod repos;
mod retrieval;
mod safety;
mod sandbox;
mod screen;
mod server;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

/// What can be measured.
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench", disable_help_subcommand = true)]
enum Bench {
    /// Start-up, the gap between turns, memory and prompt size over a twenty-turn task, beside peers.
    Loop(agent_loop::Options),
    /// The edit engine on recorded edits.
    Edits(Forwarded),
    /// The index and its queries on a folder and on trees made of its files.
    Index(index::Options),
    /// Malformed model output, bad answers and bad networks.
    #[command(alias = "weather")]
    Faults(faults::Options),
    /// Finding checks, choosing what a change reaches, reading output: what verification itself costs.
    Checks(Forwarded),
    /// Compactions over long sessions.
    Pruning(Forwarded),
    /// The full screen over a conversation of 5,000 events: laying out and scrolling.
    Layout(Forwarded),
    /// Whether the right files are found.
    Retrieval(retrieval::Options),
    /// How soon the first piece of a reply is shown, and how fast answers are read.
    Model(first_piece::Options),
    /// What injected text gets an obedient model to do.
    Injections(injections::Options),
    /// What a sandboxed start and a checkpoint cost.
    #[command(alias = "walls")]
    Sandbox(sandbox::Options),
    /// What Ox would run unasked, on corpora of commands, paths and injections.
    Safety(safety::Options),
    /// Whether small projects in many languages end as they must, with their real toolchains.
    Repos(repos::Options),
    /// The adapters for Harbor and OpenBench, in those harnesses themselves.
    Harness(harness::Options),
    /// How soon there is a prompt, how often it wakes up when idle, and what a long reply costs, beside peers.
    Screen(screen::Options),
    /// What the server costs and withstands: many streams, slow readers, storms, crashes.
    Server(server::Options),
    /// Serves the model of `loop` until it is stopped.
    Mock(agent_loop::Serve),
}

/// Options that an example of another crate reads.
#[derive(clap::Args)]
struct Forwarded {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

fn main() -> ExitCode {
    match run(Bench::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// True if every limit was kept.
fn run(bench: Bench) -> Result<bool> {
    match bench {
        Bench::Loop(options) => agent_loop::run(&options),
        Bench::Edits(it) => program::run_example("ox-edit", "edits", &it.args),
        Bench::Index(options) => index::run(&options),
        Bench::Checks(it) => program::run_example("ox-checks", "overhead", &it.args),
        Bench::Faults(options) => faults::run(options),
        Bench::Pruning(it) => program::run_example("ox-context", "pruning", &it.args),
        Bench::Layout(it) => program::run_example("ox-screen", "layout", &it.args),
        Bench::Retrieval(options) => retrieval::run(&options),
        Bench::Model(options) => first_piece::run(options),
        Bench::Injections(options) => injections::run(options),
        Bench::Sandbox(options) => sandbox::run(&options),
        Bench::Safety(options) => safety::run(options),
        Bench::Repos(options) => repos::run(&options),
        Bench::Harness(options) => harness::run(&options),
        Bench::Screen(options) => screen::run(&options),
        Bench::Server(options) => server::run(&options),
        Bench::Mock(options) => agent_loop::serve(&options),
    }
}
