//! The filter of system calls that a container gets instead of its daemon's usual one, which lets through what a command has
//! no business with: namespaces of its own, keys, other machines' sockets, typing into terminals, 32-bit calls.
//!
//! What is named here is refused, everything else is allowed: what it could do is held by the container's other limits. The same
//! calls are refused in the kernel's sandbox.

use serde_json::{Value, json};

use crate::syscalls::REFUSED;

/// Each flag of `clone` that makes a namespace.
const NAMESPACE_FLAGS: [u64; 7] =
    [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];
/// Requests to terminals that type for the user or take the console: `TIOCSTI`, `TIOCLINUX`, `TIOCCONS`.
const TERMINALS: [u64; 3] = [0x5412, 0x541C, 0x541D];
/// Families of sockets that programs need: the machine's own, both of the internet, and the kernel's.
const FAMILIES: [u64; 4] = [1, 2, 10, NETLINK];
const NETLINK: u64 = 16;
/// The highest family that the rules name one by one; all above are refused.
const HIGHEST: u64 = 63;

const NOT_PERMITTED: u32 = 1;
const NOT_THERE: u32 = 38;
const NO_FAMILY: u32 = 97;

/// The filter in the form that container runtimes read.
pub(super) fn filter() -> Value {
    // Every namespace that `unshare` makes is refused; programs need none.
    let names: Vec<&str> = REFUSED.iter().map(|it| it.0).chain(["unshare"]).collect();
    // Programs fall back to `clone`, whose flags can be judged, when this one is not there.
    let mut rules = vec![rule(&names, NOT_PERMITTED, &[]), rule(&["clone3"], NOT_THERE, &[])];
    rules.extend(NAMESPACE_FLAGS.map(|flag| rule(&["clone"], NOT_PERMITTED, &[masked(0, flag, flag)])));
    rules.extend(TERMINALS.map(|request| rule(&["ioctl"], NOT_PERMITTED, &[masked(1, 0xffff_ffff, request)])));
    let families = (0..=HIGHEST).filter(|it| !FAMILIES.contains(it));
    rules.extend(families.map(|process_group| rule(&["socket"], NO_FAMILY, &[compared(0, "EQ", process_group)])));
    rules.push(rule(&["socket"], NO_FAMILY, &[compared(0, "GT", HIGHEST)]));
    // Of the kernel's own only the one that tells of interfaces and routes.
    rules.push(rule(&["socket"], NO_FAMILY, &[compared(0, "EQ", NETLINK), compared(2, "NE", 0)]));
    json!({ "defaultAction": "SCMP_ACT_ALLOW", "architectures": [architecture()], "syscalls": rules })
}

/// This machine's own calls alone: those of other architectures end the process.
fn architecture() -> &'static str {
    if cfg!(target_arch = "aarch64") { "SCMP_ARCH_AARCH64" } else { "SCMP_ARCH_X86_64" }
}

fn rule(names: &[&str], error: u32, arguments: &[Value]) -> Value {
    json!({ "names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": arguments })
}

fn masked(index: u32, mask: u64, value: u64) -> Value {
    json!({ "index": index, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ" })
}

fn compared(index: u32, how: &str, value: u64) -> Value {
    json!({ "index": index, "value": value, "valueTwo": 0, "op": format!("SCMP_CMP_{how}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_family_is_left_out_and_none_is_refused_that_is_needed() {
        let filter = filter();
        let rules = filter["syscalls"].as_array().unwrap();
        let whole = |process_group: u64| {
            rules.iter().any(|rule| {
                rule["names"][0] == "socket"
                    && rule["args"].as_array().unwrap().len() == 1
                    && match rule["args"][0]["op"].as_str().unwrap() {
                        "SCMP_CMP_EQ" => rule["args"][0]["value"] == process_group,
                        _ => process_group > rule["args"][0]["value"].as_u64().unwrap(),
                    }
            })
        };
        let open: Vec<u64> = (0..200).filter(|it| !whole(*it)).collect();
        assert_eq!(open, FAMILIES);
    }
}
