//! `ox record ID`: a stored conversation's model traffic as a cassette, on standard output.

use clap::Args;

use super::print::exact;
use super::shared;

/// Arguments of `ox record`.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// Conversation id, or its beginning.
    id: String,
}

/// Prints the cassette.
pub fn run(args: RecordArgs) -> anyhow::Result<u8> {
    exact(&shared::open()?.cassette_of(&args.id)?);
    Ok(0)
}
