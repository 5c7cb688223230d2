//! From imports to files, by each language's own rules. What manifests say is read once per resolver; nothing outside of
//! the project is ever an answer, and an import that fits nothing has no answer rather than a guess.

use super::context::Resolver;
use super::{bash, c, csharp, go, jvm, lua, php, python, ruby, rust, script, swift};
use ox_syntax::{Facts, Import};

/// Files that one import stands for at most.
const MOST: usize = 60;

impl Resolver<'_> {
    /// The files of the project that an import of `from` stands for, the likeliest first; never `from` itself.
    pub fn resolve(&self, from: &str, facts: &Facts, import: &Import) -> Vec<String> {
        let found = match facts.language {
            "Rust" => rust::resolve(self, from, import),
            "Python" => python::resolve(self, from, import),
            "JavaScript" | "TypeScript" | "Vue" | "Svelte" => script::resolve(self, from, import),
            "Go" => go::resolve(self, from, facts, import),
            "Java" | "Kotlin" | "Scala" => jvm::resolve(self, from, facts, import),
            "C" | "C++" => c::resolve(self, from, import),
            "C#" => csharp::resolve(self, facts, import),
            "Ruby" => ruby::resolve(self, from, import),
            "PHP" => php::resolve(self, from, import),
            "Lua" => lua::resolve(self, from, import),
            "Swift" => swift::resolve(self, facts, import),
            "Shell" => bash::resolve(self, from, import),
            _ => Vec::new(),
        };
        settled(from, found)
    }

    /// The files that a file uses without an import: of its own package or module, where the language has that.
    pub fn implied(&self, from: &str, facts: &Facts) -> Vec<String> {
        let found = match facts.language {
            "Java" | "Kotlin" | "Scala" => jvm::implied(self, from, facts),
            "Go" => go::implied(self, from, facts),
            "C#" => csharp::implied(self, facts),
            "Ruby" => ruby::implied(self, from, facts),
            "PHP" => php::implied(self, from, facts),
            "Swift" => swift::implied(self, from, facts),
            _ => Vec::new(),
        };
        settled(from, found)
    }
}

/// True for a language in which files use others without an import.
pub(crate) fn has_implied(language: &str) -> bool {
    matches!(language, "Java" | "Kotlin" | "Scala" | "Go" | "C#" | "Ruby" | "PHP" | "Swift")
}

/// Each file once, without the one that asks, and not too many.
fn settled(from: &str, found: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for path in found {
        if path != from && !out.contains(&path) && out.len() < MOST {
            out.push(path);
        }
    }
    out
}
