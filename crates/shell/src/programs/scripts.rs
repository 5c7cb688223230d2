//! `awk`, `sed` and the query languages of `jq` and `yq`: a script that only prints is harmless, any other runs as code.

use ox_protocol::{EffectKind, Level};

use crate::analyzer::Analyzer;
use crate::paths::PathAccess;
use crate::scope::Scope;
use crate::word::{UNKNOWN, Word, join_words};
use ox_protocol::word_list::words;

/// Names with which awk does more than print.
const AWK_ESCAPES: &str = "system getline close ARGV PROCINFO ENVIRON SYMTAB @ /inet";
/// Words with which a query does more than select.
const QUERY_ESCAPES: &str = "env ENV input_filename load import include system exec debug_file $__prog get_search_list";

/// `awk`.
pub(crate) fn awk(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "-F" | "-v" => drop(rest.next()),
            "--" => {}
            text if text.starts_with("-F") || text.starts_with("-v") => {}
            text if text.starts_with('-') && text.len() > 1 => return code(analyzer, name, arguments, scope),
            text => {
                if !awk_prints(text) {
                    analyzer.code(word, scope);
                }
                break;
            }
        }
    }
    let files = rest.filter(|it| it.text != "-" && !it.text.contains('='));
    files.for_each(|it| analyzer.access(it, PathAccess::Read, scope));
}

/// True when a program of awk can do nothing but print to its output.
fn awk_prints(text: &str) -> bool {
    let bare = without_literals(text).replace("||", "");
    let redirects = |it: &str| it.find("print").is_some_and(|at| unparenthesised(&it[at..]).contains('>'));
    !bare.contains(['|', UNKNOWN])
        && !words(AWK_ESCAPES).any(|it| text.contains(it))
        && !bare.split([';', '}', '\n']).any(redirects)
}

/// A program without its strings and patterns.
fn without_literals(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let pattern = c == '/'
            && matches!(
                out.trim_end().chars().next_back(),
                None | Some('(' | ',' | '{' | '!' | '~' | '&' | '|' | ';' | '}')
            );
        if c != '"' && !pattern {
            out.push(c);
            continue;
        }
        while let Some(inner) = rest.next().filter(|it| *it != c) {
            if inner == '\\' {
                rest.next();
            }
        }
        out.push('0');
    }
    out
}

/// What stands outside parentheses, where a `>` is no comparison.
fn unparenthesised(text: &str) -> String {
    let mut depth = 0_i32;
    let outside = |c: &char| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth == 0
    };
    text.chars().filter(outside).collect()
}

/// `sed`: prints, or edits its files.
pub(crate) fn sed(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let (mut edits, mut given, mut rest) = (false, false, arguments.iter());
    let mut others: Vec<&Word> = Vec::new();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        let long = text.split('=').next().unwrap_or_default();
        match long {
            "--" => others.extend(rest.by_ref()),
            _ if long.len() > 4 && "--expression".starts_with(long)
                || text == "-e"
                || text == "-ne"
                || text == "-En" =>
            {
                let value = text.split_once('=').map(|it| word.after(it.0.len() + 1));
                script(analyzer, &value.or_else(|| rest.next().cloned()).unwrap_or_default(), scope);
                given = true;
            }
            _ if long.len() > 3 && "--in-place".starts_with(long) => edits = true,
            "--quiet" | "--silent" | "--regexp-extended" | "--null-data" | "--separate" | "--posix" | "--debug" => {}
            _ if !text.starts_with('-') || text.len() == 1 => others.push(word),
            _ if text.starts_with("--") => return code(analyzer, name, arguments, scope),
            _ => {
                let plain = text[1..].trim_start_matches(|c| "nrEsuz".contains(c));
                edits |= plain.starts_with('i');
                if !plain.is_empty() && !edits {
                    return code(analyzer, name, arguments, scope);
                }
            }
        }
    }
    if !given && !others.is_empty() {
        script(analyzer, others.remove(0), scope);
    }
    let used = if edits { PathAccess::Write } else { PathAccess::Read };
    others.iter().filter(|it| it.text != "-").for_each(|it| analyzer.access(it, used, scope));
    if edits && others.is_empty() {
        analyzer.findings.add(EffectKind::Write, Level::Shell, "sed -i");
    }
}

fn script(analyzer: &mut Analyzer<'_>, word: &Word, scope: &Scope) {
    if word.has_unknown() || only_prints(&word.text).is_none() {
        analyzer.code(word, scope);
    }
}

/// Reads a script of sed; none where a command is not one of those that print, delete or replace.
fn only_prints(text: &str) -> Option<()> {
    let mut rest = text.trim_start_matches([' ', '\n', ';', '{', '}']);
    while !rest.is_empty() {
        rest = addresses(rest)?;
        let command = rest.chars().next()?;
        rest = &rest[command.len_utf8()..];
        match command {
            'p' | 'd' | 'q' | 'Q' | '=' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | 'D' | 'P' | 'l' | '{' | '}' => {}
            's' | 'y' => {
                let end = rest.chars().next().filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
                rest = until(until(&rest[1..], end)?, end)?;
                rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "gpIi".contains(c));
            }
            _ => return None,
        }
        let next = rest.trim_start_matches(' ');
        if !next.is_empty() && !next.starts_with([';', '\n', '}']) && command != '{' {
            return None;
        }
        rest = next.trim_start_matches([' ', '\n', ';', '}']);
    }
    Some(())
}

fn addresses(text: &str) -> Option<&str> {
    let mut rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || "$,~+! ".contains(c));
    while let Some(pattern) = rest.strip_prefix('/') {
        rest = until(pattern, '/')?.trim_start_matches(|c: char| c.is_ascii_digit() || "$,~+! I".contains(c));
    }
    Some(rest)
}

/// What stands behind an unescaped `end`. Some versions let a pattern end inside brackets and some do not, so one whose
/// bracket is open there is not understood.
fn until(text: &str, end: char) -> Option<&str> {
    let mut escaped = false;
    let at = text.char_indices().find(|(_, c)| {
        let ends = *c == end && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    let (pattern, behind) = text.split_at(at?.0);
    let open = pattern.rfind('[').is_some_and(|at| !pattern[at + 1..].contains(']'));
    (!open).then(|| &behind[end.len_utf8()..])
}

/// `jq`, `yq` and others: a query, then files.
pub(crate) fn query(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let (mut query, mut edits, mut rest) = (None, false, arguments.iter());
    let mut files = Vec::new();
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "eval" | "e" | "eval-all" | "ea" if query.is_none() && name != "jq" => {}
            "-f" | "--from-file" | "-L" => {
                rest.next().into_iter().for_each(|it| analyzer.access(it, PathAccess::Read, scope))
            }
            "--arg" | "--argjson" => drop((rest.next(), rest.next())),
            "--slurpfile" | "--rawfile" => files.extend(rest.by_ref().take(2).skip(1)),
            "--indent" | "-p" | "-o" | "--input-format" | "--output-format" | "-I" => drop(rest.next()),
            "--args" | "--jsonargs" => break,
            "put" | "delete" | "-s" | "--split-exp" if name != "jq" => edits = true,
            text if text.starts_with("-i") && name != "jq" || text.starts_with("--in") => edits = true,
            text if text.starts_with('-') && text.len() > 1 => {}
            text if query.is_none() => {
                if word.has_unknown() || words(QUERY_ESCAPES).any(|it| text.contains(it)) {
                    analyzer.code(word, scope);
                }
                query = Some(word);
            }
            _ => files.push(word),
        }
    }
    // A yq without a query is given a file at once.
    files.extend(query.filter(|it| name != "jq" && files.is_empty() && it.text.contains('/')));
    let used = if edits { PathAccess::Write } else { PathAccess::Read };
    files.into_iter().for_each(|it| analyzer.access(it, used, scope));
    if edits {
        analyzer.findings.add_call(EffectKind::Write, Level::Edit, &format!("{name} {}", join_words(arguments)));
    }
}

/// A call with options that are not known: everything in it may be code.
pub(crate) fn code(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    analyzer.findings.add(EffectKind::Execute, Level::Shell, format!("{name} {}", join_words(arguments)));
    arguments.iter().filter(|it| is_code(&it.text)).for_each(|it| analyzer.code(it, scope));
    analyzer.scan(arguments, scope);
}

/// True when the word may be a program rather than a name or a number.
pub(crate) fn is_code(text: &str) -> bool {
    text.contains(|c: char| c.is_whitespace() || "(){}[];'\"`<>|&\\!%$".contains(c) || c == UNKNOWN)
}
