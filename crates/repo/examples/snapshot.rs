//! Measures how long a snapshot takes over trees of 200 and 10 000 files.

use std::time::Instant;

use ox_repo::Tree;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for count in [200, 10_000] {
        let dir = tempfile::tempdir()?;
        std::fs::write(dir.path().join(".gitignore"), "target/\n*.log\n")?;
        for number in 0..count {
            let folder = dir.path().join(format!("module{}/part{}", number / 200, number / 20));
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join(format!("file{number}.rs")), "fn main() {}\n")?;
        }
        let tree = Tree::open(dir.path(), &[])?;
        let mut times = Vec::new();
        for _ in 0..12 {
            let start = Instant::now();
            let snapshot = tree.snapshot();
            let stamp = snapshot.stamp();
            times.push(start.elapsed());
            assert!(snapshot.files().len() == count + 1 && stamp.len() == 32);
        }
        println!("{count} files: first {:?}, then {:?}", times[0], times[1..].iter().min());
    }
    Ok(())
}
