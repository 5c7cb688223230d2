//! Programs that change names which are kept from commands otherwise: a repository's configuration, its hooks, the
//! repository itself. They are told by those names, so that consent to such a call opens them and no others.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::Use;
use crate::classify::scope::{Folder, Scope};
use crate::classify::table;
use crate::classify::walk::Walk;
use crate::classify::word::{Word, joined};

/// Notes what the settings or the beginning of a repository change; `sets`: the call is known to set some.
pub(super) fn git(walk: &mut Walk<'_>, name: &str, arguments: &[Word], sets: bool, scope: &Scope) {
    let elsewhere = arguments.iter().any(|it| it.text.starts_with("--gl") || it.text.starts_with("--sy"));
    let first = arguments.iter().find(|it| !it.text.starts_with('-')).map_or("", |it| it.text.as_str());
    let sets =
        sets || name != "config" && matches!(first, "set-url" | "set-branch") || name == "remote" && first == "add";
    match name {
        "config" | "remote" | "submodule" if sets && !elsewhere => {
            repository(walk, &["config"], scope);
            if name == "submodule" {
                walk.use_path(&Word::plain(".gitmodules"), Use::Write, scope);
            }
        }
        "init" | "init-db" => begins(walk, folders(arguments).next(), scope),
        "clone" => begins(walk, folders(arguments).nth(1), scope),
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
        let is_value = std::mem::replace(&mut value, super::lists(VALUED, &it.text));
        !is_value && !it.text.starts_with('-')
    })
}

/// A repository begins at `folder`, the working folder unless it is given. Beneath the root that is nothing special.
fn begins(walk: &mut Walk<'_>, folder: Option<&Word>, scope: &Scope) {
    let at = folder.map_or_else(|| scope.folder.clone(), |it| walk.ground.enter(&it.text, &scope.folder));
    if let Folder::At(path) = &at
        && walk.ground.is_root(&at)
        && path.is_dir()
        && path.join(".git").symlink_metadata().is_err()
    {
        walk.use_path(&Word::plain(&path.join(".git").display().to_string()), Use::Write, scope);
    }
}

/// Notes `names` within the git folder that the working folder belongs to.
fn repository(walk: &mut Walk<'_>, names: &[&str], scope: &Scope) {
    let Folder::At(folder) = &scope.folder else { return };
    let own = folder.ancestors().find(|it| it.join(".git").symlink_metadata().is_ok()).unwrap_or(folder);
    for name in names {
        walk.use_path(&Word::plain(&own.join(".git").join(name).display().to_string()), Use::Write, scope);
    }
}

/// Programs that put themselves between git and its hooks.
pub(super) fn hooks(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    if let Some(program) = table::program(name) {
        walk.by_table(name, program, arguments, scope);
    } else {
        walk.facts.add(EffectKind::Execute, Level::Shell, format!("{name} {}", joined(arguments)).trim());
        walk.scan(arguments, scope);
    }
    let first = arguments.iter().find(|it| !it.text.starts_with('-')).map_or("", |it| it.text.as_str());
    match (name, first) {
        ("husky", "add" | "set") => walk.use_path(&Word::plain(".husky"), Use::Write, scope),
        ("husky", _) => {
            walk.use_path(&Word::plain(".husky"), Use::Write, scope);
            repository(walk, &["config"], scope);
        }
        (_, "install" | "uninstall") => repository(walk, &["hooks"], scope),
        ("simple-git-hooks", _) => repository(walk, &["hooks", "config"], scope),
        _ => {}
    }
}

/// `npx` and its like, which start a package's program; told by the table unless that program is one of these.
pub(super) fn through(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let at = arguments.iter().position(|it| !it.text.starts_with('-'));
    if at.is_some_and(|at| is_local(&arguments[at].text, &arguments[..at], scope)) {
        walk.facts.add(EffectKind::Execute, Level::Shell, format!("{name} {}", joined(arguments)).trim());
        walk.scan(arguments, scope);
    } else if let Some(program) = table::program(name) {
        walk.by_table(name, program, arguments, scope);
    }
    let Some(at) = at else { return };
    let called = arguments[at].text.split('@').next().unwrap_or_default().to_owned();
    if super::lists(super::HOOKS, &called) {
        hooks(walk, &called, &arguments[at + 1..], scope);
    }
}

/// True where nothing is fetched: the options forbid it, or the program lies in a `node_modules` above the working folder.
fn is_local(called: &str, options: &[Word], scope: &Scope) -> bool {
    let Folder::At(folder) = &scope.folder else { return false };
    let forbids = |it: &Word| matches!(it.text.as_str(), "--no-install" | "--no" | "--offline");
    let has = |it: &std::path::Path| it.join("node_modules/.bin").join(called).exists();
    options.iter().any(forbids) || !called.contains(['/', '@']) && folder.ancestors().any(has)
}
