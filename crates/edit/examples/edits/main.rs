//! Measures the engine against recorded edits: `cargo xtask bench edits --corpus PATH [--vs] [--show ID|CATEGORY]`.
//!
//! Each line of the corpus is a JSON object with `format`, `category`, `before` (or `files_before`), `edit` and
//! `expected_after` (or `files_after`; null where the edit must be refused). `near_ok` lists texts that are nearly
//! right, `refusal_ok` marks cases where refusing is right too, and `contested` ones are left out. A figure is printed
//! only if it was measured in this run; a limit that is missed makes the exit code 1.

mod case;
mod growth;
mod peers;
mod syntax;
mod tally;

use std::process::ExitCode;

use case::Case;
use tally::Board;

struct Options {
    corpus: String,
    vs: bool,
    show: Option<String>,
}

impl Options {
    /// Whether a case is to be shown: by its id, its category, or its format.
    fn shows(&self, case: &Case) -> bool {
        self.show.as_ref().is_some_and(|wanted| [&case.id, &case.category, &case.format].contains(&wanted))
    }
}

fn options() -> Result<Options, String> {
    let mut options = Options { corpus: String::new(), vs: false, show: None };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--corpus" => options.corpus = args.next().ok_or("--corpus needs a path")?,
            "--show" => options.show = Some(args.next().ok_or("--show needs an id or a category")?),
            "--vs" => options.vs = true,
            other => return Err(format!("`{other}` is none of --corpus PATH, --vs, --show ID|CATEGORY")),
        }
    }
    if options.corpus.is_empty() {
        return Err("--corpus PATH is missing: a file of recorded edits, one JSON object on each line".into());
    }
    Ok(options)
}

fn main() -> ExitCode {
    match measure() {
        Ok(missed) if missed.is_empty() => ExitCode::SUCCESS,
        Ok(missed) => {
            println!("\nlimits missed:");
            for line in missed {
                println!("  {line}");
            }
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("bench edits: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs everything and answers which limits were missed.
fn measure() -> Result<Vec<String>, String> {
    let options = options()?;
    let text = std::fs::read_to_string(&options.corpus).map_err(|error| format!("{}: {error}", options.corpus))?;
    let cases: Vec<Case> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .enumerate()
        .map(|(at, line)| Case::read(line).map_err(|error| format!("{}:{}: {error}", options.corpus, at + 1)))
        .collect::<Result<_, _>>()?;
    let mut board = Board::default();
    for case in cases.iter().filter(|case| !case.contested) {
        let run = case.run(if options.show.is_some() { 1 } else { case::RUNS });
        let verdict = case.judge(run.after.as_ref());
        if options.shows(case) {
            case.show(&run, verdict);
        }
        board.add(case, verdict, &run);
    }
    print!("{}", board.table());
    if options.show.is_some() {
        // Who looks at single cases asks for no times.
        return Ok(Vec::new());
    }
    let mut missed = board.missed();
    missed.extend(growth::print());
    syntax::print(&cases);
    if options.vs {
        peers::print(&cases)?;
    }
    Ok(missed)
}
