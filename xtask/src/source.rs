//! Sizes and names in Rust files: what `rustc`'s lexer takes for comments and literals is blanked, braces are matched.
//!
//! It never expands macros and never reports an error: code that does not lex is the compiler's to complain about.

use std::ops::RangeInclusive;

use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

/// One Rust file, with everything that is not code blanked out.
pub struct Source {
    /// The code with the contents of comments, strings and characters replaced by blanks; same length, same lines.
    pub code: String,
    /// The inclusive line ranges, from 1, of the modules under `#[cfg(test)]`.
    pub test_modules: Vec<RangeInclusive<usize>>,
    /// Whether the whole file is test code.
    pub is_test: bool,
}

/// A function with a body.
#[derive(Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The lines, from 1, of its `fn` and of its closing brace.
    pub lines: RangeInclusive<usize>,
}

impl Source {
    /// Reads `text`; `path` says whether it is a test file.
    pub fn new(path: &str, text: &str) -> Source {
        let code = blank(text);
        let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs");
        let is_test = path.split('/').any(|part| matches!(part, "tests" | "examples" | "benches"))
            || stem == "tests"
            || stem.ends_with("_tests")
            || code.contains("#![cfg(test)]");
        let test_modules = test_modules(&code);
        Source { code, test_modules, is_test }
    }

    /// Whether the line, from 1, is test code.
    pub fn in_tests(&self, line: usize) -> bool {
        self.is_test || self.test_modules.iter().any(|lines| lines.contains(&line))
    }

    /// The files, from the root, of the modules that this file at `path` declares for tests only: `#[cfg(test)] mod x;`.
    pub fn test_files(&self, path: &str) -> Vec<String> {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = match file {
            "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
            _ => path.trim_end_matches(".rs").to_owned(),
        };
        let mut found = Vec::new();
        for (at, attribute) in self.code.match_indices("#[cfg(test)]") {
            let item = self.code[at + attribute.len()..].split(['{', ';']).next().unwrap_or_default();
            if let Some((_, name)) = items(item, "mod").first() {
                found.push(format!("{folder}/{name}.rs"));
                found.push(format!("{folder}/{name}/mod.rs"));
            }
        }
        found
    }

    /// Lines of the file that are not test code.
    pub fn product_lines(&self) -> usize {
        (1..=self.code.lines().count()).filter(|line| !self.in_tests(*line)).count()
    }

    /// Every function with a body, nested ones too.
    pub fn functions(&self) -> Vec<Function> {
        let mut found = Vec::new();
        for (at, name) in items(&self.code, "fn") {
            if let Some(end) = body_end(&self.code, at) {
                found.push(Function {
                    name: name.to_owned(),
                    lines: line_of(&self.code, at)..=line_of(&self.code, end),
                });
            }
        }
        found
    }

    /// Names, with their lines, of the types that the file declares.
    pub fn types(&self) -> Vec<(String, usize)> {
        ["struct", "enum", "trait", "type", "union"]
            .iter()
            .flat_map(|keyword| items(&self.code, keyword))
            .map(|(at, name)| (name.to_owned(), line_of(&self.code, at)))
            .collect()
    }

    /// The lines, from 1, on which `needle` stands as code outside tests and not as part of a longer name.
    pub fn uses(&self, needle: &str) -> Vec<usize> {
        self.code
            .match_indices(needle)
            .filter(|(at, _)| !self.code[..*at].ends_with(is_name))
            .map(|(at, _)| line_of(&self.code, at))
            .filter(|line| !self.in_tests(*line))
            .collect()
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

/// Where `keyword NAME` stands, with the name.
fn items<'a>(code: &'a str, keyword: &str) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(keyword) {
        let rest = &code[at + keyword.len()..];
        if code[..at].ends_with(is_name) || !rest.starts_with(char::is_whitespace) {
            continue;
        }
        let rest = rest.trim_start();
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        if end > 0 {
            found.push((at, &rest[..end]));
        }
    }
    found
}

/// The offset of the brace that closes the body of the item at `at`; `None` for one that ends in a semicolon.
fn body_end(code: &str, at: usize) -> Option<usize> {
    let (mut round, mut curly) = (0_i32, 0_i32);
    for (offset, byte) in code.bytes().enumerate().skip(at) {
        match byte {
            b'(' | b'[' => round += 1,
            b')' | b']' => round -= 1,
            b'{' => curly += 1,
            b'}' => {
                curly -= 1;
                if curly == 0 && round == 0 {
                    return Some(offset);
                }
            }
            b';' if curly == 0 && round == 0 => return None,
            _ => {}
        }
    }
    None
}

fn test_modules(code: &str) -> Vec<RangeInclusive<usize>> {
    let mut found = Vec::new();
    for (at, attribute) in code.match_indices("#[cfg(test)]") {
        if let Some(end) = body_end(code, at + attribute.len()) {
            found.push(line_of(code, at)..=line_of(code, end));
        }
    }
    found
}

/// Replaces what comments and literals contain by blanks, byte for byte, and keeps the line ends.
fn blank(text: &str) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for token in tokenize(text, FrontmatterAllowed::No) {
        let written = &text[at..at + token.len as usize];
        at += written.len();
        match token.kind {
            TokenKind::Literal { kind: LiteralKind::Int { .. } | LiteralKind::Float { .. }, .. } => out += written,
            TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } | TokenKind::Literal { .. } => {
                out.extend(written.bytes().map(|it| if it == b'\n' { '\n' } else { ' ' }));
            }
            _ => out += written,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_and_lifetimes_stay() {
        let text = "a /* { /* } */ */ b \"{\\\"\" r#\"}\"# '{' '\\'' 'x: &'a str // {\nc 'é'";
        let code = blank(text);
        assert_eq!(code.len(), text.len());
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "b", "'x:", "&'a", "str", "c"]);
    }

    #[test]
    fn functions_are_measured_from_fn_to_closing_brace() {
        let text = "trait T { fn f(); }\nfn g<F: Fn(u8)>(f: F)\n{\n  if x { \"}\" }\n}\nconst N: fn() = h;\n";
        let functions = Source::new("a.rs", text).functions();
        assert_eq!(functions, [Function { name: "g".into(), lines: 2..=5 }]);
    }

    #[test]
    fn an_array_type_in_a_signature_does_not_end_it() {
        let functions = Source::new("a.rs", "fn f(a: [u8; 4]) -> [u8; 2] {\n}\n").functions();
        assert_eq!(functions, [Function { name: "f".into(), lines: 1..=2 }]);
    }

    #[test]
    fn test_modules_do_not_count_as_product() {
        let source = Source::new("a.rs", "fn f() {}\n#[cfg(test)]\nmod tests {\n  fn g() { f.unwrap() }\n}\n");
        assert_eq!(source.product_lines(), 1);
        assert!(source.uses("unwrap").is_empty());
        assert!(Source::new("crates/a/tests/b.rs", "fn f() {}").is_test);
    }

    #[test]
    fn a_module_declared_for_tests_is_a_test_file() {
        let files = |path: &str| Source::new(path, "#[cfg(test)]\nmod a;\nmod b;\n").test_files(path);
        assert_eq!(files("c/src/lib.rs"), ["c/src/a.rs", "c/src/a/mod.rs"]);
        assert_eq!(files("c/src/x.rs"), ["c/src/x/a.rs", "c/src/x/a/mod.rs"]);
    }

    #[test]
    fn types_are_found_by_their_keyword() {
        let source = Source::new("a.rs", "// struct No;\npub struct A;\nenum B<T> {}\nfn structure() {}\n");
        assert_eq!(source.types(), [("A".to_owned(), 2), ("B".to_owned(), 3)]);
    }
}
