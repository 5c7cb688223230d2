//! Random bytes and changed copies of the fuzzer's seeds through the very check that the fuzzer runs; a million of them
//! with `OX_EXTENDED=1`, and with `--release` if one is in a hurry. A failure prints the bytes to put among the seeds.

mod any;

use std::panic::catch_unwind;
use std::path::Path;

/// A small generator of random numbers (xorshift), so that a run can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        // Mostly what matters to the formats, sometimes anything.
        const TELLING: &[u8] = b"\n\n\n +-@*#`\\\t\r.<>=%:019aAx{}()\"'/,;|&\xef\xbb\xbf\xe2\x80\xa6";
        if self.below(8) == 0 { self.below(256) as u8 } else { TELLING[self.below(TELLING.len())] }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/edit");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the seeds are there").map(|entry| entry.expect("a seed").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a seed can be read")).collect()
}

/// A seed with a few bytes, lines or pieces of other seeds changed.
fn changed(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] = random.byte(),
            1 => bytes.insert(at, random.byte()),
            2 if at < bytes.len() => {
                let end = (at + random.below(30)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let end = (at + random.below(60)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            4 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len());
                let end = (from + random.below(80)).min(other.len());
                bytes.splice(at..at, other[from..end].iter().copied());
            }
            _ => bytes[0] = random.below(256) as u8,
        }
        if bytes.is_empty() {
            bytes.push(random.byte());
        }
        bytes.truncate(4_000);
    }
    bytes
}

fn must_hold(bytes: &[u8]) {
    let held = catch_unwind(|| any::check(bytes));
    assert!(held.is_ok(), "the check fails for {:?}", String::from_utf8_lossy(bytes));
}

#[test]
fn no_bytes_break_the_engine() {
    let seeds = seeds();
    assert!(seeds.len() >= 8, "too few seeds");
    seeds.iter().for_each(|seed| must_hold(seed));
    let extended = std::env::var_os("OX_EXTENDED").is_some();
    let rounds = if extended { 1_000_000 } else { 6_000 };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..rounds {
        let bytes = if round % 8 == 0 {
            (0..random.below(200)).map(|_| random.byte()).collect()
        } else {
            changed(&seeds, &mut random)
        };
        must_hold(&bytes);
    }
}
