//! What the names of environment variables tell: which redirect programs to other code, and which are harmless or public.

use ox_protocol::word_list::{contains, words};

/// Variables that programs look at only to decide how to print, what language to speak or how much to log.
const HARMLESS: &str = include_str!("tables/words/variables_harmless.txt");
/// Variables whose values are no secret and that a line may print.
const PUBLIC: &str = include_str!("tables/words/variables_public.txt");
/// Variables that make a shell, a loader or a well-known program run or load something else, or look elsewhere.
const REDIRECTING: &str = include_str!("tables/words/variables_redirecting.txt");
/// Beginnings of such names.
const REDIRECTING_PREFIXES: &str = include_str!("tables/words/variables_redirecting_prefixes.txt");
/// Endings of such names.
const REDIRECTING_SUFFIXES: &[&str] =
    &["_PAGER", "_EDITOR", "_COMMAND", "_PROXY", "_proxy", "_WRAPPER", "_RUNNER", "_LINKER", "_PRELOAD", "_OPTIONS"];

/// True when programs write a file that the variable's value names.
pub(crate) fn names_output(name: &str) -> bool {
    name.starts_with("GIT_TRACE") || matches!(name, "HISTFILE" | "MALLOC_TRACE" | "BASH_XTRACEFD")
}

/// True when setting the variable for a command can only change how it prints.
pub(crate) fn is_harmless(name: &str) -> bool {
    contains(HARMLESS, name) || name.starts_with("LC_")
}

/// True when setting the variable makes other programs do something else than their arguments say.
pub(crate) fn redirects_programs(name: &str) -> bool {
    if is_harmless(name) {
        return false;
    }
    contains(REDIRECTING, name)
        || words(REDIRECTING_PREFIXES).any(|it| name.starts_with(it))
        || REDIRECTING_SUFFIXES.iter().any(|it| name.ends_with(it))
}

/// True when the value of the variable may be shown to anybody.
pub(crate) fn is_public_variable(name: &str) -> bool {
    let special = name.len() == 1 && name.chars().all(|c| c.is_ascii_digit() || "?#$!-@*_".contains(c));
    special || name.is_empty() || contains(PUBLIC, name) || name.starts_with("LC_")
}
