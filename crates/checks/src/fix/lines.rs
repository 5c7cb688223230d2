//! Which lines of a fixer's result are taken: those that the turn edited, and what has to change with them. A file that was
//! never formatted stays so beyond the edit.

use std::ops::Range;

use ox_edit::line_changes;

/// So many lines around an edit may change with it, such as a call that no longer fits on its line; where the edit is
/// larger than that, as many as it has.
const AROUND: usize = 10;

/// What is taken of a fixer's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// The text.
    pub(super) text: String,
    /// True where lines of the edit are not fixed, because many others would have to change with them.
    pub(super) is_partial: bool,
}

/// `fixed` as far as it concerns the lines in which `now` differs from `before`; all of it for a file that is new.
pub(super) fn taken(before: Option<&str>, now: &str, fixed: &str) -> Taken {
    let (now, fixed) = (lines(now), lines(fixed));
    let edited: Vec<Range<usize>> = match before {
        Some(before) => line_changes(&lines(before), &now).into_iter().map(|it| it.1).collect(),
        None => std::iter::once(0..now.len()).collect(),
    };
    let mut taken = Taken { text: String::new(), is_partial: false };
    let mut at = 0;
    for (old, new) in line_changes(&now, &fixed) {
        taken.text.extend(now[at..old.start].iter().copied());
        let reach = reach(&old, &edited);
        match reach {
            Reach::Edit => taken.text.extend(fixed[new].iter().copied()),
            Reach::Beyond | Reach::Elsewhere => taken.text.extend(now[old.clone()].iter().copied()),
        }
        taken.is_partial |= reach == Reach::Beyond;
        at = old.end;
    }
    taken.text.extend(now[at..].iter().copied());
    taken
}

/// How far lines that a fixer changes reach.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    /// They are edited ones and some around them.
    Edit,
    /// They are edited ones and many more.
    Beyond,
    /// No line of them was edited.
    Elsewhere,
}

fn reach(hunk: &Range<usize>, edited: &[Range<usize>]) -> Reach {
    // Lines that were only removed left a place between two others; what stands there may have to close up.
    let touches = |it: &&Range<usize>| it.start <= hunk.end && hunk.start <= it.end;
    let own = |it: &Range<usize>| it.end.min(hunk.end).saturating_sub(it.start.max(hunk.start));
    let touched: Vec<&Range<usize>> = edited.iter().filter(touches).collect();
    let own: usize = touched.iter().map(|it| own(it)).sum();
    match touched.is_empty() {
        true => Reach::Elsewhere,
        false if hunk.len() - own <= AROUND.max(own) => Reach::Edit,
        false => Reach::Beyond,
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_to_the_edit_is_taken() {
        let many = |line: &str, count: usize| format!("{line}\n").repeat(count);
        type Row = (&'static str, Option<String>, String, String, &'static str, bool);
        let table: [Row; 7] = [
            ("a new file is fixed as a whole", None, "a \nb \n".into(), "a\nb\n".into(), "a\nb\n", false),
            (
                "an edited line is fixed, one that was always so is not",
                Some("x \nm\nm\na\n".into()),
                "x \nm\nm\nb \n".into(),
                "x\nm\nm\nb\n".into(),
                "x \nm\nm\nb\n",
                false,
            ),
            (
                "a call that is wrapped anew changes the lines around it",
                Some("f(\n  a,\n  b,\n)\n".into()),
                "f(\n  a,\n)\n".into(),
                "f(a)\n".into(),
                "f(a)\n",
                false,
            ),
            (
                "an import that an edit needs is sorted to its place only where it touches the edit",
                Some("b\nc\n".into()),
                "a\nc\nb\n".into(),
                "a\nb\nc\n".into(),
                "a\nb\nc\n",
                false,
            ),
            (
                "a file that is indented anew is noise",
                Some(many(" l", 30)),
                format!("{} new\n{}", many(" l", 15), many(" l", 15)),
                format!("{}new\n{}", many("l", 15), many("l", 15)),
                "same",
                true,
            ),
            ("nothing to fix", Some("a\n".into()), "b\n".into(), "b\n".into(), "b\n", false),
            ("the last line gets its end", Some("a\n".into()), "a\nb".into(), "a\nb\n".into(), "a\nb\n", false),
        ];
        for (what, before, now, fixed, text, is_partial) in table {
            let expected = if text == "same" { now.as_str() } else { text };
            let found = taken(before.as_deref(), &now, &fixed);
            assert_eq!(found, Taken { text: expected.to_owned(), is_partial }, "{what}");
        }
    }
}
