//! The text of a scenario: a title and sections, each begun by a line `-- name --`.
//!
//! Nothing is interpreted here. Reading and writing are inverse: what was written reads as it was, and reading never
//! fails, so that a scenario with a mistake in it is still shown as it stands.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A scenario as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doc {
    /// The sentence that says what happens, and whatever else stands before the first section.
    pub title: String,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// One section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its header without the marks.
    pub name: String,
    /// The marks at the end of its header.
    pub marks: Vec<Mark>,
    /// Its lines as they are meant, each with its line break.
    pub body: String,
}

/// What the body of a file's section leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// The body is base64 of the file's bytes.
    Base64,
    /// A byte order mark precedes the text.
    Bom,
    /// Lines end in `\r\n`.
    Crlf,
    /// The file does not end with a line break.
    NoNewline,
    /// The file may be executed.
    Exec,
    /// The body is where a symbolic link points to.
    Symlink,
}

impl Mark {
    const ALL: [(Mark, &'static str); 6] = [
        (Mark::Base64, "(base64)"),
        (Mark::Bom, "(bom)"),
        (Mark::Crlf, "(crlf)"),
        (Mark::NoNewline, "(no newline)"),
        (Mark::Exec, "(exec)"),
        (Mark::Symlink, "(symlink)"),
    ];

    fn words(self) -> &'static str {
        Mark::ALL.iter().find(|(it, _)| *it == self).map_or("", |(_, words)| words)
    }
}

impl Doc {
    /// Reads a scenario.
    pub fn parse(text: &str) -> Doc {
        let mut doc = Doc::default();
        for line in text.split_inclusive('\n') {
            let line = line.strip_suffix('\n').unwrap_or(line);
            if let Some(name) = header(line) {
                doc.sections.push(Section::named(name));
                continue;
            }
            let body = doc.sections.last_mut().map_or(&mut doc.title, |it| &mut it.body);
            body.push_str(line.strip_prefix('\\').filter(|it| is_escaped_header(it)).unwrap_or(line));
            body.push('\n');
        }
        doc
    }
}

impl fmt::Display for Doc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_lines(f, &self.title)?;
        self.sections.iter().try_for_each(|it| write!(f, "{it}"))
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let marks: String = self.marks.iter().map(|it| format!(" {}", it.words())).collect();
        writeln!(f, "-- {}{marks} --", self.name)?;
        write_lines(f, &self.body)
    }
}

fn write_lines(f: &mut fmt::Formatter<'_>, body: &str) -> fmt::Result {
    for line in body.split_inclusive('\n') {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let escape = if is_escaped_header(line) { "\\" } else { "" };
        writeln!(f, "{escape}{line}")?;
    }
    Ok(())
}

/// The name of the section that this line begins.
fn header(line: &str) -> Option<&str> {
    line.strip_prefix("-- ")?.trim_end().strip_suffix(" --").map(str::trim).filter(|it| !it.is_empty())
}

/// True for a line that is a header once its backslashes are gone.
fn is_escaped_header(line: &str) -> bool {
    header(line.trim_start_matches('\\')).is_some()
}

impl Section {
    /// A section with this header and no body.
    pub(crate) fn named(header: &str) -> Section {
        let mut section = Section { name: header.to_string(), ..Section::default() };
        'marks: loop {
            for (mark, words) in Mark::ALL {
                if let Some(rest) = section.name.strip_suffix(words).map(str::trim_end).filter(|it| !it.is_empty()) {
                    section.name = rest.to_string();
                    section.marks.insert(0, mark);
                    continue 'marks;
                }
            }
            return section;
        }
    }

    /// A section of plain text; a missing last line break is added.
    pub(crate) fn text(name: impl Into<String>, body: &str) -> Section {
        let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
        Section { name: name.into(), marks: Vec::new(), body: format!("{body}{end}") }
    }

    /// A section that holds exactly these bytes of a file.
    pub(crate) fn file(name: String, bytes: &[u8]) -> Section {
        let plain = std::str::from_utf8(bytes).ok().and_then(|text| Section::of_text(name.clone(), text));
        plain.unwrap_or_else(|| {
            let body = STANDARD.encode(bytes);
            let lines: String = body.as_bytes().chunks(100).map(|it| String::from_utf8_lossy(it) + "\n").collect();
            Section { name, marks: vec![Mark::Base64], body: lines }
        })
    }

    /// None where no mark says how the text differs from plain lines.
    fn of_text(name: String, text: &str) -> Option<Section> {
        let mut marks = Vec::new();
        let mut body = text.to_string();
        if let Some(rest) = text.strip_prefix('\u{feff}') {
            marks.push(Mark::Bom);
            body = rest.to_string();
        }
        if body.contains("\r\n") && body.matches('\n').count() == body.matches("\r\n").count() {
            marks.push(Mark::Crlf);
            body = body.replace("\r\n", "\n");
        }
        if !body.is_empty() && !body.ends_with('\n') {
            marks.push(Mark::NoNewline);
            body.push('\n');
        }
        let odd = |it: char| it.is_control() && it != '\n' && it != '\t';
        (!body.contains(odd) && !body.contains('\u{feff}')).then_some(Section { name, marks, body })
    }

    /// True when the header carries this mark.
    pub(crate) fn has(&self, mark: Mark) -> bool {
        self.marks.contains(&mark)
    }

    /// The bytes of the file that the section stands for; the reason where its base64 cannot be read.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        if self.has(Mark::Base64) {
            let packed: String = self.body.split_whitespace().collect();
            return STANDARD.decode(packed).map_err(|it| format!("`{}` is not base64: {it}", self.name));
        }
        let mut text = self.body.clone();
        if self.has(Mark::NoNewline) && text.ends_with('\n') {
            text.pop();
        }
        if self.has(Mark::Crlf) {
            text = text.replace('\n', "\r\n");
        }
        let bom = if self.has(Mark::Bom) { "\u{feff}" } else { "" };
        Ok(format!("{bom}{text}").into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_title_sections_marks_and_escaped_headers() {
        let text = "A story.\n\n-- repo/a b.txt (crlf) (no newline) --\none\n\\-- not a header --\n\\\\-- nor this --\n-- user --\nhi\n-- stop: done --\n";
        let doc = Doc::parse(text);
        assert_eq!(doc.sections[0].name, "repo/a b.txt");
        assert_eq!(doc.sections[0].marks, [Mark::Crlf, Mark::NoNewline]);
        assert_eq!(doc.sections[0].bytes().unwrap(), b"one\r\n-- not a header --\r\n\\-- nor this --");
        assert_eq!(doc.to_string(), text);
    }

    #[test]
    fn lines_that_only_begin_like_headers_are_text() {
        for line in ["--", "-- --", "--  --", "-- a", "a --", " -- a --"] {
            assert_eq!(Doc::parse(&format!("-- x --\n{line}\n")).sections[0].body, format!("{line}\n"), "{line}");
        }
    }

    fn lines() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "[ -~]{0,12}",
            Just("-- user --".to_string()),
            Just("\\-- x --".to_string()),
            Just("\\\\-- x (crlf) -- ".to_string()),
            "\\PC{0,6}",
        ];
        let join = |it: Vec<String>| it.into_iter().map(|line| line.replace('\n', "") + "\n").collect::<String>();
        proptest::collection::vec(line, 0..6).prop_map(join)
    }

    proptest! {
        #[test]
        fn what_is_written_reads_as_it_was(title in lines(), bodies in proptest::collection::vec(("[a-z:/]{1,9}", lines()), 0..5)) {
            let sections = bodies.into_iter().map(|(name, body)| Section { name, marks: vec![], body }).collect();
            let doc = Doc { title, sections };
            let text = doc.to_string();
            prop_assert_eq!(&Doc::parse(&text), &doc);
            prop_assert_eq!(Doc::parse(&text).to_string(), text);
        }

        #[test]
        fn a_file_keeps_its_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..60), text in "(\u{feff}|)([a-z\r\n\u{0}-]|-- a --){0,20}") {
            for bytes in [bytes.as_slice(), text.as_bytes()] {
                let doc = Doc { title: String::new(), sections: vec![Section::file("repo/x".to_string(), bytes)] };
                let read = Doc::parse(&doc.to_string());
                prop_assert_eq!(read.sections[0].bytes().unwrap(), bytes);
            }
        }
    }
}
