//! The order in which files that change together are written: what others import before those that import it,
//! entry points last, otherwise as given.
//!
//! Imports count by the names in them, without resolving a path: for an order that is enough, and a name too many costs
//! nothing.

use std::path::Path;

/// Names of files that start a program or gather a package; others lead to nothing else.
const ENTRIES: [&str; 12] =
    ["main", "index", "app", "lib", "mod", "cli", "server", "manage", "program", "__main__", "__init__", "setup"];
/// The indices of `files` (path and text) in the order in which they are to be written. A cycle is cut at the file that
/// was given first.
pub fn dependency_order(files: &[(&str, &str)]) -> Vec<usize> {
    let names: Vec<String> = files.iter().map(|(path, _)| name(path)).collect();
    let needs: Vec<Vec<usize>> = files.iter().enumerate().map(|(at, it)| needed(at, *it, &names)).collect();
    let mut left: Vec<usize> = (0..files.len()).collect();
    left.sort_by_key(|it| is_entry(files[*it].0));
    let mut order = Vec::with_capacity(files.len());
    while !left.is_empty() {
        let free = left.iter().position(|it| needs[*it].iter().all(|need| order.contains(need)));
        order.push(left.remove(free.unwrap_or(0)));
    }
    order
}

/// The name under which others import a file: its own, or its folder's where it stands for the folder.
fn name(path: &str) -> String {
    let stem = stem(path);
    let folder = Path::new(path).parent().and_then(Path::file_name).map(|it| it.to_string_lossy().into_owned());
    match stem.as_str() {
        "mod" | "index" | "__init__" => folder.unwrap_or(stem),
        _ => stem,
    }
}

fn stem(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.split('.').find(|it| !it.is_empty()).unwrap_or(file).to_owned()
}

fn is_entry(path: &str) -> bool {
    ENTRIES.contains(&stem(path).to_ascii_lowercase().as_str())
}

fn needed(at: usize, (path, text): (&str, &str), names: &[String]) -> Vec<usize> {
    let mut found = Vec::new();
    for import in ox_syntax::facts(path, text).imports {
        let said = std::iter::once(&import.what).chain(&import.names);
        let words = said.flat_map(|it| it.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')));
        for word in words.filter(|it| !it.is_empty()) {
            let named = names.iter().position(|it| it == word);
            found.extend(named.filter(|it| *it != at && !found.contains(it)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(files: &[(&str, &str)]) -> String {
        dependency_order(files).into_iter().map(|it| files[it].0).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_imported_comes_first_and_entry_points_last() {
        let cases: [(&[(&str, &str)], &str); 7] = [
            (&[("src/main.rs", "mod money;\nuse money::Cents;"), ("src/money.rs", "")], "src/money.rs src/main.rs"),
            (&[("src/lib.rs", ""), ("src/a.rs", "use crate::b::B;"), ("src/b.rs", "")], "src/b.rs src/a.rs src/lib.rs"),
            (
                &[
                    ("app.py", "from shop.cart import Cart"),
                    ("shop/cart.py", "import shop.price"),
                    ("shop/price.py", ""),
                ],
                "shop/price.py shop/cart.py app.py",
            ),
            (
                &[("src/view.ts", "import { f } from './store'"), ("src/store/index.ts", "")],
                "src/store/index.ts src/view.ts",
            ),
            (&[("a.c", "#include \"a.h\""), ("a.h", "")], "a.c a.h"),
            (&[("x.js", "const y = require('./y')"), ("y.js", "const x = require('./x')")], "x.js y.js"),
            (&[("one.md", "see two"), ("two.md", "")], "one.md two.md"),
        ];
        for (files, expected) in cases {
            assert_eq!(ordered(files), expected);
        }
    }
}
