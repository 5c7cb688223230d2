//! What an interface needs of its surroundings beyond the session: pictures, file names, other conversations.
//!
//! Promise: an interface itself reads no file and no store; whoever starts it says what there is.

use ox_client::Client;
use ox_protocol::{BoxFuture, ConversationId, Image, Problem, Time};

/// The surroundings of a session.
pub trait Host: Send + Sync {
    /// The picture at this path as the user typed it; `None` where there is no such file. A file that is there and
    /// cannot be attached (too large, not a picture) is a problem.
    fn image(&self, path: &str) -> Option<Result<Image, Problem>>;

    /// Paths of the project that begin with `prefix`, for completion; a few dozen at most, folders end with `/`.
    fn files(&self, prefix: &str) -> Vec<String>;

    /// The conversations of this project, newest first.
    fn sessions(&self) -> Vec<SessionLine>;

    /// What the model is told of earlier turns of this project in the conversation `here`.
    fn memory(&self, here: &ConversationId) -> Result<Recalled, Problem>;

    /// Opens another session; the one before is ended by dropping its client.
    fn open(&self, which: Open) -> BoxFuture<'_, Result<Client, Problem>>;
}

/// Which conversation to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    /// A new one.
    New,
    /// The one whose id begins with this.
    Id(String),
}

/// What the model is told of earlier turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recalled {
    /// The words, exactly; empty where it is told nothing.
    pub text: String,
    /// Tokens that they take.
    pub tokens: u64,
    /// They were told already, with the first prompt of this conversation; else they go with the next one.
    pub reported: bool,
}

/// One conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLine {
    /// Its id.
    pub id: String,
    /// Its name or its first prompt.
    pub title: String,
    /// When it last went on.
    pub last: Time,
}

/// The pictures that a prompt names, in order: words that end in `.png`, `.jpg`, `.jpeg`, `.gif` or `.webp`, with or
/// without `@`, in quotes where the path has spaces. A name without a file is left alone; it may be one to be made.
pub fn attach(host: &dyn Host, prompt: &str) -> (Vec<Image>, Vec<Problem>) {
    let (mut images, mut problems) = (Vec::new(), Vec::new());
    let mut seen: Vec<String> = Vec::new();
    for path in image_paths(prompt) {
        if seen.contains(&path) {
            continue;
        }
        match host.image(&path) {
            Some(Ok(image)) => images.push(image),
            Some(Err(problem)) => problems.push(problem),
            None => {}
        }
        seen.push(path);
    }
    (images, problems)
}

fn image_paths(prompt: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = prompt;
    while let Some(at) = rest.find(|c: char| !c.is_whitespace()) {
        rest = &rest[at..];
        let bare = rest.strip_prefix('@').unwrap_or(rest);
        let quote = bare.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let quoted = quote.and_then(|mark| bare[1..].split_once(mark));
        let word = match quoted {
            Some((inside, after)) => {
                rest = after;
                inside
            }
            None => {
                let end = bare.find(char::is_whitespace).unwrap_or(bare.len());
                rest = &bare[end..];
                bare[..end].trim_matches(|c: char| matches!(c, ',' | ';' | ':' | '?' | '!' | '(' | ')' | '"' | '\''))
            }
        };
        let word = word.trim_end_matches('.');
        let lower = word.to_ascii_lowercase();
        if [".png", ".jpg", ".jpeg", ".gif", ".webp"].iter().any(|end| lower.ends_with(end) && lower.len() > end.len())
        {
            out.push(word.to_string());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_paths_are_found_in_prompts() {
        let cases: [(&str, &[&str]); 6] = [
            ("make it look like @docs/shot.png, please", &["docs/shot.png"]),
            ("compare a.PNG and b.jpeg.", &["a.PNG", "b.jpeg"]),
            ("see \"my shots/one two.webp\" (and c.gif)", &["my shots/one two.webp", "c.gif"]),
            ("don't touch .png files or src/png.rs", &[]),
            ("", &[]),
            ("@'x y.png'", &["x y.png"]),
        ];
        for (prompt, expected) in cases {
            assert_eq!(image_paths(prompt), expected, "{prompt}");
        }
    }
}
