//! Runs the project's fixers over files that a turn edited.
//!
//! The tree is never touched: a fixer works on a private copy of it, and what it made of the edited files comes back as
//! texts. Whatever else it writes is gone with the copy. What fails, hangs, or makes of a file what cannot be parsed
//! changes nothing.

mod lines;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use globset::{GlobBuilder, GlobMatcher};
use ox_edit::short_diff;
use ox_protocol::{BoxFuture, ChangeKind, Exit, FIXED_FILES, FileChange, Fixer, Job, Problem, Rights, Runner};
use ox_repo::Tree;
use ox_sandbox::shell;

use crate::command::folder;
use crate::paths::{quoted, within, words};
use crate::run::env;
use crate::run::scratch::Scratch;

/// Runs fixers over edited files, one after the other.
pub type RunFixers = Arc<dyn Fn(Vec<Fixer>, Vec<Edited>) -> BoxFuture<'static, Fixed> + Send + Sync>;

/// The largest file that is fixed, and the most files: what is more was not written by hand.
const LARGEST: usize = 512 << 10;
const MOST: usize = 50;
/// Bytes that are kept of what a fixer says when it fails.
const SAID: usize = 400;
/// Equal lines around a change in a diff, and the most lines of one.
const AROUND: usize = 3;
const DIFF: usize = 400;
/// The exit code where the copy could not be prepared.
const NOT_PREPARED: i32 = 125;

/// A file that the turn edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// Where it is, relative to the project's root.
    pub path: String,
    /// What it was before the turn; none for a new one.
    pub before: Option<String>,
    /// What it is now.
    pub now: String,
}

/// What the fixers made of the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixed {
    /// The files that are to change.
    pub files: Vec<FixedFile>,
    /// What was dropped, and why; an argument `name` names the fixer.
    pub problems: Vec<Problem>,
}

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedFile {
    /// Where it is.
    pub path: String,
    /// What it was until now.
    pub old: String,
    /// What it is to be.
    pub new: String,
    /// The fixers that changed it.
    pub by: Vec<String>,
}

impl FixedFile {
    /// The change, with the fixers as its reason.
    pub fn change(&self) -> FileChange {
        let all = short_diff(&self.old, &self.new, 0, 0);
        let lines = |sign| u32::try_from(all.lines().filter(|it| it.starts_with(sign)).count()).unwrap_or(u32::MAX);
        FileChange {
            path: self.path.clone(),
            kind: ChangeKind::Modified,
            from: None,
            why: Some(format!("fixer {}", self.by.join(", "))),
            diff: short_diff(&self.old, &self.new, AROUND, DIFF),
            added: lines('+'),
            removed: lines('-'),
        }
    }
}

/// Where fixers run.
pub struct Place<'a> {
    /// The working tree.
    pub tree: &'a Tree,
    /// Runs commands.
    pub runner: &'a dyn Runner,
    /// What a check may do.
    pub rights: &'a Rights,
    /// A copy of the project, for where the system has no private ones.
    pub scratch: &'a Scratch,
}

/// Runs `fixers` over the files, each over what the one before it left.
pub async fn fix(fixers: &[Fixer], edited: &[Edited], place: &Place<'_>) -> Fixed {
    let small = |it: &&Edited| !it.now.is_empty() && it.now.len() <= LARGEST;
    let file =
        |it: &Edited| FixedFile { path: it.path.clone(), old: it.now.clone(), new: it.now.clone(), by: Vec::new() };
    let edited: Vec<&Edited> = edited.iter().filter(small).collect();
    let mut fixed = Fixed::default();
    if edited.len() > MOST {
        return fixed;
    }
    fixed.files = edited.iter().map(|it| file(it)).collect();
    for fixer in fixers {
        let mut own: Vec<(&Edited, &mut FixedFile)> = edited.iter().copied().zip(&mut fixed.files).collect();
        own.retain(|it| is_for(fixer, &it.0.path));
        if own.is_empty() {
            continue;
        }
        if let Some(lack) = &fixer.lacks {
            fixed.problems.push(problem("fixers.lacks", fixer).with("why", &lack.why));
            continue;
        }
        let texts: Vec<(&str, &str)> = own.iter().map(|it| (it.1.path.as_str(), it.1.new.as_str())).collect();
        match place.made(fixer, &texts).await {
            Ok(made) => {
                for ((edited, file), made) in own.into_iter().zip(made) {
                    fixed.problems.extend(take(fixer, edited, file, &made));
                }
            }
            Err(problem) => fixed.problems.push(problem),
        }
    }
    fixed.files.retain(|it| it.old != it.new);
    fixed
}

/// Takes what belongs to the edit of what a fixer made of a file; says what is left out of it.
fn take(fixer: &Fixer, edited: &Edited, file: &mut FixedFile, made: &str) -> Option<Problem> {
    let taken = lines::taken(edited.before.as_deref(), &file.new, made);
    let breaks = |text: &str| ox_syntax::check(&file.path, text).is_some();
    if taken.text != file.new && breaks(&taken.text) && !breaks(&file.new) {
        return Some(problem("fixers.breaks", fixer).with("path", &file.path));
    }
    if taken.text != file.new {
        file.by.push(fixer.name.clone());
        file.new = taken.text;
    }
    taken.is_partial.then(|| problem("fixers.reaches", fixer).with("path", &file.path))
}

fn is_for(fixer: &Fixer, path: &str) -> bool {
    // One without a folder means a name at any depth.
    let glob = |it: &String| {
        let anchored = if it.contains('/') { it.clone() } else { format!("**/{it}") };
        GlobBuilder::new(&anchored).literal_separator(true).build().map(|it| it.compile_matcher())
    };
    let globs: Vec<GlobMatcher> = fixer.files.iter().filter_map(|it| glob(it).ok()).collect();
    let meant = fixer.files.is_empty() || globs.iter().any(|it| it.is_match(path));
    within(folder(&fixer.command), path).is_some() && meant
}

fn problem(code: &str, fixer: &Fixer) -> Problem {
    Problem::new(code).with("name", &fixer.name)
}

impl Place<'_> {
    /// What a fixer makes of the texts, in their order.
    async fn made(&self, fixer: &Fixer, texts: &[(&str, &str)]) -> Result<Vec<String>, Problem> {
        let failed = |why: &str| problem("fixers.failed", fixer).with("why", why);
        let staged = Staged::keep(texts).map_err(|it| failed(&it.to_string()))?;
        let size: usize = texts.iter().map(|it| it.1.len()).sum();
        let mut rights = Rights {
            time: Duration::from_millis(fixer.limit_ms),
            // A fixer may make a file longer.
            output: 4 * size + (1 << 20),
            discard: true,
            ..self.rights.clone()
        };
        rights.write.push(staged.folder.clone());
        let mut cwd = self.tree.root().to_owned();
        if !self.runner.isolated() {
            cwd = self.scratch.of(self.tree).map_err(|it| failed(&it.to_string()))?;
            (rights.write, rights.discard) = (vec![cwd.clone()], false);
        }
        let env = env();
        let argv = shell(&script(fixer, texts, &staged));
        let job = Job { argv, cwd, env, stdin: Vec::new(), terminal: None, rights };
        match self.runner.run(job, None).await {
            Ok(exit) if exit.timed_out => {
                Err(problem("fixers.timed_out", fixer).with("seconds", fixer.limit_ms / 1000))
            }
            Ok(exit) => staged.read(&exit, texts.len()).map_err(|why| failed(&why)),
            Err(error) => Err(failed(&error.to_string())),
        }
    }
}

/// Puts the texts into the copy, runs the fixer, and writes out what it made of them.
fn script(fixer: &Fixer, texts: &[(&str, &str)], staged: &Staged) -> String {
    let dir = folder(&fixer.command);
    let names: Vec<String> = texts.iter().filter_map(|it| within(dir, it.0)).map(str::to_owned).collect();
    let command = fixer.command.replace(FIXED_FILES, &words(&names));
    let Staged { folder, mark } = staged;
    let mut script = format!("cp -Rf {}/. . || exit {NOT_PREPARED}\n", quoted(&folder.to_string_lossy()));
    // A subshell of its own, so that neither `cd` nor `exit` within reaches what follows.
    script += &format!("said=$( {{ {command}\n}} </dev/null 2>&1 )\ncode=$?\n");
    script += "[ $code = 0 ] || { printf '%s' \"$said\"; exit $code; }\n";
    for (path, _) in texts {
        script += &format!("cat -- {} && printf '%s' {mark} || exit 1\n", quoted(path));
    }
    script
}

/// The texts as they are put into the copy, in a folder that goes with this.
struct Staged {
    folder: PathBuf,
    /// What ends each text that comes back.
    mark: String,
}

impl Staged {
    fn keep(texts: &[(&str, &str)]) -> io::Result<Staged> {
        let name = format!("ox-fix-{}-{:08x}", std::process::id(), fastrand::u32(..));
        let mark = format!("ox-end-{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        let staged = Staged { folder: std::env::temp_dir().join(name), mark };
        // Nobody else may have prepared a folder of that name.
        fs::create_dir(&staged.folder)?;
        for (path, text) in texts {
            let file = staged.folder.join(path);
            fs::create_dir_all(file.parent().unwrap_or(Path::new("")))?;
            fs::write(file, text)?;
        }
        Ok(staged)
    }

    /// The texts that came back; an error says why they did not.
    fn read(&self, exit: &Exit, count: usize) -> Result<Vec<String>, String> {
        let output = exit.output.text(|dropped| format!("[{dropped} bytes left out]"));
        // A text that is none any more would come back as another one.
        let is_text = exit.output.dropped == 0 && std::str::from_utf8(&exit.output.head).is_ok();
        if exit.code != Some(0) {
            let said = output.trim();
            let said = &said[..said.floor_char_boundary(SAID)];
            let code = exit.code.map_or_else(|| "it was killed".to_owned(), |it| format!("exit code {it}"));
            return Err(if said.is_empty() { code } else { format!("{code}: {said}") });
        }
        let texts: Vec<String> = output.split(&self.mark).map(str::to_owned).collect();
        match texts.split_last() {
            Some((last, texts)) if is_text && last.is_empty() && texts.len() == count => Ok(texts.to_vec()),
            _ => Err("the files could not be read back".to_owned()),
        }
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // What cannot be removed lies among temporary files.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests;
