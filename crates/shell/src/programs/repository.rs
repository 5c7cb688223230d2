//! Programs that change names which are kept from commands otherwise: a repository's configuration, its hooks, the
//! repository itself. They are told by those names, so that consent to such a call opens them and no others.

use std::path::Path;

use ox_protocol::{EffectKind, Level};

use crate::analyzer::Analyzer;
use crate::paths::{PathAccess, PathResolver};
use crate::scope::{Scope, WorkingDirectory};
use crate::table;
use crate::word::{Word, join_words};
use ox_protocol::word_list::contains;

/// Notes what the settings or the beginning of a repository change; `sets`: the call is known to set some.
pub(crate) fn git(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], sets: bool, scope: &Scope) {
    let elsewhere = arguments.iter().any(|it| it.text.starts_with("--gl") || it.text.starts_with("--sy"));
    let first = arguments.iter().find(|it| !it.text.starts_with('-')).map_or("", |it| it.text.as_str());
    let sets =
        sets || name != "config" && matches!(first, "set-url" | "set-branch") || name == "remote" && first == "add";
    match name {
        "config" | "remote" | "submodule" if sets && !elsewhere => {
            repository(analyzer, &["config"], scope);
            if name == "submodule" {
                analyzer.access(&Word::plain(".gitmodules"), PathAccess::Write, scope);
            }
        }
        "init" | "init-db" => begins(analyzer, folders(arguments).next(), scope),
        "clone" => begins(analyzer, folders(arguments).nth(1), scope),
        _ => {}
    }
}

/// Options of `init` and `clone` whose value is a word of its own.
const VALUED: &str = "-b -c -j -o -u --branch --config --depth --initial-branch --object-format --origin --ref-format \
    --reference --separate-git-dir --template";

/// The words that are neither options nor their values.
fn folders(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    let mut value = false;
    arguments.iter().filter(move |it| {
        let is_value = std::mem::replace(&mut value, contains(VALUED, &it.text));
        !is_value && !it.text.starts_with('-')
    })
}

/// A repository begins at `folder`, the working folder unless it is given. Beneath the root that is nothing special.
fn begins(analyzer: &mut Analyzer<'_>, folder: Option<&Word>, scope: &Scope) {
    let at = folder.map_or_else(|| scope.cwd.clone(), |it| analyzer.paths.change_directory(&it.text, &scope.cwd));
    if let WorkingDirectory::Known(path) = &at
        && analyzer.paths.is_root(&at)
        && analyzer.paths.is_directory(path)
        && !analyzer.paths.exists(&path.join(".git"))
    {
        analyzer.access(&Word::plain(&path.join(".git").display().to_string()), PathAccess::Write, scope);
    }
}

/// Notes `names` within the git folder that the working folder belongs to.
fn repository(analyzer: &mut Analyzer<'_>, names: &[&str], scope: &Scope) {
    let WorkingDirectory::Known(folder) = &scope.cwd else { return };
    let own = folder.ancestors().find(|it| analyzer.paths.exists(&it.join(".git"))).unwrap_or(folder);
    for name in names {
        analyzer.access(&Word::plain(&own.join(".git").join(name).display().to_string()), PathAccess::Write, scope);
    }
}

/// Programs that put themselves between git and its hooks.
pub(super) const HOOK_MANAGERS: &str = "husky lefthook pre-commit simple-git-hooks";

/// One of [`HOOK_MANAGERS`].
pub(crate) fn hooks(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    if let Some(program) = table::program(name) {
        analyzer.by_table(name, program, arguments, scope);
    } else {
        analyzer.findings.add(EffectKind::Execute, Level::Shell, format!("{name} {}", join_words(arguments)).trim());
        analyzer.scan(arguments, scope);
    }
    let first = arguments.iter().find(|it| !it.text.starts_with('-')).map_or("", |it| it.text.as_str());
    match (name, first) {
        ("husky", "add" | "set") => analyzer.access(&Word::plain(".husky"), PathAccess::Write, scope),
        ("husky", _) => {
            analyzer.access(&Word::plain(".husky"), PathAccess::Write, scope);
            repository(analyzer, &["config"], scope);
        }
        (_, "install" | "uninstall") => repository(analyzer, &["hooks"], scope),
        ("simple-git-hooks", _) => repository(analyzer, &["hooks", "config"], scope),
        _ => {}
    }
}

/// `npx` and its like, which start a package's program; told by the table unless that program is one of these.
pub(crate) fn npx(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let at = arguments.iter().position(|it| !it.text.starts_with('-'));
    if at.is_some_and(|at| is_local(analyzer.paths, &arguments[at].text, &arguments[..at], scope)) {
        analyzer.findings.add(EffectKind::Execute, Level::Shell, format!("{name} {}", join_words(arguments)).trim());
        analyzer.scan(arguments, scope);
    } else if let Some(program) = table::program(name) {
        analyzer.by_table(name, program, arguments, scope);
    }
    let Some(at) = at else { return };
    let called = arguments[at].text.split('@').next().unwrap_or_default().to_owned();
    if contains(HOOK_MANAGERS, &called) {
        hooks(analyzer, &called, &arguments[at + 1..], scope);
    }
}

/// True where nothing is fetched: the options forbid it, or the program lies in a `node_modules` above the working folder.
fn is_local(paths: &PathResolver, called: &str, options: &[Word], scope: &Scope) -> bool {
    let WorkingDirectory::Known(folder) = &scope.cwd else { return false };
    let forbids = |it: &Word| matches!(it.text.as_str(), "--no-install" | "--no" | "--offline");
    let has = |it: &Path| paths.exists(&it.join("node_modules/.bin").join(called));
    options.iter().any(forbids) || !called.contains(['/', '@']) && folder.ancestors().any(has)
}
