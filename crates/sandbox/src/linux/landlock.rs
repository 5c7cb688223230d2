//! The second layer: Landlock holds the same rights on files once more, in case that a mount is not what it seems.
//!
//! It is never the only layer: it does not see `chmod`, times, extended attributes or sockets with a path. What this kernel
//! does not know is left out.
#![allow(unsafe_code)]

use std::ffi::c_long;
use std::io;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};

use super::plan::Plan;

/// The newest version whose rights are used: each was looked at before it was named here.
const NEWEST: ABI = ABI::V6;
/// Places that every command may write: they are its own and in memory.
const OWN: [&str; 3] = ["/tmp", "/run", "/dev"];
/// Places that every program needs to start, for jobs whose reading is limited.
const SYSTEM: [&str; 11] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/etc",
    "/opt",
    "/nix/store",
    "/proc",
    "/dev",
    "/sys/devices/system/cpu",
];

/// The version that this kernel has; 0 without Landlock.
pub(super) fn version() -> u32 {
    const ASK_VERSION: c_long = 1;
    let none: *const u8 = std::ptr::null();
    // SAFETY: with this flag the call reads nothing and answers with a number.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0, ASK_VERSION) };
    u32::try_from(version).unwrap_or(0)
}

/// Puts these restrictions on this process and all it will start.
pub(super) fn restrict(plan: &Plan) -> io::Result<()> {
    if version() == 0 && !plan.read.is_empty() {
        return Err(io::Error::other("reading cannot be limited: this kernel has no Landlock"));
    }
    enforce(plan).map_err(io::Error::other)
}

/// What does not exist gets no rule, and a file only the rights that files have.
fn enforce(plan: &Plan) -> Result<(), RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    let writing = all & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let system = if plan.read.is_empty() { &["/"][..] } else { &SYSTEM[..] };
    let read = plan.read.iter().map(|it| it.as_path()).chain(system.iter().map(Path::new));
    let write = plan.write.iter().chain(&plan.caches).map(|it| it.as_path()).chain(OWN.iter().map(Path::new));
    let rules = Ruleset::default().handle_access(all)?.scope(Scope::from_all(NEWEST))?.create()?;
    let rules = rules.add_rules(path_beneath_rules(read, AccessFs::from_read(NEWEST)))?;
    rules.add_rules(path_beneath_rules(write, writing))?.restrict_self().map(drop)
}
