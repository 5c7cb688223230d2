//! Programs that a line in a table cannot describe: those with a language of their own, and those that run other commands.

mod archives;
mod find;
mod git;
mod interpreters;
mod kept;
mod others;
mod scripts;
mod shells;
mod wrappers;

use super::scope::Scope;
use super::table;
use super::walk::Walk;
use super::word::Word;

/// Programs that put themselves between git and its hooks.
const HOOKS: &str = "husky lefthook pre-commit simple-git-hooks";

type Look = fn(&mut Walk<'_>, &str, &[Word], &mut Scope);

/// The programs, several names to one way of looking at them.
const SPECIAL: &[(&str, Look)] = &[
    ("find gfind", find::find),
    ("sed gsed ssed", scripts::sed),
    ("awk gawk mawk nawk original-awk goawk", scripts::awk),
    ("git", git::git),
    ("tar gtar bsdtar star", archives::tar),
    ("bash sh dash ash rbash ksh mksh yash posh", shells::shell),
    ("zsh fish csh tcsh rc es elvish nu xonsh osh oil pwsh powershell", shells::shell),
    (HOOKS, kept::hooks),
    ("npx pnpx", kept::through),
    ("env genv", wrappers::env),
    ("xargs gxargs", wrappers::xargs),
    ("parallel rush sem", wrappers::told),
    ("watch entr script at batch expect hyperfine dbus-launch xvfb-run nodemon watchexec chronic", wrappers::told),
    ("printenv", wrappers::printenv),
    ("dd", others::dd),
    ("rsync", others::rsync),
    ("ln gln", others::link),
    ("rm unlink rmdir shred srm trash trash-put", others::remove),
    ("unzip", archives::unzip),
    ("date gdate", others::date),
    ("yq gojq jaq jq dasel xq", scripts::query),
    ("sqlite sqlite3 duckdb", scripts::code),
    ("make gmake bmake just ninja rake task mage", others::make),
    ("python pypy ipython bpython", interpreters::interpreter),
    ("perl ruby node nodejs php lua luajit Rscript R julia ts-node tsx deno bun irb jruby", interpreters::interpreter),
    (
        "tclsh wish guile racket clojure clj scala groovy elixir iex erl ghc runghc runhaskell",
        interpreters::interpreter,
    ),
    ("ocaml swift sbcl clisp raku dart osascript qjs jshell kotlin octave maxima java", interpreters::interpreter),
];

/// Programs that only start another command: rules are held against that one.
const TRANSPARENT: &str = "timeout gtimeout nice stdbuf time command ionice chrt ! noglob nocorrect";

fn lists(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|it| it == name)
}

/// Analyses a program that needs code; false when the name is none of them.
pub(super) fn special(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) -> bool {
    // A version may be part of the name: `python3.12`.
    let plain = without_version(name);
    let find = |name: &str| SPECIAL.iter().find(|(names, _)| lists(names, name)).map(|it| it.1);
    let Some(look) = find(name).or_else(|| find(plain)) else { return false };
    look(walk, name, arguments, scope);
    true
}

fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}

/// True when rules are held against the command inside only.
pub(super) fn is_transparent(name: &str) -> bool {
    lists(TRANSPARENT, name)
}

/// True when anything is known of the program.
pub(super) fn is_known(name: &str) -> bool {
    let plain = without_version(name);
    let special = |name: &str| SPECIAL.iter().any(|(names, _)| lists(names, name));
    table::program(name).is_some() || table::program(plain).is_some() || special(name) || special(plain)
}
