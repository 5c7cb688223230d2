//! What a file is beside its bytes: mode, owner, extended attributes (among them access-control lists).
//!
//! Capabilities and integrity signatures are left behind on purpose: they vouch for the old bytes.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{fgetxattr, fgetxattr_query, flistxattr, flistxattr_query};
use rustix::io::{Errno, Result};
use serde::{Deserialize, Serialize};

use crate::sys;

const OF_THE_BYTES: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// Mode, owner and extended attributes of a regular file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attributes {
    /// Permission bits.
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    /// Name and value.
    pub extended: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Attributes {
    pub(crate) fn of(file: &File) -> Result<Attributes> {
        let stat = rustix::fs::fstat(file)?;
        Ok(Attributes { mode: stat.st_mode & 0o7777, uid: stat.st_uid, gid: stat.st_gid, extended: extended(file)? })
    }

    /// Makes `file` alike. What the system permits only its administrator, such as giving a file away, is left out.
    pub(crate) fn give(&self, file: &File) -> Result<()> {
        let new = file.metadata().map_err(|it| Errno::from_io_error(&it).unwrap_or(Errno::IO))?;
        if (new.uid(), new.gid()) != (self.uid, self.gid) {
            permitted(sys::set_owner(file, self.uid, self.gid))?;
        }
        if new.mode() & 0o7777 != self.mode || (new.uid(), new.gid()) != (self.uid, self.gid) {
            sys::set_mode(file, self.mode)?;
        }
        let has = extended(file)?;
        let mut lacking = self.extended.iter().filter(|it| !has.contains(it));
        lacking.try_for_each(|(name, value)| permitted(sys::set_attribute(file, name, value)))
    }
}

fn permitted(done: Result<()>) -> Result<()> {
    match done {
        Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP | Errno::INVAL) => Ok(()),
        other => other,
    }
}

fn extended(file: &File) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let names = match flistxattr_query(file) {
        Ok(0) | Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        Err(other) => return Err(other),
        Ok(size) => {
            let mut names = vec![0; size];
            let used = flistxattr(file, &mut names[..])?;
            names.truncate(used);
            names
        }
    };
    let names = names.split(|it| *it == 0).filter(|it| !it.is_empty() && !OF_THE_BYTES.contains(it));
    // An attribute that cannot be read cannot be carried over.
    Ok(names.filter_map(|name| Some((name.to_owned(), value(file, name).ok()?))).collect())
}

fn value(file: &File, name: &[u8]) -> Result<Vec<u8>> {
    let mut value = vec![0; fgetxattr_query(file, name)?];
    let used = fgetxattr(file, name, &mut value[..])?;
    value.truncate(used);
    Ok(value)
}
