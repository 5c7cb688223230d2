//! JavaScript and TypeScript: relative paths with their endings left out, folders with an index, the aliases of
//! `tsconfig.json` and `jsconfig.json`, and the packages of the workspace by their `package.json`.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::context::{Aliases, Package, Resolver};
use crate::graph::paths::{folder, join, upward};
use ox_syntax::{Import, plain_json};

/// Endings that an import leaves out, in the order in which they are tried.
const ENDINGS: [&str; 12] = ["ts", "tsx", "d.ts", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "json"];
/// Configurations that extend one another at most.
const MOST_EXTENDS: usize = 4;

pub(super) fn resolve(of: &Resolver<'_>, from: &str, import: &Import) -> Vec<String> {
    let what = import.what.split(['?', '#']).next().filter(|it| !it.is_empty()).unwrap_or(&import.what);
    if what.starts_with('.') {
        let path = join(folder(from), what);
        return path.and_then(|it| file(of, &it)).into_iter().collect();
    }
    let found = aliased(of, from, what).or_else(|| packaged(of, what)).or_else(|| usual(of, from, what));
    found.into_iter().collect()
}

/// The file that a path without an ending stands for.
fn file(of: &Resolver<'_>, path: &str) -> Option<String> {
    let exact = of.project.has(path).then(|| path.to_string());
    // TypeScript names the file that will be built.
    let built = path.rsplit_once('.').filter(|it| matches!(it.1, "js" | "jsx" | "mjs" | "cjs")).map(|it| it.0);
    let endings = |base: String| ENDINGS.iter().map(move |it| format!("{base}.{it}"));
    exact
        .or_else(|| of.first(endings(path.to_string())))
        .or_else(|| of.first(built.into_iter().flat_map(|it| endings(it.to_string()))))
        .or_else(|| of.first(endings(join(path, "index")?)))
}

/// A path through the nearest configuration.
fn aliased(of: &Resolver<'_>, from: &str, what: &str) -> Option<String> {
    for here in upward(folder(from)) {
        let aliases = aliases(of, here);
        for (pattern, places) in &aliases.paths {
            let Some(star) = matched(pattern, what) else { continue };
            let found = places.iter().find_map(|it| file(of, &it.replacen('*', star, 1)));
            if found.is_some() {
                return found;
            }
        }
        if let Some(found) = aliases.base.as_ref().and_then(|base| file(of, &join(base, what)?)) {
            return Some(found);
        }
        // The nearest configuration is the one that holds.
        if !aliases.paths.is_empty() || aliases.base.is_some() {
            return None;
        }
    }
    None
}

/// What `*` stands for where a pattern fits.
fn matched<'w>(pattern: &str, what: &'w str) -> Option<&'w str> {
    match pattern.split_once('*') {
        Some((before, after)) => what.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == what).then_some(""),
    }
}

/// What the configurations of a folder say.
fn aliases(of: &Resolver<'_>, folder: &str) -> Rc<Aliases> {
    if let Some(known) = of.aliases.borrow().get(folder) {
        return Rc::clone(known);
    }
    let configs = ["tsconfig.json", "jsconfig.json", "tsconfig.base.json", "tsconfig.app.json"];
    let found = configs.iter().filter_map(|it| join(folder, it)).filter(|it| of.project.has(it));
    let mut out = Aliases::default();
    for config in found {
        read(of, &config, &mut out);
    }
    let out = Rc::new(out);
    of.aliases.borrow_mut().insert(folder.to_string(), Rc::clone(&out));
    out
}

/// Adds what a configuration says, and what those say that it extends.
fn read(of: &Resolver<'_>, config: &str, out: &mut Aliases) {
    let mut next = Some(config.to_string());
    for _ in 0..MOST_EXTENDS {
        let Some(path) = next.take() else { return };
        let Some(json) = of.project.text(&path).and_then(|it| serde_json::from_str::<Value>(&plain_json(&it)).ok())
        else {
            return;
        };
        let here = folder(&path);
        let options = &json["compilerOptions"];
        let base = options["baseUrl"].as_str().and_then(|it| join(here, it));
        for (pattern, places) in options["paths"].as_object().into_iter().flatten() {
            let from = base.as_deref().unwrap_or(here);
            let places = places.as_array().into_iter().flatten().filter_map(Value::as_str);
            out.paths.push((pattern.clone(), places.filter_map(|it| join(from, it)).collect()));
        }
        out.base = out.base.take().or(base);
        let extends = json["extends"].as_str().filter(|it| it.starts_with('.'));
        next = extends.and_then(|it| join(here, it)).map(|it| if it.ends_with(".json") { it } else { it + ".json" });
    }
}

/// A package of the workspace, or something in it.
fn packaged(of: &Resolver<'_>, what: &str) -> Option<String> {
    let packages = of.packages.get_or_init(|| packages(of));
    let parts = if what.starts_with('@') { 2 } else { 1 };
    let end = what.match_indices('/').nth(parts - 1).map_or(what.len(), |it| it.0);
    let package = packages.get(&what[..end])?;
    let sub = what[end..].trim_start_matches('/');
    let within = |path: &str| join(&package.folder, path).and_then(|it| file(of, &it));
    let named = offered(&package.exports, sub).iter().find_map(|it| within(it).or_else(|| within(&source(it))));
    if sub.is_empty() {
        let entries = package.entries.iter().find_map(|it| within(it).or_else(|| within(&source(it))));
        let usual = ["src/index", "index", "lib/index", "src/main"];
        return named.or(entries).or_else(|| usual.iter().find_map(|it| within(it)));
    }
    named.or_else(|| within(sub)).or_else(|| within(&format!("src/{sub}")))
}

/// Where the source of a built file usually is.
fn source(path: &str) -> String {
    let path = path.trim_start_matches("./");
    let inner = ["dist/", "build/", "lib/", "out/", "esm/", "cjs/"].iter().find_map(|it| path.strip_prefix(it));
    let stem = inner.unwrap_or(path).split('.').next().unwrap_or_default();
    format!("src/{stem}")
}

/// The files that `exports` names for a part of a package, whatever the condition.
fn offered(exports: &Value, sub: &str) -> Vec<String> {
    let key = if sub.is_empty() { ".".to_string() } else { format!("./{sub}") };
    let mut star = "";
    let entry = match exports {
        Value::Object(table) if table.keys().any(|it| it.starts_with('.')) => {
            let fits = table.iter().find_map(|(pattern, value)| Some((matched(pattern, &key)?, value)));
            let exact = table.get(&key).map(|it| ("", it));
            exact.or(fits).map(|(part, value)| {
                star = part;
                value
            })
        }
        _ if sub.is_empty() => Some(exports),
        _ => None,
    };
    let mut out = Vec::new();
    let mut stack: Vec<&Value> = entry.into_iter().collect();
    while let Some(value) = stack.pop() {
        match value {
            Value::String(path) => out.push(path.replacen('*', star, 1)),
            Value::Object(table) => stack.extend(table.values()),
            Value::Array(list) => stack.extend(list),
            _ => {}
        }
    }
    out
}

/// The packages of the project by their names.
fn packages(of: &Resolver<'_>) -> HashMap<String, Package> {
    let mut out = HashMap::new();
    for (folder, text) in of.manifests("package.json") {
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        let Some(name) = json["name"].as_str() else { continue };
        let keys = ["source", "module", "main", "types", "typings"];
        let entries = keys.iter().filter_map(|it| json[*it].as_str()).map(str::to_string).collect();
        out.insert(name.to_string(), Package { folder, entries, exports: json["exports"].clone() });
    }
    out
}

/// `@/x` and `~/x`, which bundlers take from the package's sources.
fn usual(of: &Resolver<'_>, from: &str, what: &str) -> Option<String> {
    let rest = what.strip_prefix("@/").or_else(|| what.strip_prefix("~/"))?;
    upward(folder(from)).find_map(|here| {
        let is_package = join(here, "package.json").is_some_and(|it| of.project.has(&it));
        let places = ["src", "", "app"].iter().filter_map(|it| join(here, &format!("{it}/{rest}")));
        places.filter(|_| is_package).find_map(|it| file(of, &it))
    })
}
