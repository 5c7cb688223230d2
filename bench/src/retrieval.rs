//! Whether the right files are found: `cargo xtask bench retrieval --corpus FILE --repos DIR`.
//!
//! Each case lays out one commit of a repository, asks `ox query` for the files that a real issue is about, and compares
//! them with those that its fix changed. Baselines are computed in the same run from the same files: BM25 over whole files
//! and over pieces, and a vote of keywords. With `--calibrate` the signals are fetched instead of the ranking, and
//! weights are fitted to them; see [`fit`].

mod ask;
mod baselines;
mod calibrate;
mod cases;
mod fit;
mod layout;
mod meaning;
mod score;

use anyhow::{Context, Result};

use crate::program;
use ask::{Progress, asked, paths};
use baselines::Texts;
use layout::Layout;
use score::Table;

pub use ask::Options;

/// Recall of all gold files in ten, and of gold files in one, in percent of all cases.
const LIMITS: (f64, f64) = (84.0, 54.0);
/// Asks for every case, prints the tables, and answers whether Ox kept its limits.
pub fn run(options: &Options) -> Result<bool> {
    let cases = cases::read(&options.corpus, options.only.as_deref(), options.limit.unwrap_or(usize::MAX))?;
    let temporary = tempfile::tempdir()?;
    let scratch = options.scratch.clone().unwrap_or_else(|| temporary.path().to_owned());
    let program = program::ox(options.ox.as_ref())?;
    if options.calibrate {
        return calibrate::run(&cases, options, &scratch, &program);
    }
    let names = ["ox", "ox, embeddings", "bm25, files", "bm25, pieces", "ripgrep vote"];
    let mut tables = names.map(Table::new);
    let mut spent = meaning::Spent::default();
    if let Some(folder) = &options.embeddings {
        meaning::pull(&program, &scratch, folder)?;
    }
    let (mut misses, mut missing) = (String::new(), 0);
    let progress = Progress::new(&cases);
    for (repo, cases) in &cases {
        let mut layout = Layout::open(&options.repos, repo, &scratch, !options.no_history)?;
        let mut texts = Texts::default();
        for case in cases {
            let files = layout.show(&case.base_commit)?;
            let answer = asked(&program, &layout.tree, &scratch, case, &[], "off")?;
            let ranked = paths(&answer);
            tables[0].add(case, &ranked, &files);
            if options.embeddings.is_some() {
                meaning::fill(&program, &scratch, &layout.tree, &mut spent)?;
                let answer = asked(&program, &layout.tree, &scratch, case, &[], meaning::MODEL)?;
                tables[1].add(case, &paths(&answer), &files);
            }
            misses += &score::missed(case, &ranked);
            if !options.no_baselines {
                texts.read(&mut layout, &files)?;
                tables[2].add(case, &texts.bm25(&files, &case.query), &files);
                tables[3].add(case, &texts.pieces(&files, &case.query), &files);
                tables[4].add(case, &texts.vote(&files, &case.query), &files);
            }
            progress.step(repo);
        }
        missing += layout.missing.len();
    }
    if let Some(file) = &options.misses {
        std::fs::write(file, misses).with_context(|| file.display().to_string())?;
    }
    for table in tables.iter().filter(|it| it.cases() > 0) {
        println!("{}", table.text());
    }
    let (all, first) = tables[0].reached();
    println!("contents that the repositories do not hold: {missing}");
    println!("all gold in 10: {all:.1} (limit {}), R@1: {first:.1} (limit {})", LIMITS.0, LIMITS.1);
    let mut good = all >= LIMITS.0 && first >= LIMITS.1;
    if options.embeddings.is_some() {
        let (with, with_first) = tables[1].reached();
        println!("with embeddings: {with:.1}, R@1: {with_first:.1} (limits: those without); {}", spent.text());
        good &= with >= all && with_first >= first;
    }
    Ok(good)
}
