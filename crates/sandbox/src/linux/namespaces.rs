//! Leaving namespaces for fresh ones.

use std::fs;
use std::io;

use rustix::thread::{UnshareFlags, set_thread_groups};

use super::sys;

/// Leaves the namespaces in `flags` for fresh ones. True when that took one of users, too.
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<bool> {
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    if user == 0 {
        // Without the right to it fails, which is harmless: they are the user's own.
        let _ = set_thread_groups(&[]);
    }
    let Err(error) = sys::unshare(flags | UnshareFlags::NEWUSER) else {
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        return Ok(true);
    };
    // Where user namespaces are switched off, root can still do without one.
    match user {
        0 => sys::unshare(flags).map(|()| false),
        _ => Err(io::Error::new(error.kind(), format!("no name spaces of its own: {error}"))),
    }
}
