//! What the syntax check after an inexact tier costs, timed apart from the engine: it parses the whole file.

use std::time::Instant;

use crate::case::Case;

/// Checks each file of the corpus that a grammar is at hand for, and prints how long that took.
pub fn print(cases: &[Case]) {
    let files = cases.iter().flat_map(|case| &case.files).filter(|(path, _)| ox_syntax::language(path).is_some());
    let (mut micros, mut bytes, mut broken) = (Vec::new(), 0, 0);
    for (path, text) in files {
        let began = Instant::now();
        let fault = ox_syntax::check(path, text);
        micros.push(began.elapsed().as_secs_f64() * 1e6);
        bytes += text.len();
        broken += usize::from(fault.is_some());
    }
    micros.sort_by(f64::total_cmp);
    let Some(last) = micros.len().checked_sub(1) else { return };
    let (median, p99) = (micros[last / 2], micros[last * 99 / 100]);
    let speed = bytes as f64 / micros.iter().sum::<f64>();
    let files = micros.len();
    println!(
        "\nsyntax check, apart: {files} files, median {median:.0} µs, p99 {p99:.0} µs, {speed:.1} MB/s; {broken} do not parse as they are"
    );
}
