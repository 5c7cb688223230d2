//! What the helper is told to do, and how that crosses to it: plain data, no decisions.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Everything that the helper needs to know; descriptors come beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Program and arguments.
    pub(crate) argv: Vec<OsString>,
    /// `NAME=value`.
    pub(crate) env: Vec<OsString>,
    /// Working folder.
    pub(crate) cwd: PathBuf,
    /// Readable paths; empty means all.
    pub(crate) read: Vec<PathBuf>,
    /// Writable paths.
    pub(crate) write: Vec<PathBuf>,
    /// Read-only paths within the writable ones, whether they exist or not.
    pub(crate) protect: Vec<PathBuf>,
    /// Paths that may be changed though some program obeys what is there.
    pub(crate) open: Vec<PathBuf>,
    /// Unreadable paths.
    pub(crate) hide: Vec<PathBuf>,
    /// Folders of which the command gets a private copy to write to.
    pub(crate) caches: Vec<PathBuf>,
    /// See [`Reach`].
    pub(crate) network: Reach,
    /// Bytes.
    pub(crate) memory: u64,
    /// Processes and threads at once.
    pub(crate) processes: u64,
    /// Processor seconds of one process.
    pub(crate) seconds: u64,
    /// Standard input is a terminal to control.
    pub(crate) terminal: bool,
}

/// How far the command's network reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Its own loopback device.
    #[default]
    Nobody,
    /// Its own loopback device, with the proxy listening on it.
    Proxy,
    /// The machine's network.
    All,
}

impl Plan {
    /// As bytes: lists of strings, each with its length before it, and numbers.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(8 << 10);
        for list in [&self.argv, &self.env] {
            put(&mut out, list.iter().map(OsString::as_os_str));
        }
        for list in
            [&self.read, &self.write, &self.protect, &self.open, &self.hide, &self.caches, &vec![self.cwd.clone()]]
        {
            put(&mut out, list.iter().map(|it| it.as_os_str()));
        }
        let reach = self.network as u64;
        for number in [reach, self.memory, self.processes, self.seconds, u64::from(self.terminal)] {
            out.extend(number.to_le_bytes());
        }
        out
    }

    /// The plan in `bytes`; none when they are not one.
    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Plan> {
        let from = &mut bytes;
        let (argv, env) = (list(from)?, list(from)?);
        let mut paths = || Some(list(from)?.into_iter().map(PathBuf::from).collect::<Vec<_>>());
        let (read, write, protect) = (paths()?, paths()?, paths()?);
        let (open, hide, caches) = (paths()?, paths()?, paths()?);
        let cwd = paths()?.pop()?;
        let network = match number(from)? {
            0 => Reach::Nobody,
            1 => Reach::Proxy,
            2 => Reach::All,
            _ => return None,
        };
        let (memory, processes, seconds) = (number(from)?, number(from)?, number(from)?);
        let terminal = number(from)? == 1;
        Some(Plan {
            argv,
            env,
            cwd,
            read,
            write,
            protect,
            open,
            hide,
            caches,
            network,
            memory,
            processes,
            seconds,
            terminal,
        })
    }
}

fn put<'a>(out: &mut Vec<u8>, list: impl ExactSizeIterator<Item = &'a OsStr>) {
    out.extend((list.len() as u64).to_le_bytes());
    for item in list {
        out.extend((item.len() as u64).to_le_bytes());
        out.extend(item.as_bytes());
    }
}

fn number(from: &mut &[u8]) -> Option<u64> {
    let (first, rest) = from.split_first_chunk::<8>()?;
    *from = rest;
    Some(u64::from_le_bytes(*first))
}

fn list(from: &mut &[u8]) -> Option<Vec<OsString>> {
    let count = number(from)?;
    let item = |_| {
        let size = usize::try_from(number(from)?).ok()?;
        let (first, rest) = from.split_at_checked(size)?;
        *from = rest;
        Some(OsString::from_vec(first.to_vec()))
    };
    (0..count).map(item).collect()
}

#[cfg(test)]
mod tests {
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
            network: Reach::All,
            memory: u64::MAX,
            processes: 7,
            seconds: 60,
            terminal: true,
        };
        let bytes = plan.encode();
        assert_eq!(Plan::decode(&bytes), Some(plan));
        for end in 0..bytes.len() {
            assert_eq!(Plan::decode(&bytes[..end]), None, "cut at {end}");
        }
    }
}
