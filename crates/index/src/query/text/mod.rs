//! Reading a task text: what it names, quotes and is about. Pure; it knows nothing of the project, so that everything it
//! finds is a guess for the index to confirm. It never fails: any text says something, if only words.

mod forms;
mod frames;
mod links;
mod names;
mod stop;
mod zones;

use std::collections::HashMap;

pub(crate) use forms::forms;
pub(crate) use links::Mention;
pub(crate) use names::{parts, words};
use zones::Kind;

/// What a task text says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Task {
    /// What it is about: words in lower case, each once, dearest first.
    pub terms: Vec<Term>,
    /// What it calls by a name that looks like code, dearest first.
    pub names: Vec<Name>,
    /// Files that it names.
    pub paths: Vec<Mention>,
    /// Sentences that it quotes, as a program might print them.
    pub quotes: Vec<String>,
    /// Commits that it names, by their own names or by `#` and a number.
    pub commits: Vec<String>,
    /// Kinds of files that it asks for by word.
    pub asks: Asks,
}

/// A word and how much the text makes of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Term {
    pub word: String,
    /// Grows with the number and the standing of its places; about 1 for one place in prose.
    pub weight: f32,
    /// A whole name made of several parts, as `read_line`.
    pub whole: bool,
    /// It stands in the first line.
    pub titled: bool,
}

/// A name as it is written, with what stands before it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Name {
    /// The last part: `method` of `a::Type::method`.
    pub last: String,
    /// The parts before it.
    pub before: Vec<String>,
    /// As of [`Term`].
    pub weight: f32,
    pub titled: bool,
}

/// Kinds of files that a text asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asks {
    pub tests: bool,
    pub docs: bool,
    pub examples: bool,
    pub benches: bool,
}

/// How much a place in each kind of text says, beside one in prose.
const TITLE: f32 = 2.0;
const CODE: f32 = 0.8;
const OUTPUT: f32 = 0.35;
/// What looks like code says more where it is written between backticks.
const TICKED: f32 = 1.4;
/// The parts of a name say less than the name.
const PART: f32 = 0.55;
/// So many terms and names are kept; the rest of a long text adds noise and time.
const TERMS: usize = 96;
const NAMES: usize = 64;

/// Reads a task text.
pub(crate) fn read(text: &str) -> Task {
    let stack = frames::frames(text);
    let mut gathered = Gathered::default();
    for line in zones::lines(text) {
        gathered.line(&line);
    }
    let mut paths = stack.mentions;
    for mention in gathered.paths {
        if !paths.iter().any(|it| it.path == mention.path) {
            paths.push(mention);
        }
    }
    let mut names: Vec<Name> = gathered.names.into_values().collect();
    for (rank, (before, last)) in stack.functions.into_iter().enumerate() {
        let weight = 1.5 / (1.0 + rank as f32 * 0.5);
        match names.iter_mut().find(|it| it.last == last && it.before.ends_with(&before)) {
            Some(known) => known.weight += weight,
            None => names.push(Name { last, before, weight, titled: false }),
        }
    }
    for name in &mut names {
        name.weight = name.weight.sqrt();
        let root = name.before.first().unwrap_or(&name.last);
        if let Some(module) = gathered.bound.get(root).filter(|it| !name.before.starts_with(it)) {
            name.before.splice(0..0, module.iter().cloned());
        }
    }
    names.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.last.cmp(&b.last)).then(a.before.cmp(&b.before)));
    names.truncate(NAMES);
    let mut terms: Vec<Term> = gathered.terms.into_values().collect();
    terms.iter_mut().for_each(|it| it.weight = it.weight.sqrt());
    terms.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.word.cmp(&b.word)));
    terms.truncate(TERMS);
    let commits = links::commits(text);
    Task { asks: asks(&terms), terms, names, paths, quotes: gathered.quotes, commits }
}

#[derive(Default)]
struct Gathered {
    terms: HashMap<String, Term>,
    names: HashMap<(Vec<String>, String), Name>,
    paths: Vec<Mention>,
    quotes: Vec<String>,
    /// The names that lines of imports bind, and the modules that they come from.
    bound: HashMap<String, Vec<String>>,
}

impl Gathered {
    fn line(&mut self, line: &zones::Line<'_>) {
        let (text, links) = links::without(line.text);
        for link in links {
            match link {
                links::Link::File(mention) => self.path(mention),
                links::Link::Page(words) => self.words(&words, line.weight * 0.4, false, false),
            }
        }
        let standing = match line.kind {
            Kind::Title => TITLE,
            Kind::Prose => 1.0,
            Kind::Code => CODE,
            Kind::Output => OUTPUT,
        } * line.weight;
        if standing <= 0.0 {
            return;
        }
        let said = names::said(&text);
        if let Some(said) = said {
            self.quote(said);
        }
        let standing = if said.is_some() { standing.max(line.weight) } else { standing };
        for (name, module) in names::bound(&text) {
            let before: Vec<String> = module.split('.').map(str::to_owned).collect();
            self.bound.insert(name.to_owned(), before.clone());
            self.name((before, name.to_owned()), standing, false);
        }
        if line.kind != Kind::Output {
            for mention in frames::paths(&text) {
                self.path(mention);
            }
        }
        for piece in names::pieces(&text) {
            let titled = line.kind == Kind::Title;
            let weight = if piece.ticked { standing * TICKED } else { standing };
            if piece.quote {
                self.quote(piece.text);
                continue;
            }
            self.words(piece.text, weight, titled, piece.ticked);
            let codelike = line.kind == Kind::Code || piece.ticked;
            if let Some(name) = names::name(piece.text, piece.called, codelike) {
                self.name(name, weight, titled);
            }
        }
    }

    /// Adds a place of a name, given as what stands before it and its last part.
    fn name(&mut self, key: (Vec<String>, String), weight: f32, titled: bool) {
        let (before, last) = key.clone();
        let known = self.names.entry(key).or_insert(Name { last, before, weight: 0.0, titled: false });
        known.weight += weight;
        known.titled |= titled;
    }

    fn path(&mut self, mention: Mention) {
        if !self.paths.iter().any(|it| it.path == mention.path && it.line == mention.line) {
            self.paths.push(mention);
        }
    }

    fn quote(&mut self, text: &str) {
        if self.quotes.len() < 16 && !self.quotes.iter().any(|it| it == text) {
            self.quotes.push(text.to_owned());
        }
    }

    /// Adds the words of a piece: names whole and in parts.
    fn words(&mut self, piece: &str, weight: f32, titled: bool, ticked: bool) {
        for word in words(piece) {
            let whole = word.trim_matches('_').to_lowercase();
            let parts = parts(word);
            if parts.iter().any(|it| *it != whole) {
                self.term(whole, weight, titled, true);
                for part in parts {
                    self.plain(part, weight * PART, titled, true);
                }
            } else {
                self.plain(whole, weight, titled, ticked);
            }
        }
    }

    fn plain(&mut self, word: String, weight: f32, titled: bool, named: bool) {
        let says = word.chars().count() > 1 && (named || !stop::is_common(&word)) && !stop::is_noise(&word);
        if says {
            self.term(word, weight, titled, false);
        }
    }

    fn term(&mut self, word: String, weight: f32, titled: bool, whole: bool) {
        if word.len() > 64 {
            return;
        }
        let known = self.terms.entry(word).or_insert_with_key(|it| Term { word: it.clone(), ..Term::default() });
        known.weight += weight;
        known.whole |= whole;
        known.titled |= titled;
    }
}

/// What the words of the first line ask for, beside the code.
fn asks(terms: &[Term]) -> Asks {
    let has = |words: &[&str]| terms.iter().any(|it| it.titled && words.contains(&it.word.as_str()));
    Asks {
        tests: has(&["test", "tests", "testing", "testsuite", "flaky"]),
        docs: has(&["doc", "docs", "documentation", "readme", "typo", "changelog"]),
        examples: has(&["example", "examples", "demo", "tutorial"]),
        benches: has(&["bench", "benchmark", "benchmarks"]),
    }
}

#[cfg(test)]
mod tests;
