//! The languages whose parts are known, with the names that people give them and the queries that say what a node is.

use std::sync::OnceLock;

use tree_sitter::Query;

use super::class::Class;

/// Per capture of a query its class; the outer option is none for what says nothing of colours.
type ClassOfCapture = Vec<Option<Option<Class>>>;

/// One language.
pub(super) struct Language {
    /// What it is called behind a fence, and how its files end.
    names: &'static [&'static str],
    grammar: fn() -> tree_sitter::Language,
    /// Later ones count where several say something of the same node.
    queries: &'static [&'static str],
    compiled: OnceLock<Option<(Query, ClassOfCapture)>>,
    /// What opens and closes a text over several lines, longest first.
    pub quotes: &'static [(&'static str, &'static str)],
    /// What must stand before a part of a file for the rest to be read as code.
    pub before: &'static str,
}

/// Comments of C and what looks like it.
const C_COMMENT: (&str, &str) = ("/*", "*/");

macro_rules! language {
    ($names:expr, $grammar:expr, $queries:expr, $quotes:expr) => {
        language!($names, $grammar, $queries, $quotes, "")
    };
    ($names:expr, $grammar:expr, $queries:expr, $quotes:expr, $before:expr) => {
        Language {
            names: &$names,
            grammar: || $grammar.into(),
            queries: &$queries,
            compiled: OnceLock::new(),
            quotes: &$quotes,
            before: $before,
        }
    };
}

const JAVASCRIPT: &str = tree_sitter_javascript::HIGHLIGHT_QUERY;
const JSX: &str = tree_sitter_javascript::JSX_HIGHLIGHT_QUERY;
const TYPESCRIPT: &str = tree_sitter_typescript::HIGHLIGHTS_QUERY;

static ALL: [Language; 17] = [
    language!(["rust", "rs"], tree_sitter_rust::LANGUAGE, [tree_sitter_rust::HIGHLIGHTS_QUERY], [C_COMMENT]),
    language!(
        ["python", "py", "pyi", "python3", "pycon"],
        tree_sitter_python::LANGUAGE,
        [tree_sitter_python::HIGHLIGHTS_QUERY],
        [("\"\"\"", "\"\"\""), ("'''", "'''")]
    ),
    language!(
        ["javascript", "js", "jsx", "mjs", "cjs", "node"],
        tree_sitter_javascript::LANGUAGE,
        [JAVASCRIPT, JSX],
        [C_COMMENT, ("`", "`")]
    ),
    language!(
        ["typescript", "ts", "mts", "cts"],
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        [JAVASCRIPT, TYPESCRIPT],
        [C_COMMENT, ("`", "`")]
    ),
    language!(["tsx"], tree_sitter_typescript::LANGUAGE_TSX, [JAVASCRIPT, JSX, TYPESCRIPT], [C_COMMENT, ("`", "`")]),
    language!(["go", "golang"], tree_sitter_go::LANGUAGE, [tree_sitter_go::HIGHLIGHTS_QUERY], [C_COMMENT, ("`", "`")]),
    language!(["java"], tree_sitter_java::LANGUAGE, [tree_sitter_java::HIGHLIGHTS_QUERY], [C_COMMENT]),
    language!(["c"], tree_sitter_c::LANGUAGE, [tree_sitter_c::HIGHLIGHT_QUERY], [C_COMMENT]),
    language!(
        ["cpp", "c++", "cc", "cxx", "hpp", "hh", "hxx", "h", "cu", "cuh"],
        tree_sitter_cpp::LANGUAGE,
        [tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_cpp::HIGHLIGHT_QUERY],
        [C_COMMENT]
    ),
    language!(
        ["csharp", "c#", "cs"],
        tree_sitter_c_sharp::LANGUAGE,
        [tree_sitter_c_sharp::HIGHLIGHTS_QUERY],
        [C_COMMENT]
    ),
    language!(["ruby", "rb", "rake", "gemspec"], tree_sitter_ruby::LANGUAGE, [tree_sitter_ruby::HIGHLIGHTS_QUERY], []),
    language!(
        ["php", "phtml"],
        tree_sitter_php::LANGUAGE_PHP,
        [tree_sitter_php::HIGHLIGHTS_QUERY],
        [C_COMMENT],
        "<?php\n"
    ),
    language!(
        ["bash", "sh", "shell", "zsh", "ksh", "bats"],
        tree_sitter_bash::LANGUAGE,
        [tree_sitter_bash::HIGHLIGHT_QUERY],
        []
    ),
    language!(
        ["kotlin", "kt", "kts"],
        tree_sitter_kotlin_ng::LANGUAGE,
        [include_str!("kotlin.scm")],
        [C_COMMENT, ("\"\"\"", "\"\"\"")]
    ),
    language!(
        ["swift"],
        tree_sitter_swift::LANGUAGE,
        [tree_sitter_swift::HIGHLIGHTS_QUERY],
        [C_COMMENT, ("\"\"\"", "\"\"\"")]
    ),
    language!(
        ["scala", "sc", "sbt"],
        tree_sitter_scala::LANGUAGE,
        [tree_sitter_scala::HIGHLIGHTS_QUERY],
        [C_COMMENT, ("\"\"\"", "\"\"\"")]
    ),
    language!(
        ["lua", "luau"],
        tree_sitter_lua::LANGUAGE,
        [tree_sitter_lua::HIGHLIGHTS_QUERY],
        [("--[[", "]]"), ("[[", "]]")]
    ),
];

/// The language of that name, in lower case.
pub(super) fn named(name: &str) -> Option<&'static Language> {
    ALL.iter().find(|it| it.names.contains(&name))
}

impl Language {
    /// The parser's tables.
    pub fn grammar(&self) -> tree_sitter::Language {
        (self.grammar)()
    }

    /// The compiled query with the class of each of its captures.
    pub fn query(&self) -> Option<&(Query, ClassOfCapture)> {
        self.compiled
            .get_or_init(|| {
                let query = Query::new(&self.grammar(), &self.queries.concat()).ok()?;
                let classes = query.capture_names().iter().map(|it| class(it)).collect();
                Some((query, classes))
            })
            .as_ref()
    }
}

/// The class of a capture by its name. The queries use names of several editors for the same thing.
fn class(name: &str) -> Option<Option<Class>> {
    let (first, rest) = name.split_once('.').unwrap_or((name, ""));
    Some(Some(match (first, rest) {
        ("spell" | "nospell", _) => return None,
        (it, _) if it.starts_with('_') => return None,
        ("string", "escape") | ("escape", _) => Class::Escape,
        ("string" | "character", _) => Class::String,
        ("comment", _) => Class::Comment,
        ("number" | "float", _) => Class::Number,
        ("constant" | "boolean", _) | ("variable", "builtin") => Class::Constant,
        ("tag", "attribute") | ("attribute" | "label", _) => Class::Attribute,
        ("tag", _) => Class::Tag,
        ("function" | "method", _) => Class::Function,
        ("type" | "constructor" | "module" | "namespace", _) => Class::Type,
        ("property" | "field", _) | ("variable", "member") => Class::Property,
        ("keyword" | "conditional" | "repeat" | "include" | "exception" | "storageclass" | "preproc", _) => {
            Class::Keyword
        }
        // Variables, operators, brackets, and code inside a string.
        _ => return Some(None),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar() {
        for language in &ALL {
            assert!(language.query().is_some(), "{:?}: {:?}", language.names, {
                Query::new(&language.grammar(), &language.queries.concat()).err()
            });
        }
    }
}
