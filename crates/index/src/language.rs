//! Programming languages by file name. It looks at names only, never into a file.

/// Endings, in lower case, and the language they stand for.
const ENDINGS: &[(&str, &str)] = &[
    ("bash", "Shell"),
    ("c", "C"),
    ("cc", "C++"),
    ("cpp", "C++"),
    ("cs", "C#"),
    ("css", "CSS"),
    ("cts", "TypeScript"),
    ("cxx", "C++"),
    ("dart", "Dart"),
    ("erl", "Erlang"),
    ("ex", "Elixir"),
    ("exs", "Elixir"),
    ("fs", "F#"),
    ("go", "Go"),
    ("h", "C"),
    ("hh", "C++"),
    ("hpp", "C++"),
    ("hs", "Haskell"),
    ("html", "HTML"),
    ("java", "Java"),
    ("jl", "Julia"),
    ("js", "JavaScript"),
    ("jsx", "JavaScript"),
    ("kt", "Kotlin"),
    ("kts", "Kotlin"),
    ("lua", "Lua"),
    ("m", "Objective-C"),
    ("mjs", "JavaScript"),
    ("mts", "TypeScript"),
    ("ml", "OCaml"),
    ("php", "PHP"),
    ("pl", "Perl"),
    ("proto", "Protobuf"),
    ("py", "Python"),
    ("pyi", "Python"),
    ("r", "R"),
    ("rb", "Ruby"),
    ("rs", "Rust"),
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
