//! Lines of a program and of a command's output as spans.

use std::borrow::Cow;

use ox_syntax::{Classes, highlighter, highlighter_of_file};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clean;

/// A stretch of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextSpan {
    /// The text, without line breaks.
    pub text: String,
    /// What it is: `keyword`, `string`, `comment` and so on; absent for ordinary text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Cow<'static, str>>,
    /// True where it is what changed within the line of a diff.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

impl TextSpan {
    pub(crate) fn plain(text: &str) -> TextSpan {
        TextSpan { text: text.to_owned(), ..TextSpan::default() }
    }
}

/// The lines of a program: in the language of that name, else in that of the file at `path`.
pub fn code(text: &str, language: Option<&str>, path: Option<&str>) -> Vec<Vec<TextSpan>> {
    // Cleaned first, so that the places of the classes are those of what is shown.
    let text = clean(text);
    let reader = language.and_then(highlighter).or_else(|| path.and_then(highlighter_of_file));
    let mut classes = reader.map(|it| it.lines(&text)).unwrap_or_default().into_iter();
    text.lines().map(|line| spans(line, &classes.next().unwrap_or_default())).collect()
}

/// The lines that a command printed. What a terminal would have obeyed is left out.
pub fn output(text: &str) -> Vec<Vec<TextSpan>> {
    clean(text).lines().map(|line| vec![TextSpan::plain(line)]).collect()
}

fn spans(line: &str, classes: &Classes) -> Vec<TextSpan> {
    let (mut out, mut at) = (Vec::new(), 0);
    let mut push = |text: Option<&str>, class: Option<&'static str>| {
        out.extend(
            text.filter(|it| !it.is_empty())
                .map(|it| TextSpan { class: class.map(Cow::Borrowed), ..TextSpan::plain(it) }),
        );
    };
    for (range, class) in classes {
        push(line.get(at..range.start), None);
        push(line.get(range.clone()), Some(class.name()));
        at = range.end;
    }
    push(line.get(at..), None);
    out
}
