//! A server of a fresh repository and home: started, killed and started again, and what the kernel says of it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::client::{Address, PATIENCE};
use crate::agent_loop::measure::{self, Place};
use crate::screen::process;

/// The place and, while it runs, its server.
pub struct Site {
    place: Place,
    ox: PathBuf,
    model: String,
    child: Option<Child>,
    address: Address,
}

/// What a process holds.
#[derive(Clone, Copy)]
pub struct Holds {
    /// Resident memory in bytes.
    pub memory: u64,
    pub files: usize,
    pub threads: usize,
}

impl Site {
    /// Starts a server whose model answers at the address.
    pub fn start(ox: &Path, model: &str) -> Result<Site> {
        let mut site = Site {
            place: Place::new()?,
            ox: ox.to_owned(),
            model: format!("{model}/v1"),
            child: None,
            address: Address::default(),
        };
        let folder = site.place.home().join(".config/ox");
        std::fs::create_dir_all(&folder)?;
        // A reply that is longer than its model says it can be is cut.
        let known = "[models.\"openai/mock\"]\nwindow = 20000000\nmax_output = 10000000\n";
        std::fs::write(folder.join("config.toml"), known)?;
        site.begin()?;
        Ok(site)
    }

    /// Starts the server again.
    pub fn begin(&mut self) -> Result<()> {
        let mut command = Command::new(&self.ox);
        command.args(["serve", "--port", "0", "--mode", "chat", "--model", "openai/mock", "--base-url", &self.model]);
        measure::isolate(&mut command, &self.place);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("starting {}", self.ox.display()))?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("its output is a pipe")?).read_line(&mut line)?;
        let (_, host) = line.trim().rsplit_once("//").with_context(|| format!("the server said: {line}"))?;
        let token = self.place.home().join(".local/state/ox/server-token");
        self.address = Address { host: host.to_owned(), token: std::fs::read_to_string(token)?.trim().to_owned() };
        self.child = Some(child);
        Ok(())
    }

    /// Kills the server with a signal that it cannot see.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// How the running server is asked.
    pub fn address(&self) -> Address {
        self.address.clone()
    }

    fn id(&self) -> u32 {
        self.child.as_ref().map_or(0, Child::id)
    }

    pub fn holds(&self) -> Holds {
        let count = |what: &str| std::fs::read_dir(format!("/proc/{}/{what}", self.id())).map_or(0, Iterator::count);
        Holds { memory: measure::status(self.id(), "VmRSS:"), files: count("fd"), threads: count("task") }
    }

    /// The time of the processor that it has used, in seconds.
    pub fn seconds(&self) -> f64 {
        process::seconds(self.id())
    }

    /// Waits until it holds so many files at most, as after connections that have ended; what it holds then.
    pub async fn settled(&self, files: usize) -> Holds {
        let began = Instant::now();
        loop {
            let holds = self.holds();
            if holds.files <= files || began.elapsed() > PATIENCE / 4 {
                return holds;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.kill();
    }
}

impl std::ops::Deref for Site {
    type Target = Address;

    fn deref(&self) -> &Address {
        &self.address
    }
}
