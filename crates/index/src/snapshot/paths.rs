//! What is found by the names of files and by the words of their paths. Both are worked out when they are first asked for,
//! and hold as long as no file comes or goes.

use std::collections::HashMap;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::search::Splitter;
use crate::store::files::Listing;

/// The tables.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// Files by their names.
    names: OnceLock<HashMap<Box<str>, Vec<u32>>>,
    words: OnceLock<Words>,
}

/// Which words stand in which paths.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// The files directly in each folder.
    folders: Vec<Vec<u32>>,
    all: FxHashMap<Box<str>, Held>,
    /// The number of words of each path, and of all of them.
    pub(crate) lengths: Vec<u16>,
    pub(crate) total: u64,
}

/// The folders, and the files by their own names, that have a word, and how often.
#[derive(Debug, Default)]
struct Held {
    folders: Vec<(u32, u16)>,
    files: Vec<(u32, u16)>,
}

impl Paths {
    /// The files with a name, in the order of their paths.
    pub(crate) fn named(&self, files: &Listing, name: &str) -> &[u32] {
        let names = self.names.get_or_init(|| {
            let mut names: HashMap<Box<str>, Vec<u32>> = HashMap::new();
            for (number, path) in (0u32..).zip(files.paths()) {
                let name = path.rsplit('/').next().unwrap_or(path);
                match names.get_mut(name) {
                    Some(all) => all.push(number),
                    None => drop(names.insert(name.into(), vec![number])),
                }
            }
            names
        });
        names.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn words(&self, files: &Listing) -> &Words {
        self.words.get_or_init(|| Words::of(files))
    }
}

impl Words {
    fn of(files: &Listing) -> Words {
        let mut words = Words { lengths: Vec::with_capacity(files.len()), ..Words::default() };
        let mut known: FxHashMap<&str, (u32, u16)> = FxHashMap::default();
        for (number, path) in (0u32..).zip(files.paths()) {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            // Neighbours share their folder, so its words are counted once for all of them.
            let (at, shared) = *known.entry(folder).or_insert_with(|| {
                let at = u32::try_from(words.folders.len()).unwrap_or(u32::MAX);
                words.folders.push(Vec::new());
                (at, words.count(folder, |it| &mut it.folders, at))
            });
            words.folders[at as usize].push(number);
            let length = shared.saturating_add(words.count(name, |it| &mut it.files, number));
            words.lengths.push(length);
            words.total += u64::from(length);
        }
        words
    }

    /// Notes the words of a text for a folder or file; returns their number.
    fn count(&mut self, text: &str, list: fn(&mut Held) -> &mut Vec<(u32, u16)>, of: u32) -> u16 {
        let (mut splitter, mut length) = (Splitter::new(text), 0u16);
        while let Some(word) = splitter.step() {
            length = length.saturating_add(1);
            let held = match self.all.get_mut(word) {
                Some(held) => held,
                None => self.all.entry(word.into()).or_default(),
            };
            match list(held).last_mut() {
                Some(last) if last.0 == of => last.1 = last.1.saturating_add(1),
                _ => list(held).push((of, 1)),
            }
        }
        length
    }

    /// Calls `each` with every file that has a word in its path, in the order of the paths, and how often. `counts` has a zero
    /// for each file, and has so again afterwards.
    pub(crate) fn holding(&self, word: &str, counts: &mut [u16], each: &mut dyn FnMut(u32, u16)) {
        let Some(held) = self.all.get(word) else { return };
        let mut found = Vec::new();
        let mut add = |file: u32, count: u16| {
            let sum = &mut counts[file as usize];
            if *sum == 0 {
                found.push(file);
            }
            *sum = sum.saturating_add(count);
        };
        for &(folder, count) in &held.folders {
            self.folders[folder as usize].iter().for_each(|file| add(*file, count));
        }
        held.files.iter().for_each(|&(file, count)| add(file, count));
        for file in found {
            each(file, std::mem::take(&mut counts[file as usize]));
        }
    }
}
