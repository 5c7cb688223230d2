//! Single programs with arguments of an odd form.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::{Use, is_secret};
use crate::classify::scope::Scope;
use crate::classify::simple::host_of;
use crate::classify::table;
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
    let mut places: Vec<&Word> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if matches!(text, "-e" | "--rsh" | "--rsync-path")
            || text.starts_with("--rsh=")
            || text.starts_with("--rsync-path=")
        {
            walk.facts.add(EffectKind::Execute, Level::System, word.shown());
            if !text.contains('=') {
                rest.next();
            }
        } else if text.starts_with("--del") || text.starts_with("--remove-source") {
            walk.facts.add(EffectKind::Delete, Level::Shell, word.shown());
        } else if !text.starts_with('-') {
            places.push(word);
        } else if !text.starts_with("--") && text.contains('e') {
            walk.facts.add(EffectKind::Execute, Level::System, word.shown());
        } else {
            walk.scan(std::slice::from_ref(word), scope);
        }
    }
    let Some((last, sources)) = places.split_last() else { return };
    for source in sources {
        place(walk, source, Use::Read, scope);
    }
    place(walk, last, Use::Write, scope);
}

fn place(walk: &mut Walk<'_>, word: &Word, used: Use, scope: &Scope) {
    let before = word.text.split('/').next().unwrap_or_default();
    if before.contains(':') {
        return walk.facts.host(&host_of(&word.text));
    }
    walk.use_path(word, used, scope);
}

/// `rm` and its relatives.
pub(super) fn remove(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let mut only_names = false;
    for word in arguments {
        let text = word.text.as_str();
        if text == "--" {
            only_names = true;
        } else if text.starts_with('-') && text.len() > 1 && !only_names {
            if text.starts_with("--no-p") {
                walk.facts.add(EffectKind::Destroy, Level::System, word.shown());
            }
        } else {
            walk.use_path(word, Use::Delete, scope);
        }
    }
    walk.facts.add(EffectKind::Delete, Level::Shell, format!("{name} {}", joined(arguments)));
}

/// `date`: reads the clock, or sets it.
pub(super) fn date(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        match text {
            "-d" | "--date" | "-I" => {
                if text != "-I" {
                    rest.next();
                }
            }
            "-r" | "--reference" | "-f" | "--file" => {
                rest.next().into_iter().for_each(|it| walk.use_path(it, Use::Read, scope));
            }
            "-u" | "--utc" | "--universal" | "-R" | "--rfc-email" | "--debug" | "--resolution" => {}
            _ if text.starts_with('+') || text.starts_with("-I") || text.starts_with("-d") => {}
            _ if text.starts_with("--date=") || text.starts_with("--iso-8601") || text.starts_with("--rfc-3339=") => {}
            _ if text.starts_with("--reference=") || text.starts_with("--file=") => {
                walk.scan(std::slice::from_ref(word), scope)
            }
            _ if text.starts_with("-r") || text.starts_with("-f") => walk.use_path(&word.after(2), Use::Read, scope),
            _ => walk.facts.add(EffectKind::System, Level::System, format!("date {}", joined(arguments))),
        }
    }
}

/// `jq`, `yq` and others: a query, then files. Queries can read the environment and other files.
pub(super) fn queries(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let mut rest = arguments.iter().peekable();
    let (mut query, mut edits) = (None, false);
    let mut files = Vec::new();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        match text {
            "eval" | "e" | "eval-all" | "ea" | "query" | "select" if query.is_none() && name != "jq" => {}
            "-f" | "--from-file" | "-L" => rest.next().into_iter().for_each(|it| walk.use_path(it, Use::Read, scope)),
            "--arg" | "--argjson" => drop((rest.next(), rest.next())),
            "--slurpfile" | "--rawfile" => {
                rest.next();
                rest.next().into_iter().for_each(|it| walk.use_path(it, Use::Read, scope));
            }
            "--indent" | "-p" | "-o" | "--input-format" | "--output-format" | "-I" => drop(rest.next()),
            "-i" | "--inplace" | "--in-place" | "-s" if text != "-s" || name == "yq" => {
                edits |= text != "-s";
                if text == "-s" {
                    walk.facts.add(EffectKind::Write, Level::Edit, word.shown());
                }
            }
            "--split-exp" | "--split-exp-file" | "put" | "delete" => {
                walk.facts.add(EffectKind::Write, Level::Edit, word.shown())
            }
            "--args" | "--jsonargs" => break,
            _ if text.starts_with("-i") && name == "yq" => edits = true,
            _ if text.starts_with('-') && text.len() > 1 => {}
            _ if query.is_none() => query = Some(word),
            _ => files.push(word),
        }
    }
    if let Some(query) = query {
        look_at_query(walk, query, scope);
        // A yq without a query is given a file at once.
        if name != "jq" && files.is_empty() {
            walk.scan(std::slice::from_ref(query), scope);
        }
    }
    let used = if edits { Use::Write } else { Use::Read };
    files.into_iter().for_each(|it| walk.use_path(it, used, scope));
}

fn look_at_query(walk: &mut Walk<'_>, query: &Word, scope: &Scope) {
    let text = query.text.as_str();
    if ["env", "ENV", "envsubst", "input_filename", "get_search_list"].iter().any(|it| text.contains(it))
        || query.has_hole()
    {
        walk.facts.add(EffectKind::Secret, Level::System, query.shown());
    }
    let loads = ["load", "import", "include", "system", "exec", "getpath/1", "debug_file", "$__prog"];
    if loads.iter().any(|it| text.contains(it)) {
        walk.facts.add(EffectKind::Execute, Level::Shell, query.shown());
        let pieces = text.split(['"', '\'', '(', ')']).filter(|it| !it.is_empty());
        for piece in pieces.map(Word::plain) {
            let leads_somewhere = piece.text.contains('/') || is_secret(&piece.text);
            if leads_somewhere {
                walk.use_path(&piece, Use::Read, scope);
            }
        }
    }
}

/// `sqlite3`: a database is opened for writing whatever is asked; dot commands write files and run programs.
pub(super) fn sqlite(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    walk.facts.add(EffectKind::Execute, Level::Shell, format!("{name} {}", joined(arguments)));
    let mut files = 0;
    for word in arguments {
        let text = word.text.as_str();
        if text.starts_with('-') && !text.contains(' ') {
            continue;
        }
        let is_query = files > 0
            || text.contains([' ', ';'])
            || text.starts_with('.') && !text.starts_with("./") && !text.starts_with("..");
        if !is_query {
            files += 1;
            walk.use_path(word, Use::Write, scope);
            continue;
        }
        let lower = text.to_lowercase();
        let runs = [".shell", ".system", "load_extension", ".load", "edit(", "|", ".excel", ".www"];
        if runs.iter().any(|it| lower.contains(it)) {
            walk.facts.add(EffectKind::Execute, Level::System, word.shown());
        }
        for piece in text.split([' ', '\'', '"', '(', ')', ';']).skip(1).filter(|it| it.contains('/') || is_secret(it))
        {
            walk.use_path(&Word::plain(piece), Use::Write, scope);
        }
    }
}

/// Targets that reach further than a build.
const FAR_TARGETS: &[&str] = &["deploy", "publish", "release", "push", "upload", "ship"];

/// `make` and others that run what the project's own file says under a name.
pub(super) fn make(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    walk.facts.add(EffectKind::Execute, Level::Shell, format!("{name} {}", joined(arguments)));
    let mut folder = scope.clone();
    for (at, word) in arguments.iter().enumerate() {
        let text = word.text.as_str();
        let before = at.checked_sub(1).map_or("", |it| arguments[it].text.as_str());
        if matches!(before, "-f" | "-C" | "--file" | "--directory" | "-I") {
            walk.use_path(word, Use::Run, &folder);
            if before == "-C" {
                folder.folder = walk.ground.enter(text, &folder.folder);
            }
        } else if text.starts_with("--eval") || text.contains("$(shell") || text.starts_with("SHELL=") {
            walk.facts.obscure(Level::System, word.shown());
        } else if text == "install" || text == "uninstall" {
            walk.facts.add(EffectKind::System, Level::System, format!("{name} {text}"));
        } else if FAR_TARGETS.contains(&text) {
            walk.facts.add(EffectKind::Publish, Level::System, format!("{name} {text}"));
        }
    }
    walk.scan(arguments, scope);
}

/// `fd`: like `find`; what stands behind `-x` runs.
pub(super) fn fd(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let at = arguments.iter().position(|it| {
        let short = it.text.starts_with('-') && !it.text.starts_with("--") && it.text.to_lowercase().contains('x');
        short || it.text.starts_with("--exec")
    });
    if let Some(at) = at {
        walk.facts.add(EffectKind::Execute, Level::Shell, format!("{name} {}", joined(arguments)));
        let mut command: Vec<Word> = arguments[at + 1..].to_vec();
        command.iter_mut().for_each(|it| it.text = it.text.replace("{}", "\u{fffc}"));
        command.push(Word::unknown());
        if command.len() > 1 {
            walk.run(&command, &mut scope.clone());
        }
    }
    if let Some(program) = table::program("fd-options") {
        walk.by_table("fd-options", program, &arguments[..at.unwrap_or(arguments.len())], scope);
    }
}

/// `unzip`: lists, prints or extracts.
pub(super) fn unzip(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let option =
        |letters: &[char]| arguments.iter().any(|it| it.text.starts_with('-') && it.text[1..].contains(letters));
    if option(&[':', 'o', 'd']) || !option(&['l', 't', 'p', 'v', 'Z', 'c']) {
        walk.facts.add(EffectKind::Write, Level::Edit, format!("{name} {}", joined(arguments)));
    }
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "-d" => rest.next().into_iter().for_each(|it| walk.use_path(it, Use::Write, scope)),
            text if text.starts_with("-d") => walk.use_path(&word.after(2), Use::Write, scope),
            text if text.starts_with('-') => {
                if text.contains(':') {
                    walk.facts.add(EffectKind::Write, Level::System, word.shown());
                }
            }
            _ => walk.use_path(word, Use::Read, scope),
        }
    }
}
