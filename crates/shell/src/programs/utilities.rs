//! Single programs with arguments of an odd form.

use ox_protocol::{EffectKind, Level};

use crate::analyzer::Analyzer;
use crate::host::host_of;
use crate::paths::PathAccess;
use crate::scope::Scope;
use crate::word::{Word, join_words};

/// `dd`: operands instead of options.
pub(crate) fn dd(analyzer: &mut Analyzer<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    analyzer.findings.add_call(EffectKind::Write, Level::Edit, &format!("dd {}", join_words(arguments)));
    for word in arguments {
        match word.text.split_once('=').map(|it| it.0) {
            Some("if") => analyzer.access(&word.after(3), PathAccess::Read, scope),
            Some("of") => analyzer.access(&word.after(3), PathAccess::Write, scope),
            Some(_) => {}
            None => analyzer.findings.add(EffectKind::Unknown, Level::Shell, word.shown()),
        }
    }
}

/// `rsync`: a colon makes it the network.
pub(crate) fn rsync(analyzer: &mut Analyzer<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    analyzer.findings.add_call(EffectKind::Write, Level::Shell, &format!("rsync {}", join_words(arguments)));
    let places: Vec<&Word> = arguments.iter().filter(|it| !it.text.starts_with('-')).collect();
    for (at, place) in places.iter().enumerate() {
        match place.text.split('/').next() {
            Some(host) if host.contains(':') => analyzer.findings.host(&host_of(&place.text)),
            _ => {
                analyzer.access(place, if at + 1 == places.len() { PathAccess::Write } else { PathAccess::Read }, scope)
            }
        }
    }
    analyzer.scan(arguments, scope);
}

/// `ln`: the target of a symbolic link counts from the folder of the link.
pub(crate) fn link(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    analyzer.findings.add_call(EffectKind::Write, Level::Shell, &format!("{name} {}", join_words(arguments)));
    let symbolic = arguments.iter().any(|it| it.text.starts_with("--s") || is_short(&it.text, 's'));
    let names: Vec<&Word> = arguments.iter().filter(|it| !it.text.starts_with('-')).collect();
    let Some((last, targets)) = names.split_last().filter(|it| !it.1.is_empty()) else {
        return names.into_iter().for_each(|it| analyzer.access(it, PathAccess::Read, scope));
    };
    let mut from = scope.clone();
    if symbolic && let Some((folder, _)) = last.text.rsplit_once('/').filter(|_| !last.has_unknown()) {
        from.cwd = analyzer.paths.change_directory(if folder.is_empty() { "/" } else { folder }, &scope.cwd);
    }
    targets.iter().for_each(|it| analyzer.access(it, PathAccess::Read, &from));
    analyzer.access(last, PathAccess::Write, scope);
    analyzer.scan(arguments, &from);
}

fn is_short(text: &str, letter: char) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
}

/// `date`: reads the clock, or sets it.
pub(crate) fn date(analyzer: &mut Analyzer<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut value = None;
    for word in arguments {
        let text = word.text.as_str();
        match value.take() {
            Some(true) => analyzer.access(word, PathAccess::Read, scope),
            Some(false) => {}
            None if matches!(text, "-d" | "--date") => value = Some(false),
            None if matches!(text, "-r" | "-f" | "--reference" | "--file") => value = Some(true),
            None if text.starts_with("--file=") || text.starts_with("--ref") => {
                analyzer.scan(std::slice::from_ref(word), scope)
            }
            None if text.starts_with('+')
                || text.starts_with('-') && !text.starts_with("-s") && !text.starts_with("--s") => {}
            None => analyzer.findings.add(EffectKind::System, Level::System, format!("date {}", join_words(arguments))),
        }
    }
}

/// Targets that reach further than a build.
const FAR_TARGETS: &[&str] = &["deploy", "publish", "release", "push", "upload", "ship"];

/// `make` and others that run what the project's own file says under a name.
pub(crate) fn make(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    analyzer.findings.add(EffectKind::Execute, Level::Shell, format!("{name} {}", join_words(arguments)));
    for word in arguments {
        let text = word.text.as_str();
        if text.starts_with("--eval") || text.contains("$(shell") || text.starts_with("SHELL=") {
            analyzer.findings.add_computed(Level::System, word.shown());
        } else if text == "install" || text == "uninstall" {
            analyzer.findings.add(EffectKind::System, Level::System, format!("{name} {text}"));
        } else if FAR_TARGETS.contains(&text) {
            analyzer.findings.add(EffectKind::Publish, Level::System, format!("{name} {text}"));
        }
    }
    analyzer.scan(arguments, scope);
}
