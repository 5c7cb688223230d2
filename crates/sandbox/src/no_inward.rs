//! Where commands have no network of their own there is no way into it: what they serve is reached as it is.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use tokio::sync::watch;

/// The forwards into a network of commands; there are none.
#[derive(Debug)]
pub struct Inward;

impl Inward {
    /// An error: there is no such network.
    pub fn open(_scratch: &Path) -> io::Result<Inward> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// None.
    pub fn ports(&self) -> watch::Receiver<BTreeMap<u16, u16>> {
        watch::channel(BTreeMap::new()).1
    }
}
