//! What some crates never do: each line names a thing, the only rooms that may hold it, and the reason.
//!
//! It reads code, not comments, strings or tests, and it sees names only: a renamed import escapes it.

use anyhow::Result;

use super::{Breach, Rule};
use crate::workspace::Workspace;

pub const RULE: Rule =
    Rule { name: "absences", why: "the invariants of ARCHITECTURE.md are things that never happen in a room", check };

/// Something that may stand in some rooms only.
struct Absence {
    needles: &'static [&'static str],
    /// Where it may stand.
    only: Where,
    why: &'static str,
}

enum Where {
    In(&'static [&'static str]),
    OutsideOf(&'static [&'static str]),
}

const ABSENCES: &[Absence] = &[
    Absence {
        needles: &["println!", "print!", "eprintln!", "eprint!"],
        only: Where::In(&["ox", "ui", "bench", "xtask"]),
        why: "only `ox` and `ui` print; return a value or an error instead",
    },
    Absence {
        needles: &[
            "std::fs",
            "std::env",
            "std::net",
            "std::process",
            "std::thread",
            "std::io",
            "SystemTime",
            "Instant",
            "tokio",
            "async fn",
            "async move",
            "fastrand",
            "RandomState",
        ],
        only: Where::OutsideOf(&["core", "edit", "protocol", "shell"]),
        why: "this layer decides from data alone: no I/O, no async, no clock, no randomness",
    },
    Absence {
        needles: &["Command::new", "process::Command"],
        only: Where::In(&["sandbox", "bench", "xtask", "scenario"]),
        why: "only `sandbox` starts processes; take a runner from the layer above",
    },
    Absence {
        needles: &["rusqlite::", "tokio_postgres::", "deadpool_postgres::"],
        only: Where::In(&["store"]),
        why: "only `store` speaks SQL",
    },
    Absence {
        needles: &["reqwest::"],
        only: Where::In(&["githost", "mcp", "model", "tools", "sdk", "telemetry"]),
        why: "only `model` speaks to providers, `mcp` to the MCP servers that the user configured or trusted, `githost` to the git host of a repository, `web_fetch` to whom the user consents, `telemetry` and `sdk` to the address that they are given",
    },
    Absence {
        needles: &["allow(unsafe_code)"],
        only: Where::In(&["sandbox"]),
        why: "unsafe code lives in `sandbox` alone",
    },
];

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let mut breaches = Vec::new();
    for (file, source) in workspace.sources() {
        for absence in ABSENCES.iter().filter(|absence| !absence.only.allows(file.room())) {
            for needle in absence.needles {
                let found = source.uses(needle).into_iter();
                breaches.extend(found.map(|line| Breach::at(&file.path, line, format!("`{needle}`: {}", absence.why))));
            }
        }
    }
    Ok(breaches)
}

impl Where {
    fn allows(&self, room: &str) -> bool {
        match self {
            Where::In(rooms) => rooms.contains(&room),
            Where::OutsideOf(rooms) => !rooms.contains(&room),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds() {
        super::super::assert_holds(&RULE);
    }

    #[test]
    fn a_clock_in_core_and_a_print_in_tools_are_found() {
        let files = [
            ("crates/core/src/a.rs", "fn f() { let now = std::time::SystemTime::now(); }\n"),
            (
                "crates/tools/src/a.rs",
                "fn f() {\n println!(\"\");\n}\n#[cfg(test)]\nmod tests { fn g() { println!(); } }\n",
            ),
            ("crates/ui/src/a.rs", "fn f() { println!(); }\n"),
            ("crates/tools/src/lib.rs", "#[cfg(test)]\nmod fake;\n"),
            ("crates/tools/src/fake/deep.rs", "fn f() { println!(); }\n"),
        ];
        assert_eq!(
            super::super::breaches(&RULE, &files),
            [
                "crates/core/src/a.rs:1: `SystemTime`: this layer decides from data alone: no I/O, no async, no clock, no randomness",
                "crates/tools/src/a.rs:2: `println!`: only `ox` and `ui` print; return a value or an error instead",
            ]
        );
    }
}
