//! A case as its file has it: the project, the task, the model's replies, and what must come of them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use ox_scenario::text::{Doc, Section};

use crate::program::root;

/// One project with its fault and its model.
#[derive(Clone)]
pub struct Case {
    /// Its folder and its file, such as `python/pytest_repaired`.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// Where it is written.
    pub file: PathBuf,
    /// Programs that have to be on `PATH`; with `!` before them, programs that must not be.
    pub needs: Vec<String>,
    /// Shell commands that make the project ready, as a user would have before.
    pub setup: Vec<String>,
    /// Further arguments of `ox run`.
    pub args: Vec<String>,
    /// The user's own configuration.
    pub config: String,
    /// The task.
    pub task: String,
    /// What must come of it, as [`super::play`] words it.
    pub end: String,
    /// The whole file.
    pub doc: Doc,
}

/// All cases, by name.
pub fn all() -> Result<Vec<Case>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in entries(&root().join("bench/repos"))?.into_iter().filter(|it| it.is_dir()) {
        files.extend(entries(&folder)?.into_iter().filter(|it| it.extension().is_some_and(|it| it == "txt")));
    }
    let mut cases: Vec<Case> = files.iter().map(|it| Case::read(it)).collect::<Result<_>>()?;
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    Ok(entries.collect::<Result<Vec<_>, _>>()?.into_iter().map(|it| it.path()).collect())
}

impl Case {
    fn read(file: &Path) -> Result<Case> {
        let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
        Case::parse(file, Doc::parse(&text)).with_context(|| format!("the case {}", file.display()))
    }

    fn parse(file: &Path, doc: Doc) -> Result<Case> {
        let word = |it: Option<&std::ffi::OsStr>| it.unwrap_or_default().to_string_lossy().into_owned();
        let folder = word(file.parent().and_then(Path::file_name));
        let mut case = Case {
            name: format!("{folder}/{}", word(file.file_stem())),
            title: doc.title.split_whitespace().collect::<Vec<_>>().join(" "),
            file: file.to_path_buf(),
            needs: Vec::new(),
            setup: Vec::new(),
            args: Vec::new(),
            config: String::new(),
            task: String::new(),
            end: String::new(),
            doc: Doc::default(),
        };
        for Section { name, body, .. } in &doc.sections {
            match name.as_str() {
                "set" => body.lines().try_for_each(|it| case.set(it))?,
                "config" => case.config.clone_from(body),
                "user" => case.task = body.trim().to_string(),
                "end" => case.end.clone_from(body),
                it if it.starts_with("model") || it.starts_with("repo/") || it.starts_with("after/") => {}
                other => {
                    bail!("no case has a section `{other}`; there are set, config, repo/…, user, model, after/…, end")
                }
            }
        }
        ensure!(!case.task.is_empty(), "it has no section `user`");
        case.doc = doc;
        Ok(case)
    }

    fn set(&mut self, line: &str) -> Result<()> {
        let (key, value) = line.split_once(": ").with_context(|| format!("`{line}` is no `key: value`"))?;
        match key {
            "needs" => self.needs.extend(value.split_whitespace().map(str::to_string)),
            "setup" => self.setup.push(value.to_string()),
            "args" => self.args.extend(value.split_whitespace().map(str::to_string)),
            other => bail!("`set` knows needs, setup and args, not `{other}`"),
        }
        Ok(())
    }

    /// The files that must be there afterwards.
    pub fn after(&self) -> impl Iterator<Item = (&str, &Section)> {
        self.doc.sections.iter().filter_map(|it| Some((it.name.strip_prefix("after/")?, it)))
    }

    /// The file with another end.
    pub fn with_end(&self, end: &str) -> String {
        let mut doc = self.doc.clone();
        doc.sections.retain(|it| it.name != "end");
        doc.sections.push(Section { name: "end".to_string(), marks: Vec::new(), body: end.to_string() });
        doc.to_string()
    }
}

/// The lines that only one of the two has. More may be found than is wanted: how much a first run before the edit finds
/// depends on how fast the machine is.
pub fn difference(wanted: &str, got: &str) -> Vec<String> {
    let without = |some: &str, other: &str, sign: char| {
        let lines = some.lines().filter(|it| !other.lines().any(|that| that == *it));
        lines.map(|it| format!("{sign} {it}")).collect::<Vec<_>>()
    };
    let more = without(got, wanted, '+').into_iter().filter(|it| !it.starts_with("+ found "));
    without(wanted, got, '-').into_iter().chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Case> {
        Case::parse(Path::new("bench/repos/python/a.txt"), Doc::parse(text))
    }

    #[test]
    fn a_case_is_read_from_its_sections() {
        let text = "A\nstory.\n-- set --\nneeds: python3 !dotnet\nsetup: true\n-- repo/a --\nx\n-- user --\nDo it.\n-- model --\nNo.\n-- end --\nexit: 3\n";
        let case = parsed(text).unwrap();
        assert_eq!((case.name.as_str(), case.title.as_str()), ("python/a", "A story."));
        assert_eq!(
            (case.needs, case.setup),
            (vec!["python3".to_string(), "!dotnet".to_string()], vec!["true".to_string()])
        );
        assert_eq!((case.task.as_str(), case.end.as_str()), ("Do it.", "exit: 3\n"));
        assert!(parsed(text).unwrap().with_end("exit: 0\n").ends_with("-- end --\nexit: 0\n"));
    }

    #[test]
    fn what_no_case_has_is_refused() {
        for (text, said) in [
            ("-- user --\nx\n-- chek --\n", "no case has a section `chek`"),
            ("-- user --\nx\n-- set --\nneed: a\n", "not `need`"),
            ("-- repo/a --\n", "no section `user`"),
        ] {
            let error = parsed(text).map(|_| ()).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
        }
    }

    #[test]
    fn a_difference_has_the_lines_of_one_side_alone() {
        assert_eq!(difference("a\nb\n", "a\nc\n"), ["- b", "+ c"]);
        assert_eq!(difference("a\nfound x:1\n", "a\nfound y:2\n"), ["- found x:1"]);
    }

    #[test]
    fn every_case_of_the_repository_can_be_read() {
        let cases = all().unwrap();
        assert!(cases.iter().all(|it| it.end.contains("exit: ")), "a case has no end");
    }
}
