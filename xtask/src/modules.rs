//! Which files of a crate use which: the graph that the rule `circles` looks at.
//!
//! It reads names only, as a compiler's first pass does: paths that begin with `crate`, `super`, `self`, a module declared in
//! the same file or a name that a `use` bound to one. Each is followed through re-exports to the file that defines what it
//! names. Methods are not seen: an `impl` of a type in another file than the type is no arrow back.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Source;

/// A file that uses an item of another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The file that uses, by its number.
    pub from: usize,
    /// The file that defines what is used.
    pub to: usize,
    /// The line of the first use, from 1.
    pub line: usize,
    /// The path as it is written there.
    pub path: String,
}

/// The modules of one crate.
pub struct Modules {
    files: Vec<Module>,
    by_path: BTreeMap<Vec<String>, usize>,
}

/// What one file declares and names.
#[derive(Default)]
struct Module {
    path: Vec<String>,
    items: BTreeSet<String>,
    uses: Vec<Use>,
    /// Paths in code, with their lines.
    paths: Vec<(Vec<String>, usize)>,
    /// Names that stand in code on their own, not as part of a path.
    names: BTreeSet<String>,
}

/// One name that a `use` brings; `*` for all of a module.
struct Use {
    path: Vec<String>,
    name: String,
    is_public: bool,
    line: usize,
}

/// What a path leads to.
#[derive(Clone, PartialEq)]
enum Target {
    Item(usize),
    Module(Vec<String>),
}

impl Modules {
    /// Reads the files of a crate: paths below `src` and what is in them.
    pub fn read(files: &[(String, Source)]) -> Modules {
        let files: Vec<Module> = files.iter().map(|(path, source)| Module::read(path, source)).collect();
        let by_path = files.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect();
        Modules { files, by_path }
    }

    /// Every use of another file, the first of each pair.
    pub fn arrows(&self) -> Vec<Arrow> {
        let mut found: BTreeMap<(usize, usize), Arrow> = BTreeMap::new();
        for from in 0..self.files.len() {
            for (path, line) in self.named_by(from) {
                if let Some(Target::Item(to)) =
                    self.follow(&self.files[from].path, &path, 0).filter(|it| *it != Target::Item(from))
                {
                    let arrow = Arrow { from, to, line, path: path.join("::") };
                    found.entry((from, to)).or_insert(arrow);
                }
            }
        }
        found.into_values().collect()
    }

    /// The paths that a file names in its own code. A re-export counts where the name is used in the same file as well.
    fn named_by(&self, from: usize) -> Vec<(Vec<String>, usize)> {
        let file = &self.files[from];
        let mut named = Vec::new();
        for it in &file.uses {
            if it.name == "*" {
                let names = file.names.iter().chain(file.paths.iter().map(|(path, _)| &path[0]));
                named.extend(names.map(|name| ([it.path.as_slice(), std::slice::from_ref(name)].concat(), it.line)));
            } else if !it.is_public
                || file.names.contains(&it.name)
                || file.paths.iter().any(|(path, _)| path[0] == it.name)
            {
                named.push((it.path.clone(), it.line));
            }
        }
        for (path, line) in &file.paths {
            let bound = file.uses.iter().find(|it| it.name == path[0]);
            match bound.and_then(|it| Some((it, self.follow(&file.path, &it.path, 0)?))) {
                Some((_, Target::Module(module))) => {
                    named.push(([&["crate".to_owned()], module.as_slice(), &path[1..]].concat(), *line));
                }
                _ => named.push((path.clone(), *line)),
            }
        }
        named
    }

    /// Where a path leads from a module; none outside of the crate.
    fn follow(&self, from: &[String], path: &[String], depth: usize) -> Option<Target> {
        let mut here = from.to_vec();
        for (at, part) in path.iter().enumerate() {
            match part.as_str() {
                "crate" => here.clear(),
                "self" => {}
                "super" => drop(here.pop()),
                _ => {
                    let inner = [here.as_slice(), std::slice::from_ref(part)].concat();
                    let is_last = at + 1 == path.len();
                    if self.by_path.contains_key(&inner) && !(is_last && self.declares(&here, part)) {
                        here = inner;
                        continue;
                    }
                    match self.named(&here, part, depth)? {
                        Target::Module(module) => here = module,
                        item => return Some(item),
                    }
                }
            }
        }
        Some(Target::Module(here))
    }

    /// What a name is in a module: its own item, or what a `use` there brought.
    fn named(&self, module: &[String], name: &str, depth: usize) -> Option<Target> {
        let at = *self.by_path.get(module)?;
        let file = &self.files[at];
        if file.items.contains(name) {
            return Some(Target::Item(at));
        }
        // A circle of re-exports ends the search.
        if depth > 8 {
            return None;
        }
        for it in file.uses.iter().filter(|it| it.name == name) {
            if it.path.first().is_some_and(|first| first != name || it.path.len() > 1)
                && let Some(found) = self.follow(module, &it.path, depth + 1)
            {
                return Some(found);
            }
        }
        file.uses.iter().filter(|it| it.name == "*").find_map(|it| {
            let path = [it.path.as_slice(), &[name.to_owned()]].concat();
            self.follow(module, &path, depth + 1)
        })
    }

    /// True where the module's file has an item or a `use` of this name beside a module of the same name.
    fn declares(&self, module: &[String], name: &str) -> bool {
        let file = self.by_path.get(module).map(|at| &self.files[*at]);
        file.is_some_and(|file| file.items.contains(name) || file.uses.iter().any(|it| it.name == name))
    }
}

/// The groups of more than one file in which each uses, over others, every other one.
pub fn circles(files: usize, arrows: &[Arrow]) -> Vec<Vec<usize>> {
    let reach: Vec<BTreeSet<usize>> = (0..files).map(|from| reached(from, arrows)).collect();
    let mut found: BTreeSet<Vec<usize>> = BTreeSet::new();
    for from in 0..files {
        let group: Vec<usize> = reach[from].iter().copied().filter(|to| reach[*to].contains(&from)).collect();
        if group.len() > 1 {
            found.insert(group);
        }
    }
    found.into_iter().collect()
}

fn reached(from: usize, arrows: &[Arrow]) -> BTreeSet<usize> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        open.extend(arrows.iter().filter(|it| it.from == at).map(|it| it.to).filter(|to| seen.insert(*to)));
    }
    seen
}

impl Module {
    fn read(path: &str, source: &Source) -> Module {
        let parts = path.trim_end_matches(".rs").split('/').map(str::to_owned);
        let path = parts.filter(|it| !matches!(it.as_str(), "lib" | "main" | "mod")).collect();
        let tokens = tokens(source);
        let mut module = Module { path, ..Module::default() };
        let (mut at, mut depth) = (0, 0_usize);
        while at < tokens.len() {
            let (text, line) = tokens[at];
            let before = at.checked_sub(1).map_or(";", |it| tokens[it].0);
            match text {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                "use" if matches!(before, ";" | "{" | "}" | "pub" | ")" | "]") => {
                    let end = at + tokens[at..].iter().position(|it| it.0 == ";").unwrap_or(tokens.len() - at);
                    let is_public = matches!(before, "pub" | ")");
                    for (path, name) in use_tree(Vec::new(), &tokens[at + 1..end]) {
                        module.uses.push(Use { path, name, is_public, line });
                    }
                    at = end;
                    continue;
                }
                "struct" | "enum" | "trait" | "type" | "union" | "fn" | "const" | "static" if depth == 0 => {
                    module.items.extend(tokens.get(at + 1).filter(|it| is_name(it.0)).map(|it| it.0.to_owned()));
                }
                "macro_rules" => module.items.extend(tokens.get(at + 2).map(|it| it.0.to_owned())),
                _ if is_name(text) && !matches!(before, "::" | "." | "mod") => {
                    let path = path_at(&tokens[at..]);
                    if path.len() > 1 {
                        at += 2 * (path.len() - 1);
                        module.paths.push((path, line));
                    } else {
                        module.names.insert(text.to_owned());
                    }
                }
                _ => {}
            }
            at += 1;
        }
        module
    }
}

/// The names joined by `::` at the start of the tokens.
fn path_at(tokens: &[(&str, usize)]) -> Vec<String> {
    let mut path = vec![tokens[0].0.to_owned()];
    for pair in tokens[1..].chunks(2) {
        match pair {
            [("::", _), (name, _)] if is_name(name) => path.push((*name).to_owned()),
            _ => break,
        }
    }
    path
}

/// Every path of a `use` with the name that it binds; `path` is what stands before these tokens.
fn use_tree(mut path: Vec<String>, tokens: &[(&str, usize)]) -> Vec<(Vec<String>, String)> {
    let mut name = None;
    for (at, (token, _)) in tokens.iter().enumerate() {
        match *token {
            "::" => {}
            "{" => return branches(&tokens[at + 1..]).flat_map(|it| use_tree(path.clone(), it)).collect(),
            "as" => {
                name = tokens.get(at + 1).map(|it| it.0.to_owned());
                break;
            }
            part => path.push(part.to_owned()),
        }
    }
    let Some(last) = path.last().cloned() else { return Vec::new() };
    // `*` stands for all of the module, and `self` for the module itself.
    if last == "*" || last == "self" && path.len() > 1 {
        path.pop();
    }
    let bound = if last == "self" { path.last().cloned().unwrap_or_default() } else { last };
    vec![(path, name.unwrap_or(bound))]
}

/// The tokens between the commas up to the brace that closes.
fn branches<'a>(tokens: &'a [(&'a str, usize)]) -> impl Iterator<Item = &'a [(&'a str, usize)]> {
    let mut depth = 0_usize;
    let mut closes = |token: &str| {
        depth += usize::from(token == "{");
        let ends = depth == 0 && token == "}";
        depth -= usize::from(token == "}" && !ends);
        ends
    };
    let end = tokens.iter().position(|it| closes(it.0)).unwrap_or(tokens.len());
    tokens[..end].split(move |it| {
        depth += usize::from(it.0 == "{");
        depth -= usize::from(it.0 == "}");
        depth == 0 && it.0 == ","
    })
}

/// The names and signs of a file outside tests, with their lines.
fn tokens(source: &Source) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    for (number, text) in source.code.lines().enumerate().filter(|(number, _)| !source.in_tests(number + 1)) {
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                _ if is_letter(first) => rest.find(|c| !is_letter(c)).unwrap_or(rest.len()),
                ':' if rest.starts_with("::") => 2,
                _ => first.len_utf8(),
            };
            found.push((&rest[..length], number + 1));
            rest = rest[length..].trim_start();
        }
    }
    found
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}
