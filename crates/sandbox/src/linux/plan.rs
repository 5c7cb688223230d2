//! What the helper is told to do, and how that crosses to it: plain data, no decisions.

use std::ffi::OsString;
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Everything that the helper needs to know; descriptors come beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// Program and arguments.
    pub(crate) argv: Vec<OsString>,
    /// `NAME=value`.
    pub(crate) env: Vec<OsString>,
    /// Working folder.
    pub(crate) cwd: OsString,
    /// Readable paths; empty means all.
    #[serde(with = "paths")]
    pub(crate) read: Vec<PathBuf>,
    /// Writable paths.
    #[serde(with = "paths")]
    pub(crate) write: Vec<PathBuf>,
    /// Read-only paths within the writable ones, whether they exist or not.
    #[serde(with = "paths")]
    pub(crate) protect: Vec<PathBuf>,
    /// Paths that may be changed though some program obeys what is there.
    #[serde(with = "paths")]
    pub(crate) open: Vec<PathBuf>,
    /// Unreadable paths.
    #[serde(with = "paths")]
    pub(crate) hide: Vec<PathBuf>,
    /// Folders of which the command gets a private copy to write to.
    #[serde(with = "paths")]
    pub(crate) caches: Vec<PathBuf>,
    /// Writable paths of which the command gets a private copy, and nothing but a look where there can be none.
    #[serde(with = "paths")]
    pub(crate) discard: Vec<PathBuf>,
    /// Readable paths in private places, as they are named; links among them count as what they lead to.
    #[serde(with = "paths")]
    pub(crate) keep: Vec<PathBuf>,
    /// The folder that serves as `/tmp`; none for one in memory.
    pub(crate) scratch: Option<OsString>,
    /// See `Reach`.
    pub(crate) network: NetworkAccess,
    /// The namespaces of a network that is shared with other commands come beside the plan.
    pub(crate) shared: bool,
    /// The ways out of its network.
    pub(crate) forwards: Vec<Forward>,
    /// Bytes.
    pub(crate) memory: u64,
    /// Bytes by which it may fill a disk.
    pub(crate) disk: u64,
    /// Processes and threads at once.
    pub(crate) processes: u64,
    /// Processor seconds of one process.
    pub(crate) seconds: u64,
    /// Standard input is a terminal to control.
    pub(crate) terminal: bool,
}

/// How far the command's network reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum NetworkAccess {
    /// A loopback device, and the port forwards that lead out of it.
    #[default]
    Forwards,
    /// The machine's network.
    All,
}

/// The ports inside that port forwards listen at. They lie outside of the numbers that the kernel gives away by itself.
pub(crate) const PORTS: RangeInclusive<u16> = 61_000..=61_999;

/// A port inside at which somebody outside accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Forward {
    /// The port inside.
    pub(crate) port: u16,
    /// The port of this machine that it stands for; none for the proxy.
    pub(crate) target: Option<u16>,
}

impl Plan {
    /// As bytes.
    pub(crate) fn encode(&self) -> io::Result<Vec<u8>> {
        postcard::to_stdvec(self).map_err(io::Error::other)
    }

    /// The plan in `bytes`; none when they are not one.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Plan> {
        postcard::from_bytes(bytes).ok()
    }
}

/// Paths of any bytes; of themselves they cross as text alone.
mod paths {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(paths.iter().map(|it| it.as_os_str()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<OsString>::deserialize(from)?.into_iter().map(PathBuf::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn a_plan_survives_the_crossing() {
        let plan = Plan {
            argv: vec!["bash".into(), "-c".into(), OsString::from_vec(vec![b'x', 0xff, b'\n'])],
            env: vec!["A=b".into(), "EMPTY=".into()],
            cwd: "/tmp/x y".into(),
            read: Vec::new(),
            write: vec!["/tmp".into()],
            protect: vec!["/tmp/.git/hooks".into(), "/tmp/.ox".into()],
            open: vec!["/tmp/sub/.git".into()],
            hide: vec!["/home/me/.ssh".into()],
            caches: vec!["/home/me/.cargo".into()],
            discard: vec!["/tmp".into()],
            keep: vec!["/tmp/venv".into()],
            scratch: Some("/tmp/ox".into()),
            network: NetworkAccess::All,
            shared: true,
            forwards: vec![Forward { port: 61_000, target: None }, Forward { port: 61_001, target: Some(8104) }],
            memory: u64::MAX,
            disk: 8,
            processes: 7,
            seconds: 60,
            terminal: true,
        };
        let bytes = plan.encode().unwrap();
        assert_eq!(Plan::decode(&bytes), Some(plan));
        for end in 0..bytes.len() {
            assert_eq!(Plan::decode(&bytes[..end]), None, "cut at {end}");
        }
    }
}
