//! Three hundred lines with globs, settings of git and options that run programs, each with its effect (`lines.txt`).
//!
//! What a line does counts by effect: one that is judged as reading runs with the project read-only, its secrets hidden and
//! no network, so `held` lines may be judged either way; the others must never be judged as reading.

use ox_protocol::Level;

#[test]
fn none_is_judged_as_reading_that_is_not() {
    let (mut wrong, mut asked, mut reads, mut all) = (Vec::new(), Vec::new(), 0, 0);
    for line in include_str!("lines.txt").lines().filter(|it| !it.is_empty() && !it.starts_with('#')) {
        let (label, command) = line.split_once(": ").expect("a label and a line");
        let found = super::at_home(&command.replace("⏎", "\n"));
        all += 1;
        let right = match label {
            "read" => {
                reads += 1;
                if found.level > Level::Read {
                    asked.push(format!("{command}: {:?}", found.effects));
                }
                true
            }
            "held" => true,
            "run" | "write" | "secret" => found.level > Level::Read,
            "far" => found.level == Level::System,
            _ => panic!("no such label: {label}"),
        };
        if !right {
            wrong.push(format!("{label}: {command}: {:?} {:?}", found.level, found.effects));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(all >= 300, "{all} lines");
    assert!(
        asked.len() * 100 <= reads * 3,
        "{} of {reads} plain reads are asked about:\n{}",
        asked.len(),
        asked.join("\n")
    );
}
