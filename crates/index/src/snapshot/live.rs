//! Which segment entries belong to a file that exists, with their totals: only these are found, and only these count.

use std::collections::BTreeMap;

use crate::store::contents::Content;
use crate::store::files::Rule;
use crate::store::files::{At, Listing, Move};
use crate::store::schema::TEXTS;
use crate::store::segment::Segments;

/// The contents of files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// For each segment, the first file of each content; [`NONE`] for a dead one.
    pub(crate) owners: Vec<Vec<u32>>,
    /// The next file with the same content as a file; [`NONE`] for the last.
    twins: Vec<u32>,
    pub(crate) totals: Totals,
}

/// What the files come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Files with a content.
    pub(crate) files: u64,
    /// Their chunks, at least one for each.
    pub(crate) docs: u64,
    /// Words in each text field.
    pub(crate) lengths: [u64; TEXTS],
    pub(crate) bytes: u64,
    pub(crate) symbols: u64,
    pub(crate) references: u64,
    pub(crate) imports: u64,
    pub(crate) chunks: u64,
    pub(crate) given_up: u64,
    /// Files without one, by the rule that says so.
    pub(crate) skipped: BTreeMap<Rule, u64>,
}

/// No file.
pub(crate) const NONE: u32 = u32::MAX;

impl Live {
    /// Counts all files.
    pub(crate) fn of(files: &Listing, segments: &Segments) -> Live {
        let mut live = Live {
            owners: segments.iter().map(|it| vec![NONE; it.contents.len()]).collect(),
            twins: vec![NONE; files.len()],
            totals: Totals::default(),
        };
        for (number, entry) in (0..files.len()).rev().zip(files.iter().rev()) {
            live.totals.skip(entry.rule, 1);
            if let Some(content) = content_at(segments, entry.at) {
                live.totals.count(content, 1);
            }
            // From the last to the first, so that each chain is in the order of the paths.
            live.link(number, entry.at);
        }
        live
    }

    /// The same for files that differ from `old` in those with these numbers, and in having further segments.
    pub(crate) fn with(&self, old: &Listing, new: &Listing, segments: &Segments, numbers: &[usize]) -> Live {
        let mut live = self.clone();
        for segment in &segments[live.owners.len()..] {
            live.owners.push(vec![NONE; segment.contents.len()]);
        }
        for &number in numbers {
            for (files, by) in [(old, -1), (new, 1)] {
                let entry = files.get(number);
                live.totals.skip(entry.rule, by);
                if let Some(content) = content_at(segments, entry.at) {
                    live.totals.count(content, by);
                }
                match by {
                    1 => live.link(number, entry.at),
                    _ => live.unlink(number, entry.at),
                }
            }
        }
        live
    }

    /// The same files with their contents elsewhere, as `to` says; none where two contents become one.
    pub(crate) fn moved(&self, old: &Segments, segments: &Segments, to: &Move<'_>) -> Option<Live> {
        let owners = segments.iter().map(|it| vec![NONE; it.contents.len()]).collect();
        let mut live = Live { owners, twins: self.twins.clone(), totals: self.totals.clone() };
        for ((segment, it), owners) in (0u32..).zip(old).zip(&self.owners) {
            for (content, owner) in (0u32..).zip(owners).filter(|it| *it.1 != NONE) {
                let key = || it.contents.get(content).map_or([0; 16], |it| it.key);
                let place = live.owner(to((segment, content), &key)?)?;
                if std::mem::replace(place, *owner) != NONE {
                    return None;
                }
            }
        }
        Some(live)
    }

    fn owner(&mut self, at: At) -> Option<&mut u32> {
        self.owners.get_mut(at.0 as usize)?.get_mut(at.1 as usize)
    }

    /// Puts a file into the chain of its content, in the order of the paths.
    fn link(&mut self, number: usize, at: Option<At>) {
        let Some(&mut first) = at.and_then(|it| self.owner(it)) else { return };
        let this = u32::try_from(number).unwrap_or(NONE);
        let (mut before, mut next) = (NONE, first);
        while next < this {
            (before, next) = (next, self.twins[next as usize]);
        }
        self.twins[number] = next;
        self.put(at, before, this);
    }

    /// Takes a file out of the chain of its content.
    fn unlink(&mut self, number: usize, at: Option<At>) {
        let Some(&mut first) = at.and_then(|it| self.owner(it)) else { return };
        let this = u32::try_from(number).unwrap_or(NONE);
        let (mut before, mut next) = (NONE, first);
        while next != this && next != NONE {
            (before, next) = (next, self.twins[next as usize]);
        }
        if next == this {
            let after = std::mem::replace(&mut self.twins[number], NONE);
            self.put(at, before, after);
        }
    }

    /// Lets the chain of a content go on with `next` behind `before`, or begin with it.
    fn put(&mut self, at: Option<At>, before: u32, next: u32) {
        match self.twins.get_mut(before as usize) {
            Some(twin) => *twin = next,
            None => at.and_then(|it| self.owner(it)).into_iter().for_each(|it| *it = next),
        }
    }

    /// The files with a content, in the order of their paths.
    pub(crate) fn files(&self, segment: usize, content: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.owners[segment][content as usize];
        std::iter::from_fn(move || {
            let this = (next != NONE).then_some(next)?;
            next = self.twins[this as usize];
            Some(this)
        })
    }
}

/// The content at a place, where there is one.
pub(crate) fn content_at(segments: &Segments, at: Option<At>) -> Option<&Content> {
    let (segment, content) = at?;
    segments.get(segment as usize)?.contents.get(content)
}

impl Totals {
    fn count(&mut self, content: &Content, by: i64) {
        let add = |sum: &mut u64, value: u32| *sum = sum.wrapping_add_signed(i64::from(value) * by);
        add(&mut self.files, 1);
        add(&mut self.docs, content.docs);
        for (sum, length) in self.lengths.iter_mut().zip(content.lengths) {
            add(sum, length);
        }
        for (sum, value) in [
            (&mut self.bytes, content.bytes),
            (&mut self.symbols, content.symbols),
            (&mut self.references, content.references),
            (&mut self.imports, content.imports),
            (&mut self.chunks, content.chunks),
            (&mut self.given_up, content.given_up),
        ] {
            add(sum, value);
        }
    }

    fn skip(&mut self, rule: Option<Rule>, by: i64) {
        let Some(rule) = rule else { return };
        let sum = self.skipped.entry(rule).or_default();
        *sum = sum.wrapping_add_signed(by);
        if *sum == 0 {
            self.skipped.remove(&rule);
        }
    }
}
