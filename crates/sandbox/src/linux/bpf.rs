//! The little assembler behind the system call filter: programs of the kernel's classic packet filter.

/// One instruction.
pub(super) type Instruction = libc::sock_filter;

/// Where the kernel's `struct seccomp_data` keeps things.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

/// What becomes of a call.
pub(super) const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
pub(super) const NOTIFY: u32 = libc::SECCOMP_RET_USER_NOTIF;
pub(super) const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;

/// Answers the call with this error.
pub(super) const fn error(number: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | number as u32
}

const fn load(offset: u32) -> Instruction {
    Instruction { code: 0x20, jt: 0, jf: 0, k: offset }
}

/// Loads the number of the call.
pub(super) const fn number() -> Instruction {
    load(NUMBER)
}

/// Loads the machine that the call is made for.
pub(super) const fn architecture() -> Instruction {
    load(ARCHITECTURE)
}

/// Loads the low half of an argument: flags, modes and descriptors are no wider.
pub(super) const fn argument(index: u32) -> Instruction {
    load(ARGUMENTS + 8 * index)
}

/// Keeps the bits of `mask`.
pub(super) const fn and(mask: u32) -> Instruction {
    Instruction { code: 0x54, jt: 0, jf: 0, k: mask }
}

/// Goes on when the value is equal, otherwise skips `skip` steps.
pub(super) const fn unless_equal_skip(value: u32, skip: u8) -> Instruction {
    Instruction { code: 0x15, jt: 0, jf: skip, k: value }
}

/// Goes on when the value is at least this, otherwise skips `skip` steps.
pub(super) const fn unless_at_least_skip(value: u32, skip: u8) -> Instruction {
    Instruction { code: 0x35, jt: 0, jf: skip, k: value }
}

/// Goes on when one of these bits is set, otherwise skips `skip` steps.
pub(super) const fn unless_any_skip(mask: u32, skip: u8) -> Instruction {
    Instruction { code: 0x45, jt: 0, jf: skip, k: mask }
}

/// Ends the program with this answer.
pub(super) const fn answer(value: u32) -> Instruction {
    Instruction { code: 0x06, jt: 0, jf: 0, k: value }
}

/// Skips `skip` steps when the value is equal.
pub(super) const fn if_equal_skip(value: u32, skip: u8) -> Instruction {
    Instruction { code: 0x15, jt: skip, jf: 0, k: value }
}
