//! Measures how fast a model makes vectors of the chunks below a folder: `vectors MODEL DIR [MOST]`; the last line is JSON.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::time::Instant;

use ox_index::embed;
use ox_syntax::facts;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (model, root, most) = match args.as_slice() {
        [model, root] => (model, root, usize::MAX),
        [model, root, most] => (model, root, most.parse().unwrap()),
        _ => panic!("usage: vectors MODEL DIR [MOST]"),
    };
    let start = Instant::now();
    let embedder = embed::open(Path::new(model), "measured").unwrap();
    let opened = start.elapsed();
    let start = Instant::now();
    embedder.embed(&["the parser fails with an unexpected end of file when it reads a configuration"]).unwrap();
    let question = start.elapsed();
    let texts = chunks(Path::new(root), most);
    let (cpu, start) = (cpu(), Instant::now());
    for batch in texts.chunks(embedder.batch()) {
        embedder.embed(&batch.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    }
    let (wall, cpu) = (start.elapsed().as_secs_f64(), self::cpu() - cpu);
    let bytes: usize = texts.iter().map(String::len).sum();
    println!(
        "{{\"chunks\": {}, \"mean_bytes\": {}, \"wall_s\": {wall:.2}, \"cpu_s\": {cpu:.2}, \"per_s\": {:.1}, \
         \"per_cpu_s\": {:.1}, \"open_ms\": {:.0}, \"question_ms\": {:.0}}}",
        texts.len(),
        bytes / texts.len().max(1),
        texts.len() as f64 / wall,
        texts.len() as f64 / cpu,
        opened.as_secs_f64() * 1e3,
        question.as_secs_f64() * 1e3,
    );
}

/// The chunks of the code below a folder, evenly picked where there are more than `most`.
fn chunks(root: &Path, most: usize) -> Vec<String> {
    let (mut all, mut open) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|it| it.path()).collect();
        entries.sort();
        for path in entries {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != ".git" && name != "target" && name != "node_modules" {
                open.push(path);
            } else if path.is_file() && ox_syntax::language(&name).is_some() {
                let Ok(text) = std::fs::read_to_string(&path) else { continue };
                let found = facts(&name, &text).chunks;
                all.extend(found.iter().map(|it| text[it.start_byte as usize..it.end_byte as usize].to_owned()));
            }
        }
    }
    let step = all.len().div_ceil(most).max(1);
    all.into_iter().step_by(step).collect()
}

/// Seconds of CPU time of this process.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().filter_map(|it| it.parse().ok()).collect();
    // The state, a letter, is not a number: user and system time are fields 14 and 15 of the whole line.
    fields.get(10..12).map_or(0.0, |it| it.iter().sum::<f64>() / 100.0)
}
