//! What each line of a task text is: title, prose, code or output, and how much its section says. Lines that say
//! nothing (template comments, rulers, boxes) are left out.

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Title,
    Prose,
    /// In a fence or indented.
    Code,
    /// What a program printed: logs, traces.
    Output,
}

/// A line with what it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line<'a> {
    pub text: &'a str,
    pub kind: Kind,
    /// 1 for what counts in full, less in sections about the machine and the like.
    pub weight: f32,
}

/// Sections about the machine, by words of their headings.
const MACHINE: &str = "\
    version versions environment platform os operating system install installed setup prerequisites checklist \
    homework searched search browsers hardware specs crates dependencies configuration config duplicate \
    duplicates contact conduct";
/// What a heading of an issue template is made of.
const TEMPLATE: &str = "\
    a about actual additional alternatives and any are background behavior behaviour bug bugs can case code \
    considered context current debug describe description did do does details example expect expected extra \
    feature for happen happened happens how i in info information instead is issue like link log logs minimal \
    motivation notes of or other output possible problem proposal proposed provide related report reproduce \
    reproducible reproduction request result results sample screenshots should solution solve step steps \
    suggestion summary test the this to use version want was what with workaround would you your youd we if id";
/// Words of check boxes that every report ticks.
const TICKED: &[&str] = &["search", "read", "agree", "confirm", "latest", "duplicate", "checked", "tried", "followed"];

/// The lines that say something.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let mut state = State { section: 1.0, fence: None, comment: false, titled: false, after_blank: true };
    for raw in text.lines() {
        let text = raw.trim_end();
        state.line(text, &mut found);
        state.after_blank = text.trim().is_empty();
    }
    found
}

struct State {
    section: f32,
    /// The mark that closes the code block around.
    fence: Option<&'static str>,
    comment: bool,
    titled: bool,
    after_blank: bool,
}

impl State {
    fn line<'a>(&mut self, text: &'a str, found: &mut Vec<Line<'a>>) {
        let trimmed = text.trim();
        if self.comment {
            self.comment = !trimmed.contains("-->");
            return;
        }
        if let Some(mark) = fence(trimmed) {
            match self.fence {
                Some(open) if open == mark => self.fence = None,
                None if !closes_itself(trimmed, mark) => self.fence = Some(mark),
                _ => {}
            }
            return;
        }
        if self.fence.is_none() && trimmed.starts_with("<!--") {
            self.comment = !trimmed.contains("-->");
            return;
        }
        if !trimmed.chars().any(char::is_alphabetic) || is_drawn(trimmed) {
            return;
        }
        let line = if self.fence.is_some() || (text.starts_with("    ") && self.after_blank) {
            Line { text, kind: if is_output(trimmed) { Kind::Output } else { Kind::Code }, weight: self.section }
        } else if !self.titled {
            Line { text: trimmed.trim_start_matches('#'), kind: Kind::Title, weight: 1.0 }
        } else if let Some(heading) = heading(trimmed) {
            let (section, own) = heading_weight(heading);
            self.section = section;
            Line { text: heading, kind: Kind::Prose, weight: own }
        } else {
            let weight = self.section * weight(trimmed);
            Line { text, kind: if is_output(trimmed) { Kind::Output } else { Kind::Prose }, weight }
        };
        self.titled = true;
        if line.weight > 0.0 {
            found.push(line);
        }
    }
}

fn fence(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|it| line.trim_start_matches("> ").starts_with(it))
}

/// True for ```` ```code``` ```` on one line.
fn closes_itself(line: &str, mark: &str) -> bool {
    line.len() > 2 * mark.len() && line.ends_with(mark)
}

/// True for a line of a tree, a table's frame or a program's drawn message.
fn is_drawn(line: &str) -> bool {
    let drawn = |it: char| ('\u{2500}'..='\u{257f}').contains(&it);
    line.starts_with(drawn) || line.chars().filter(|it| drawn(*it)).count() * 4 > line.chars().count()
}

/// The words of a heading.
fn heading(line: &str) -> Option<&str> {
    if line.starts_with('#') {
        return Some(line.trim_matches('#').trim()).filter(|it| !it.is_empty());
    }
    let bare = line.trim_end_matches(':');
    let bold = bare.strip_prefix("**").and_then(|it| it.trim_end_matches(':').strip_suffix("**"));
    if let Some(bold) = bold {
        return Some(bold).filter(|it| !it.contains("**"));
    }
    // A short line that ends in a colon opens a section, too.
    (line.ends_with(':') && line.split_whitespace().count() <= 4 && line.starts_with(char::is_alphabetic))
        .then_some(bare)
}

/// What a section counts, and its heading.
fn heading_weight(heading: &str) -> (f32, f32) {
    let lower = heading.to_lowercase();
    let words: Vec<&str> =
        lower.split(|it: char| !it.is_alphanumeric() && it != '\'').filter(|it| !it.is_empty()).collect();
    let is_in = |list: &str, word: &str| list.split(' ').any(|it| it == word);
    let of_template = words.iter().all(|it| is_in(TEMPLATE, it) || is_in(MACHINE, it) || *it == "you'd");
    let of_machine = of_template && words.iter().any(|it| is_in(MACHINE, it)) && !words.contains(&"reproduce");
    match (of_machine, of_template) {
        (true, _) => (0.12, 0.0),
        (false, true) => (1.0, 0.0),
        (false, false) => (1.0, 1.0),
    }
}

/// How much a line of prose says by itself.
fn weight(line: &str) -> f32 {
    let lower = line.to_lowercase();
    let boxed = ["- [x]", "- [ ]", "* [x]", "* [ ]"].iter().any(|it| lower.starts_with(it));
    if boxed {
        return if TICKED.iter().any(|it| lower.contains(it)) { 0.05 } else { 0.7 };
    }
    if lower.starts_with("_no response_")
        || lower.starts_with("<sup>originally posted")
        || lower.starts_with("co-authored-by")
    {
        return 0.0;
    }
    if ["signed-off-by", "reviewed-by", "<details", "</", "<div", "<summary"].iter().any(|it| lower.starts_with(it)) {
        return 0.1;
    }
    1.0
}

/// True for what a program prints: frames, log lines, a shell's answers.
fn is_output(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    (first == "at" && line.contains(['(', '/', '.']) && !line.ends_with(','))
        || line.starts_with("File \"")
        || (first.starts_with('#') && first.len() > 1 && first[1..].chars().all(|it| it.is_ascii_digit()))
        || ["[INFO]", "[ERROR]", "[WARNING]", "[DEBUG]", "Compiling ", "Downloading "]
            .iter()
            .any(|it| line.starts_with(it))
        || (first.len() >= 10
            && first.starts_with(|it: char| it.is_ascii_digit())
            && first.contains(['-', ':'])
            && first.chars().filter(char::is_ascii_digit).count() * 2 > first.len())
}
