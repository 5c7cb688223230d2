//! Makes edits with the slips of models out of real files, as a corpus for `cargo xtask bench edits`:
//! `cargo run -p ox-edit --example slips -- SEED COUNT PATH… > CORPUS`. Each PATH is a file or a folder; each kind of slip is
//! made COUNT times. The same seed and files give the same corpus.

mod kinds;
mod source;

use std::process::ExitCode;

use source::{Random, Source, read};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|it: &String| it.parse::<u64>().ok());
    let (Some(seed), Some(count)) = (number(0), number(1)) else {
        eprintln!("slips: SEED COUNT PATH… are wanted, two numbers and files or folders");
        return ExitCode::FAILURE;
    };
    let mut sources: Vec<Source> = args[2..].iter().flat_map(|path| read(path.as_ref())).collect();
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    if sources.is_empty() {
        eprintln!("slips: no file of code with 20 lines or more was found");
        return ExitCode::FAILURE;
    }
    for (kind, make) in kinds::KINDS {
        let mut random = Random::new(seed, kind);
        let (mut made, mut tries) = (0, 0);
        while made < count && tries < 200 * count {
            tries += 1;
            let source = random.of(&sources);
            if let Some(mut case) = make(&mut random, source) {
                case["id"] = format!("{kind}-{made:03}").into();
                case["category"] = (*kind).into();
                case["path"] = source.path.as_str().into();
                println!("{case}");
                made += 1;
            }
        }
    }
    ExitCode::SUCCESS
}
