//! Single programs with arguments of an odd form.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::Use;
use crate::classify::scope::Scope;
use crate::classify::simple::host_of;
use crate::classify::walk::Walk;
use crate::classify::word::{Word, joined};

/// `dd`: operands instead of options.
pub(super) fn dd(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    walk.facts.add(EffectKind::Write, Level::Edit, format!("dd {}", joined(arguments)));
    for word in arguments {
        match word.text.split_once('=').map(|it| it.0) {
            Some("if") => walk.use_path(&word.after(3), Use::Read, scope),
            Some("of") => walk.use_path(&word.after(3), Use::Write, scope),
            Some(_) => {}
            None => walk.facts.add(EffectKind::Unknown, Level::Shell, word.shown()),
        }
    }
}

/// `rsync`: a colon makes it the network.
pub(super) fn rsync(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    walk.facts.add(EffectKind::Write, Level::Shell, format!("rsync {}", joined(arguments)));
    let places: Vec<&Word> = arguments.iter().filter(|it| !it.text.starts_with('-')).collect();
    for (at, place) in places.iter().enumerate() {
        match place.text.split('/').next() {
            Some(host) if host.contains(':') => walk.facts.host(&host_of(&place.text)),
            _ => walk.use_path(place, if at + 1 == places.len() { Use::Write } else { Use::Read }, scope),
        }
    }
    walk.scan(arguments, scope);
}

/// `ln`: the target of a symbolic link counts from the folder of the link.
pub(super) fn link(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    walk.facts.add(EffectKind::Write, Level::Shell, format!("{name} {}", joined(arguments)));
    let symbolic = arguments.iter().any(|it| it.text.starts_with("--s") || is_short(&it.text, 's'));
    let names: Vec<&Word> = arguments.iter().filter(|it| !it.text.starts_with('-')).collect();
    let Some((last, targets)) = names.split_last().filter(|it| !it.1.is_empty()) else {
        return names.into_iter().for_each(|it| walk.use_path(it, Use::Read, scope));
    };
    let mut from = scope.clone();
    if symbolic && let Some((folder, _)) = last.text.rsplit_once('/').filter(|_| !last.has_hole()) {
        from.folder = walk.ground.enter(if folder.is_empty() { "/" } else { folder }, &scope.folder);
    }
    targets.iter().for_each(|it| walk.use_path(it, Use::Read, &from));
    walk.use_path(last, Use::Write, scope);
    walk.scan(arguments, &from);
}

fn is_short(text: &str, letter: char) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
}

/// `rm` and its relatives.
pub(super) fn remove(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let mut only_names = false;
    for word in arguments {
        let text = word.text.as_str();
        if text == "--" {
            only_names = true;
        } else if only_names || !text.starts_with('-') || text.len() == 1 {
            walk.use_path(word, Use::Delete, scope);
        } else if text.starts_with("--no-p") {
            walk.facts.add(EffectKind::Destroy, Level::System, word.shown());
        }
    }
    walk.facts.add(EffectKind::Delete, Level::Shell, format!("{name} {}", joined(arguments)));
}

/// `date`: reads the clock, or sets it.
pub(super) fn date(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut value = None;
    for word in arguments {
        let text = word.text.as_str();
        match value.take() {
            Some(true) => walk.use_path(word, Use::Read, scope),
            Some(false) => {}
            None if matches!(text, "-d" | "--date") => value = Some(false),
            None if matches!(text, "-r" | "-f" | "--reference" | "--file") => value = Some(true),
            None if text.starts_with("--file=") || text.starts_with("--ref") => {
                walk.scan(std::slice::from_ref(word), scope)
            }
            None if text.starts_with('+')
                || text.starts_with('-') && !text.starts_with("-s") && !text.starts_with("--s") => {}
            None => walk.facts.add(EffectKind::System, Level::System, format!("date {}", joined(arguments))),
        }
    }
}

/// Targets that reach further than a build.
const FAR_TARGETS: &[&str] = &["deploy", "publish", "release", "push", "upload", "ship"];

/// `make` and others that run what the project's own file says under a name.
pub(super) fn make(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    walk.facts.add(EffectKind::Execute, Level::Shell, format!("{name} {}", joined(arguments)));
    for word in arguments {
        let text = word.text.as_str();
        if text.starts_with("--eval") || text.contains("$(shell") || text.starts_with("SHELL=") {
            walk.facts.computed(Level::System, word.shown());
        } else if text == "install" || text == "uninstall" {
            walk.facts.add(EffectKind::System, Level::System, format!("{name} {text}"));
        } else if FAR_TARGETS.contains(&text) {
            walk.facts.add(EffectKind::Publish, Level::System, format!("{name} {text}"));
        }
    }
    walk.scan(arguments, scope);
}
