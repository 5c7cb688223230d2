//! Programs that a line in a table cannot describe: those with a language of their own, and those that run other commands.

mod archives;
mod find;
mod git;
mod interpreters;
mod repository;
mod scripts;
mod shells;
mod utilities;
mod wrappers;

use crate::analyzer::Analyzer;
use crate::scope::Scope;
use crate::table;
use crate::word::Word;
use ox_protocol::word_list::contains;

type AnalyzeProgram = fn(&mut Analyzer<'_>, &str, &[Word], &mut Scope);

/// The programs, several names to one way of looking at them.
const SPECIAL: &[(&str, AnalyzeProgram)] = &[
    ("find gfind", find::find),
    ("sed gsed ssed", scripts::sed),
    ("awk gawk mawk nawk original-awk goawk", scripts::awk),
    ("git", git::git),
    ("tar gtar bsdtar star", archives::tar),
    ("bash sh dash ash rbash ksh mksh yash posh", shells::shell),
    ("zsh fish csh tcsh rc es elvish nu xonsh osh oil pwsh powershell", shells::shell),
    (repository::HOOK_MANAGERS, repository::hooks),
    ("npx pnpx", repository::npx),
    ("env genv", wrappers::env),
    ("xargs gxargs", wrappers::xargs),
    ("parallel rush sem", wrappers::run_arguments),
    (
        "watch entr script at batch expect hyperfine dbus-launch xvfb-run nodemon watchexec chronic",
        wrappers::run_arguments,
    ),
    ("printenv", wrappers::printenv),
    ("dd", utilities::dd),
    ("rsync", utilities::rsync),
    ("ln gln", utilities::link),
    ("unzip", archives::unzip),
    ("date gdate", utilities::date),
    ("yq gojq jaq jq dasel xq", scripts::query),
    ("sqlite sqlite3 duckdb", scripts::code),
    ("make gmake bmake just ninja rake task mage", utilities::make),
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

/// How to analyse a program that needs code; a version may be part of its name: `python3.12`.
fn special(name: &str) -> Option<AnalyzeProgram> {
    let find = |name: &str| SPECIAL.iter().find(|(names, _)| contains(names, name)).map(|it| it.1);
    find(name).or_else(|| find(without_version(name)))
}

/// Analyses a program that needs code; false when the name is none of them.
pub(crate) fn analyze(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) -> bool {
    special(name).map(|it| it(analyzer, name, arguments, scope)).is_some()
}

fn without_version(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}

/// True when rules are held against the command inside only.
pub(crate) fn is_transparent(name: &str) -> bool {
    contains(TRANSPARENT, name)
}

/// True when anything is known of the program.
pub(crate) fn is_known(name: &str) -> bool {
    table::program(name).or_else(|| table::program(without_version(name))).is_some() || special(name).is_some()
}
