//! Programming languages by file name. It looks at names only, never into a file.

/// Endings, in lower case, and the language they stand for.
const ENDINGS: &[(&str, &str)] = &[
    ("bash", "Shell"),
    ("bats", "Shell"),
    ("c", "C"),
    ("cc", "C++"),
    ("cjs", "JavaScript"),
    ("cpp", "C++"),
    ("cs", "C#"),
    ("css", "CSS"),
    ("csx", "C#"),
    ("cts", "TypeScript"),
    ("cu", "C++"),
    ("cuh", "C++"),
    ("cxx", "C++"),
    ("dart", "Dart"),
    ("erl", "Erlang"),
    ("ex", "Elixir"),
    ("exs", "Elixir"),
    ("fs", "F#"),
    ("gemspec", "Ruby"),
    ("go", "Go"),
    ("h", "C"),
    ("hh", "C++"),
    ("hpp", "C++"),
    ("hs", "Haskell"),
    ("html", "HTML"),
    ("hxx", "C++"),
    ("inl", "C++"),
    ("ipp", "C++"),
    ("java", "Java"),
    ("jl", "Julia"),
    ("js", "JavaScript"),
    ("jsx", "JavaScript"),
    ("ksh", "Shell"),
    ("kt", "Kotlin"),
    ("kts", "Kotlin"),
    ("lua", "Lua"),
    ("luau", "Lua"),
    ("m", "Objective-C"),
    ("mjs", "JavaScript"),
    ("ml", "OCaml"),
    ("mts", "TypeScript"),
    ("php", "PHP"),
    ("phtml", "PHP"),
    ("pl", "Perl"),
    ("proto", "Protobuf"),
    ("py", "Python"),
    ("pyi", "Python"),
    ("r", "R"),
    ("rake", "Ruby"),
    ("rb", "Ruby"),
    ("rs", "Rust"),
    ("ru", "Ruby"),
    ("sbt", "Scala"),
    ("sc", "Scala"),
    ("scala", "Scala"),
    ("scss", "CSS"),
    ("sh", "Shell"),
    ("sql", "SQL"),
    ("svelte", "Svelte"),
    ("swift", "Swift"),
    ("ts", "TypeScript"),
    ("tsx", "TypeScript"),
    ("vue", "Vue"),
    ("zig", "Zig"),
    ("zsh", "Shell"),
];

/// The programming language that a file is written in, by the end of its name; none for prose, data and the unknown.
pub fn language(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    let known = ENDINGS.iter().find(|(it, _)| *it == ending).map(|(_, language)| *language);
    known.filter(|_| !stem.is_empty())
}

/// The same name as one that lives for ever; empty for a name that is not known.
pub(crate) fn known(name: &str) -> &'static str {
    ENDINGS.iter().find(|(_, it)| *it == name).map_or("", |it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_its_ending() {
        for (path, expected) in [
            ("src/main.rs", Some("Rust")),
            ("a.b/c.test.TSX", Some("TypeScript")),
            ("README.md", None),
            ("Makefile", None),
            ("src.rs/notes", None),
            (".rs", None),
            ("", None),
        ] {
            assert_eq!(language(path), expected, "{path}");
        }
    }
}
