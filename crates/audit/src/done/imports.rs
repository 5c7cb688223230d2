//! Imports of changed files that stand for nothing, where that is certain; one that may be somebody else's is no finding.

use std::collections::BTreeSet;

use ox_index::{Resolver, Snapshot};
use ox_protocol::{AuditFinding, AuditKind};
use ox_syntax::{Facts, Import, ImportKind};

use crate::change::Changed;
use crate::ground::Ground;
use crate::pair::{Pair, finding};

pub(crate) fn findings(ground: &Ground<'_>, pairs: &[&Pair<'_>], index: &Snapshot) -> Vec<AuditFinding> {
    let resolver = Resolver::new(index);
    let loses = loses(ground);
    let mut out = Vec::new();
    for pair in pairs {
        let change = pair.change;
        let Some(after) = &change.after else { continue };
        if pair.after.code.is_none() {
            continue;
        }
        let facts = pair.after.facts();
        for import in &facts.imports {
            // What stood there before is not this change's, unless what it named went with the change.
            let counts = loses || pair.is_new_import(import);
            if counts && let Some((kind, about)) = missing(ground, index, &resolver, (change, facts), import) {
                let line = after.lines().nth(import.line.saturating_sub(1) as usize).unwrap_or_default();
                out.push(finding(kind, &change.path, import.line, &about, ("", line)));
            }
        }
    }
    out
}

/// True where the change takes files or definitions away.
fn loses(ground: &Ground<'_>) -> bool {
    ground.changes.iter().any(|it| it.after.is_none() || it.from.as_deref().is_some_and(|from| from != it.path))
}

type Missing = Option<(AuditKind, String)>;

fn missing(
    ground: &Ground<'_>,
    index: &Snapshot,
    resolver: &Resolver<'_>,
    (change, facts): (&Changed, &Facts),
    import: &Import,
) -> Missing {
    let found = resolver.resolve(&change.path, facts, import);
    match facts.language {
        "Python" => python(ground, index, (change, import), &found),
        "JavaScript" | "TypeScript" => script(ground, index, (change, import), &found),
        "Rust" => rust(ground, index, (change, import), &found),
        "Java" | "Kotlin" => jvm(index, import, &found),
        "Go" => go(ground, index, import, &found),
        _ => None,
    }
}

fn absent(import: &Import) -> Missing {
    Some((AuditKind::ImportMissing, import.what.clone()))
}

/// The names that a file gives to others; none where that cannot be told.
fn given(ground: &Ground<'_>, path: &str) -> Option<BTreeSet<String>> {
    let text = (ground.read)(path)?;
    let facts = ox_syntax::facts(path, &text);
    let dynamic = match facts.language {
        "Python" => ["__getattr__", "globals()", "exec(", "setattr(sys", "sys.modules", "__all__ +="]
            .iter()
            .any(|it| text.contains(it)),
        _ => ["export *", "module.exports", "exports[", "export =", "declare module", "Object.defineProperty(exports"]
            .iter()
            .any(|it| text.contains(it)),
    };
    let stars = facts.imports.iter().any(|it| it.names.iter().any(|it| it == "*"));
    if dynamic || stars || ox_syntax::check(path, &text).is_some() {
        return None;
    }
    // Whatever the file writes as a word may be bound there: only a name that never occurs is certainly not given.
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
    Some(words.filter(|it| !it.is_empty()).map(str::to_owned).collect())
}

/// The first name that a file does not have at all.
fn unknown_name(ground: &Ground<'_>, (change, import): (&Changed, &Import), path: &str) -> Missing {
    let words = given(ground, path)?;
    // What an import calls by another name is that file's own word.
    let is_alias = |it: &str| change.after_text().contains(&format!(" as {it}"));
    let is_sought = |it: &str| it != "*" && it != "default" && is_name(it) && !is_alias(it);
    let name = import.names.iter().find(|it| is_sought(it) && !words.contains(*it))?;
    Some((AuditKind::NameMissing, format!("{name} of {path}")))
}

fn is_name(it: &str) -> bool {
    it.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) && it.starts_with(|c: char| !c.is_numeric())
}

fn python(ground: &Ground<'_>, index: &Snapshot, (change, import): (&Changed, &Import), found: &[String]) -> Missing {
    let text = change.after_text();
    let line = text.lines().nth(import.line.saturating_sub(1) as usize).unwrap_or_default();
    // What is tried may be missing.
    let is_tried = line.starts_with([' ', '\t']);
    if is_tried {
        return None;
    }
    let relative = import.what.starts_with('.');
    if found.is_empty() {
        let own = import.what.split('.').next().unwrap_or_default();
        let folder = change.path.rsplit_once('/').map_or("", |it| it.0);
        let is_package = |root: &str| {
            let base = if root.is_empty() { own.to_owned() } else { format!("{root}/{own}") };
            index.has(&format!("{base}/__init__.py"))
        };
        // Files that are built, such as extensions, are in no index.
        let built = index.paths().any(|it| it.ends_with(".pyx") || it.ends_with(".pyi"));
        let inside = import.what.contains('.') && (is_package("") || is_package("src") || is_package(folder));
        return ((relative && !import.what.trim_start_matches('.').is_empty() || inside) && !built)
            .then(|| absent(import))
            .flatten();
    }
    let [path] = found else { return None };
    (path.ends_with(".py") && !path.ends_with("__init__.py"))
        .then(|| unknown_name(ground, (change, import), path))
        .flatten()
}

fn script(ground: &Ground<'_>, index: &Snapshot, (change, import): (&Changed, &Import), found: &[String]) -> Missing {
    if found.is_empty() {
        let relative = import.what.starts_with("./") || import.what.starts_with("../");
        let what = import.what.rsplit('/').next().unwrap_or_default();
        // What is built, generated or no script is in no index.
        let other = what.contains('?')
            || import.what.contains("generated")
            || import.what.contains("dist/")
            || import.what.contains("build/");
        let ending = what.rsplit_once('.').map_or("", |it| it.1);
        let is_script = matches!(ending, "" | "js" | "ts" | "tsx" | "jsx" | "mjs" | "vue")
            || what == "."
            || what == ".."
            || !what.contains('.');
        let beside = folder_has(index, &change.path, &import.what);
        return (relative && is_script && !other && !beside).then(|| absent(import)).flatten();
    }
    let [path] = found else { return None };
    let is_code =
        [".ts", ".tsx", ".js", ".jsx", ".mjs"].iter().any(|it| path.ends_with(it)) && !path.ends_with(".d.ts");
    is_code.then(|| unknown_name(ground, (change, import), path)).flatten()
}

/// True where some file lies where a relative import points, whatever its ending.
fn folder_has(index: &Snapshot, from: &str, what: &str) -> bool {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in what.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    let path = parts.join("/");
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    index.folder(folder).iter().any(|it| it.rsplit('/').next().unwrap_or_default().starts_with(name))
        || !index.folder(&path).is_empty()
}

/// A path within the own crate whose module is nowhere.
fn rust(ground: &Ground<'_>, index: &Snapshot, (change, import): (&Changed, &Import), found: &[String]) -> Missing {
    let rest = import.what.strip_prefix("crate::")?;
    // A name of one part may be that of a macro, which no list of definitions has.
    let (first, _) = rest.split_once("::")?;
    let first = first.trim_start_matches("r#");
    // Where nothing else was found the root stands for what it may define itself; whatever word it has it may bind.
    let binds = |it: &String| {
        let is_root = ["lib.rs", "main.rs", "mod.rs"].contains(&it.rsplit('/').next().unwrap_or_default());
        let has_word = |text: String| text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|it| it == first);
        !is_root || (ground.read)(it).is_none_or(has_word)
    };
    if found.iter().any(binds) || first.is_empty() || first == "*" || first.contains('{') {
        return None;
    }
    // A module or an item of that name anywhere in the project, a macro or a generated one, makes it uncertain.
    let named = index.by_name(&format!("{first}.rs")).len() + index.by_suffix(&format!("{first}/mod.rs")).len();
    let defined = !index.defined(first, ox_index::How::Exact, 1).is_empty();
    let inline = change.after_text().contains(&format!("mod {first}"));
    let generated = index.paths().any(|it| it.ends_with("build.rs"));
    (named == 0 && !defined && !inline && !generated).then(|| absent(import)).flatten()
}

/// A class in a package that the project itself has, and no file has it.
fn jvm(index: &Snapshot, import: &Import, found: &[String]) -> Missing {
    if !found.is_empty() || import.kind == ImportKind::System {
        return None;
    }
    let name = import.names.first()?;
    let package = import.what.strip_suffix(name.as_str()).unwrap_or(&import.what).trim_end_matches('.');
    let folder = package.replace('.', "/");
    let has_package =
        folder.contains('/') && index.paths().any(|it| it.rsplit_once('/').is_some_and(|it| it.0.ends_with(&folder)));
    let defined = !index.defined(name, ox_index::How::Exact, 1).is_empty();
    let is_class = name.starts_with(char::is_uppercase);
    (has_package && is_class && !defined).then(|| absent(import)).flatten()
}

/// A package of the own module whose folder has no file.
fn go(ground: &Ground<'_>, index: &Snapshot, import: &Import, found: &[String]) -> Missing {
    if !found.is_empty() {
        return None;
    }
    let root = index.by_name("go.mod");
    if root.len() != 1 || root[0] != "go.mod" {
        return None;
    }
    let module =
        (ground.read)("go.mod")?.lines().find_map(|it| it.strip_prefix("module ").map(|it| it.trim().to_owned()))?;
    let own = import.what.strip_prefix(&format!("{module}/"))?;
    let files = index.folder(own);
    files.iter().all(|it| !it.ends_with(".go")).then(|| absent(import)).flatten()
}
