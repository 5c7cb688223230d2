//! Each source file opens with `//!`: what it promises, above all what it never does.
//!
//! It checks that the promise is there; whether it is kept, tests and reviewers say.

use anyhow::Result;

use super::{Breach, Rule};
use crate::workspace::Workspace;

pub const RULE: Rule = Rule {
    name: "promises",
    why: "a reader decides from a file's first lines whether to read on; open it with `//!` and its promise",
    check,
};

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let rust = workspace.files.iter().filter(|file| file.path.ends_with(".rs"));
    let silent = rust.filter(|file| !file.text.trim_start().starts_with("//!"));
    Ok(silent.map(|file| Breach::of(&file.path, "does not begin with `//!`")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds() {
        super::super::assert_holds(&RULE);
    }

    #[test]
    fn a_file_that_starts_with_code_is_found() {
        let files = [("a.rs", "\n//! Promise.\nuse b;\n"), ("b.rs", "use c;\n//! Late.\n")];
        assert_eq!(super::super::breaches(&RULE, &files), ["b.rs: does not begin with `//!`"]);
    }
}
