//! Skills: a folder with a `SKILL.md`, of which a model is told the name and a line, and reads the rest when it needs it.
//!
//! What is read later is what was found: of a project or a plugin no file is read that has changed since.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ox_protocol::Tokens;

use crate::file::{digest, is_name, read, some_files};
use crate::front_matter::front_matter;
use crate::source::{Scope, Source};

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// What the line of a skill takes of a prompt at most.
pub const LINE_TOKENS: Tokens = Tokens(40);

/// The most files of a skill that are listed for a model.
const LISTED: usize = 30;

/// A skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// When to use it, on one line and no longer than its part of a prompt.
    pub about: String,
    /// Whose it is.
    pub scope: Scope,
    /// Its folder.
    pub folder: PathBuf,
    /// True where only the user may use it.
    pub users_only: bool,
    /// False where it is no command that a user calls.
    pub is_command: bool,
    /// The files beside `SKILL.md`, relative to its folder.
    pub files: Vec<String>,
    /// What its whole text takes of a window.
    pub tokens: Tokens,
    within: Option<PathBuf>,
    source: Source,
    /// The digests of what was found, by their paths; of a user's own skill none.
    pinned: BTreeMap<String, String>,
}

impl Skill {
    /// The skill in a folder.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub(crate) fn of(folder: &Path, source: &Source) -> Result<Skill, String> {
        let text = read(&folder.join(SKILL_FILE), source.within.as_deref())?;
        let file = front_matter(&text)?;
        if file.fields.is_none() {
            return Err("it does not begin with `key: value` lines between two lines `---`".to_owned());
        }
        let own = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Some have a title there.
        let name = file.text("name").filter(|it| is_name(it)).unwrap_or(own);
        if !is_name(&name) {
            return Err(format!("`{name}` is no name: use letters, digits, `-`, `_` and `.`, 64 at most"));
        }
        let about = file.text("description").ok_or("it has no `description`")?;
        if file.body.is_empty() {
            return Err("it has no text below the second `---`".to_owned());
        }
        let name = source.called(&name);
        let mut files = Vec::new();
        let mut pinned = BTreeMap::new();
        for path in some_files(folder)? {
            let relative = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            if source.scope != Scope::User
                && let Ok(text) = read(&path, source.within.as_deref())
            {
                pinned.insert(relative.clone(), digest(text.as_bytes()));
            }
            if relative != SKILL_FILE {
                files.push(relative);
            }
        }
        Ok(Skill {
            about: line(&name, &about),
            name,
            scope: source.scope.clone(),
            folder: folder.to_path_buf(),
            users_only: file.is_set("disable-model-invocation"),
            is_command: file.text("user-invocable").is_none_or(|it| it != "false"),
            files,
            tokens: Tokens::estimate(&file.body),
            within: source.within.clone(),
            source: source.clone(),
            pinned,
        })
    }

    /// Its line in a prompt.
    pub fn line(&self) -> String {
        format!("- {}: {}", self.name, self.about)
    }

    /// Its text with the list of its other files, or the text of one of these.
    ///
    /// # Errors
    /// Why it is not read, in words.
    pub fn text(&self, file: Option<&str>) -> Result<String, String> {
        let name = file.unwrap_or(SKILL_FILE);
        if file.is_some_and(|it| it != SKILL_FILE && !self.files.iter().any(|known| known == it)) {
            return Err(format!("the skill `{}` has no file `{name}`; it has {}", self.name, self.listed()));
        }
        let path = self.folder.join(name);
        let within = self.within.as_deref().map(|_| self.folder.as_path());
        let text = read(&path, within)?;
        if self.scope != Scope::User && self.pinned.get(name) != Some(&digest(text.as_bytes())) {
            return Err(format!("`{}` has changed since it was trusted", path.display()));
        }
        match name {
            SKILL_FILE => {
                let body = self.source.placed(&front_matter(&text)?.body);
                let files = match self.files.is_empty() {
                    true => String::new(),
                    false => format!("\nIts files, which `file` reads: {}", self.listed()),
                };
                Ok(format!("Folder of the skill: {}{files}\n\n{body}", self.folder.display()))
            }
            _ => Ok(text),
        }
    }

    fn listed(&self) -> String {
        let more = self.files.len().saturating_sub(LISTED);
        let names = self.files.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        match more {
            _ if self.files.is_empty() => "none".to_owned(),
            0 => names,
            more => format!("{names} and {more} more"),
        }
    }
}

/// What a line of a prompt says of the thing of that name: as many of the words as have room.
pub fn line(name: &str, about: &str) -> String {
    let fits = |about: &str| Tokens::estimate(&format!("- {name}: {about}")) <= LINE_TOKENS;
    let about: String = about.chars().filter(|it| !it.is_control()).collect();
    if fits(&about) {
        return about;
    }
    let mut short = String::new();
    for word in about.split(' ') {
        let next = if short.is_empty() { word.to_owned() } else { format!("{short} {word}") };
        if !fits(&format!("{next}…")) {
            break;
        }
        short = next;
    }
    format!("{short}…")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn skill(root: &Path, name: &str, text: &str) -> Result<Skill, String> {
        let folder = root.join("skills").join(name);
        fs::create_dir_all(folder.join("references")).unwrap();
        fs::write(folder.join(SKILL_FILE), text).unwrap();
        fs::write(folder.join("references/more.md"), "More.").unwrap();
        Skill::of(&folder, &Source::of_plugin("kit", root))
    }

    #[test]
    fn a_line_is_short_and_the_text_is_read_as_it_was_found() {
        let root = tempfile::tempdir().unwrap();
        let long = "word ".repeat(200);
        let it = skill(root.path(), "pdf", &format!("---\nname: pdf\ndescription: {long}\n---\nDo it.")).unwrap();
        assert!(Tokens::estimate(&it.line()) <= LINE_TOKENS && it.line().ends_with("word…"), "{}", it.line());
        assert!(it.line().starts_with("- kit:pdf: word word"), "{}", it.line());
        let text = it.text(None).unwrap();
        assert!(text.ends_with("\nIts files, which `file` reads: references/more.md\n\nDo it."), "{text}");
        assert_eq!(it.text(Some("references/more.md")), Ok("More.".to_owned()));
        assert!(it.text(Some("../../plugin.json")).unwrap_err().contains("has no file"));
        fs::write(it.folder.join("references/more.md"), "Other.").unwrap();
        assert!(it.text(Some("references/more.md")).unwrap_err().contains("changed since it was trusted"));
        fs::write(it.folder.join(SKILL_FILE), "---\nname: pdf\ndescription: x\n---\nDo other.").unwrap();
        assert!(it.text(None).unwrap_err().contains("changed since it was trusted"));
    }

    #[test]
    fn what_is_no_skill_is_said() {
        let root = tempfile::tempdir().unwrap();
        let why = |text: &str| skill(root.path(), "a", text).unwrap_err();
        assert_eq!(why("Do it."), "it does not begin with `key: value` lines between two lines `---`");
        assert_eq!(why("---\nname: a\n---\nDo it."), "it has no `description`");
        assert_eq!(why("---\ndescription: b\n---\n"), "it has no text below the second `---`");
        let titled = skill(root.path(), "a", "---\nname: A title\ndescription: b\n---\nx").unwrap();
        assert_eq!(titled.name, "kit:a");
        assert!(skill(root.path(), "a b", "---\ndescription: b\n---\nx").unwrap_err().starts_with("`a b` is no name"));
        let own = skill(root.path(), "a", "---\ndescription: b\nuser-invocable: false\n---\nx").unwrap();
        assert_eq!((own.name.as_str(), own.is_command, own.users_only), ("kit:a", false, false));
    }
}
