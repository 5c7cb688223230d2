//! `ox diff`: what differs between two recorded states, or between one and now. It changes nothing.

use std::io::IsTerminal;

use clap::Args;
use ox_app::project::checkpoints::RecordedStates;
use ox_protocol::{FileChange, Problem};
use ox_repo::Point;

use super::checkpoints::{self, here};
use super::print::{colours, err, exact, json, out};

/// What stands for the files as they are.
const NOW: &str = "now";

/// Arguments of `ox diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Up to two checkpoints (or `now`) and a path. Compares the first with the second, or with now; by default, the start
    /// of the last turn with now.
    #[arg(value_name = "A] [B] [PATH", num_args = 0..=3)]
    what: Vec<String>,
    /// Show only files and line counts.
    #[arg(long)]
    stat: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Shows the difference.
pub fn run(args: DiffArgs) -> anyhow::Result<u8> {
    let (states, language) = checkpoints::open()?;
    let (points, path) = points(&states, &args.what)?;
    let path = path.map(here);
    let mut points = points.into_iter();
    let files = match points.next() {
        Some(a) => states.diff(&a, &points.next().unwrap_or(Point::Now), path.as_deref())?,
        None => {
            let start = states.last_start()?.ok_or_else(|| Problem::new("diff.no_start"))?;
            states.diff_since(&start, &Point::Now, path.as_deref())?
        }
    };
    if args.json {
        json(&serde_json::to_value(&files)?);
    } else if files.is_empty() {
        err(&language.say("diff.same", &[]));
    } else if args.stat {
        out(&checkpoints::files(&files));
    } else {
        let terminal = std::io::stdout().is_terminal();
        let text: String = files.iter().map(text).collect();
        exact(&if terminal { shown(&text, colours()) } else { text });
    }
    Ok(0)
}

/// Checkpoints come first; what is none is a path, but only in the last place.
fn points<'a>(states: &RecordedStates, what: &'a [String]) -> anyhow::Result<(Vec<Point>, Option<&'a str>)> {
    let mut points = Vec::new();
    for (at, word) in what.iter().enumerate() {
        let last = at + 1 == what.len();
        if word == NOW && points.len() < 2 {
            points.push(Point::Now);
            continue;
        }
        match states.find(word)? {
            Some(found) if points.len() < 2 => points.push(Point::At(found.id)),
            None if !last || is_name(word) => return Err(states.get(word).err().unwrap_or_default().into()),
            _ => return Ok((points, Some(word))),
        }
    }
    Ok((points, None))
}

/// True for what can only be meant as a checkpoint: digits of its kind, and no file of that name.
fn is_name(word: &str) -> bool {
    word.len() >= 4 && word.chars().all(|it| it.is_ascii_hexdigit()) && !std::path::Path::new(word).exists()
}

/// A file's difference as `git diff` would show it.
fn text(file: &FileChange) -> String {
    let from = file.from.as_ref().unwrap_or(&file.path);
    // Programs that read diffs leave out what stands between two files.
    let mut text = file.why.as_ref().map_or_else(String::new, |why| format!("# {}\n", why.replace('\n', " ")));
    text += &format!("diff a/{from} b/{}\n", file.path);
    if file.from.is_some() {
        text += &format!("rename from {from}\nrename to {}\n", file.path);
    }
    text += &file.diff;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// For a terminal, which nothing that a file says may drive.
fn shown(text: &str, coloured: bool) -> String {
    let plain = |line: &str| -> String {
        line.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
    };
    let paint = |line: &str| {
        let plain = plain(line);
        let colour = match line.as_bytes() {
            _ if !coloured => return plain + "\n",
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'd', b'i', b'f', b'f', ..] => "1",
            [b'+', ..] => "32",
            [b'-', ..] => "31",
            [b'@', b'@', ..] => "36",
            _ => return plain + "\n",
        };
        format!("\u{1b}[{colour}m{plain}\u{1b}[0m\n")
    };
    text.lines().map(paint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cannot_drive_the_terminal() {
        let text = "--- a/x\n+\u{1b}[2J red\n-\u{9b}1m\n \tkept\n";
        assert_eq!(shown(text, false), "--- a/x\n+\u{fffd}[2J red\n-\u{fffd}1m\n \tkept\n");
        let coloured = shown(text, true);
        assert!(coloured.contains("\u{1b}[32m+\u{fffd}[2J red\u{1b}[0m\n"), "{coloured:?}");
    }
}
