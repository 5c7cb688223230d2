//! The rules of the house that neither the compiler nor clippy knows: one file per rule, one line in [`RULES`].
//!
//! Each rule is also a test of this package, so `cargo test` finds a breach without anybody thinking of it.

mod absences;
mod circles;
mod dependencies;
mod ignored;
mod layers;
mod licences;
mod links;
mod lints;
mod module_docs;
mod names;
mod places;
mod promises;
mod rule;
mod sizes;

use anyhow::{Result, ensure};

use crate::workspace::Workspace;
use rule::{Breach, Rule};
#[cfg(test)]
use rule::{assert_holds, breaches};

/// Every rule.
pub const RULES: &[Rule] = &[
    layers::RULE,
    circles::RULE,
    absences::RULE,
    sizes::RULE,
    promises::RULE,
    module_docs::RULE,
    names::RULE,
    lints::RULE,
    dependencies::RULE,
    licences::RULE,
    places::RULE,
    links::RULE,
    ignored::RULE,
];

/// `cargo xtask tidy [RULE…]`.
pub fn run(names: &[String]) -> Result<bool> {
    for name in names {
        let known: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        ensure!(known.contains(&name.as_str()), "there is no rule `{name}`; the rules are {}", known.join(", "));
    }
    let workspace = Workspace::load()?;
    let mut holds = true;
    for rule in RULES.iter().filter(|rule| names.is_empty() || names.iter().any(|name| name == rule.name)) {
        let breaches = (rule.check)(&workspace)?;
        println!("{:<13} {}", rule.name, if breaches.is_empty() { "ok" } else { rule.why });
        for breach in &breaches {
            println!("  {breach}");
        }
        holds &= breaches.is_empty();
    }
    Ok(holds)
}
