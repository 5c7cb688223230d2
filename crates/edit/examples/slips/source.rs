//! The files that slips are made of, and what is random about them.

use std::fs;
use std::path::Path;

/// A text to make edits of.
pub struct Source {
    /// Its file, without the folders above the one given.
    pub path: String,
    /// Its lines.
    pub lines: Vec<String>,
}

const CODE: [&str; 12] = ["rs", "py", "go", "java", "ts", "tsx", "js", "c", "h", "cpp", "rb", "vue"];

/// The files of code at or below a path that are neither short nor very long.
pub fn read(path: &Path) -> Vec<Source> {
    if path.is_dir() {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        return entries
            .filter(|it| !it.file_name().to_string_lossy().starts_with('.'))
            .flat_map(|it| read(&it.path()))
            .collect();
    }
    let code = path.extension().is_some_and(|end| CODE.iter().any(|known| *known == end));
    let text = if code { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let fits = (20..1500).contains(&lines.len()) && !text.contains('\r') && text.ends_with('\n');
    fits.then(|| Source { path: path.to_string_lossy().into_owned(), lines }).into_iter().collect()
}

/// Numbers that look random and are the same for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64, kind: &str) -> Self {
        Self(kind.bytes().fold(seed.wrapping_mul(0x9e37_79b9), |hash, byte| hash.wrapping_mul(31) ^ u64::from(byte)))
    }

    /// A number below another.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut out = self.0;
        out = (out ^ (out >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        out = (out ^ (out >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((out ^ (out >> 31)) % limit.max(1) as u64) as usize
    }

    /// One of several.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Where so many lines with words stand that the file has once.
    pub fn block(&mut self, lines: &[String], height: usize) -> Option<usize> {
        let at = self.below(lines.len().checked_sub(height)?);
        let block = &lines[at..at + height];
        let same = |other: &&[String]| other.iter().zip(block).all(|(a, b)| a.trim() == b.trim());
        let once = lines.windows(height).filter(same).count() == 1;
        (once && block.iter().all(|line| words(line).len() > 1)).then_some(at)
    }

    /// The line with another number, or with another of the file's words in place of one of its own.
    pub fn drifted(&mut self, line: &str, lines: &[String]) -> Option<String> {
        let own = words(line);
        let numbers: Vec<&&str> = own.iter().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())).collect();
        let (old, new) = match numbers.is_empty() || self.below(2) == 0 {
            false => {
                let old = **self.of(&numbers);
                (old, format!("{old}{}", 1 + self.below(9)))
            }
            true => {
                let names: Vec<&&str> = own.iter().filter(|word| word.len() > 3).collect();
                let old = **names.get(self.below(names.len()))?;
                let others = words(self.of::<String>(lines));
                let new = *others.get(self.below(others.len())).filter(|word| word.len() > 3 && **word != old)?;
                (old, new.to_owned())
            }
        };
        let out = line.replacen(old, &new, 1);
        (out != line && !lines.contains(&out)).then_some(out)
    }
}

/// The words of a line.
pub fn words(line: &str) -> Vec<&str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect()
}
