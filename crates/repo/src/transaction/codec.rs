//! A plan as bytes and back. Paths are bytes, since they need not be UTF-8; lengths are 64-bit, little-endian.
//!
//! Reading never panics and never allocates more than it was given.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::plan::{Gone, Mark, Old, Plan, Step};
use crate::attributes::Attributes;
use crate::{Hash, Located};

/// The plan as bytes.
pub(super) fn encode(plan: &Plan) -> Vec<u8> {
    let mut out = Out(Vec::new());
    out.number(u64::from(plan.single));
    out.number(plan.folders.len() as u64);
    plan.folders.iter().for_each(|it| out.place(it));
    out.number(plan.steps.len() as u64);
    plan.steps.iter().for_each(|it| out.step(it));
    out.0
}

/// The plan that the bytes hold; none when they hold no plan.
pub(super) fn decode(bytes: &[u8]) -> Option<Plan> {
    let mut from = In(bytes);
    let single = from.number()? == 1;
    let folders = from.many(In::place)?;
    let steps = from.many(In::step)?;
    from.0.is_empty().then_some(Plan { single, folders, steps })
}

struct Out(Vec<u8>);

impl Out {
    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn name(&mut self, name: &OsStr) {
        self.bytes(name.as_bytes());
    }

    fn place(&mut self, place: &Located) {
        self.name(place.base.as_os_str());
        self.name(place.abs.as_os_str());
        self.bytes(place.rel.as_bytes());
    }

    fn mark(&mut self, mark: Mark) {
        self.number(mark.size);
        self.0.extend_from_slice(mark.hash.bytes());
    }

    fn old(&mut self, old: &Old) {
        self.bytes(&old.bytes);
        let Attributes { mode, uid, gid, extended } = &old.attributes;
        [*mode, *uid, *gid].into_iter().for_each(|it| self.number(u64::from(it)));
        self.number(extended.len() as u64);
        for (name, value) in extended {
            self.bytes(name);
            self.bytes(value);
        }
    }

    fn step(&mut self, step: &Step) {
        self.number(u64::from(step.order()));
        match step {
            Step::Create { at, temp, new } => {
                self.place(at);
                self.name(temp);
                self.mark(*new);
            }
            Step::Modify { at, temp, aside, old, new } => {
                self.place(at);
                self.name(temp);
                self.name(aside);
                self.old(old);
                self.mark(*new);
            }
            Step::Rename { from, to, inode } => {
                self.place(from);
                self.place(to);
                self.number(*inode);
            }
            Step::Delete { at, aside, old } => {
                self.place(at);
                self.name(aside);
                self.gone(old);
            }
        }
    }

    fn gone(&mut self, gone: &Gone) {
        match gone {
            Gone::File(old) => {
                self.number(0);
                self.old(old);
            }
            Gone::Link(target) => {
                self.number(1);
                self.name(target);
            }
            Gone::Aside => self.number(2),
        }
    }
}

struct In<'a>(&'a [u8]);

impl<'a> In<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.number()?.try_into().ok()?;
        self.take(count)
    }

    fn name(&mut self) -> Option<OsString> {
        Some(OsString::from_vec(self.bytes()?.to_owned()))
    }

    fn many<T>(&mut self, one: fn(&mut In<'a>) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| one(self)).collect()
    }

    /// Only a place beneath its base is one.
    fn place(&mut self) -> Option<Located> {
        let (base, abs) = (self.name()?, self.name()?);
        let rel = String::from_utf8(self.bytes()?.to_owned()).ok()?;
        let beneath = Path::new(&abs).starts_with(&base) && abs != base;
        beneath.then(|| Located { abs: abs.into(), rel, base: base.into() })
    }

    fn mark(&mut self) -> Option<Mark> {
        let size = self.number()?;
        Some(Mark { size, hash: Hash::from_bytes(self.take(32)?.try_into().ok()?) })
    }

    fn old(&mut self) -> Option<Old> {
        let bytes = self.bytes()?.to_owned();
        let (mode, uid, gid) = (self.small()?, self.small()?, self.small()?);
        let extended = self.many(|it| Some((it.bytes()?.to_owned(), it.bytes()?.to_owned())))?;
        Some(Old { mark: Mark::of(&bytes), bytes, attributes: Attributes { mode, uid, gid, extended } })
    }

    fn step(&mut self) -> Option<Step> {
        Some(match self.number()? {
            0 => Step::Create { at: self.place()?, temp: self.name()?, new: self.mark()? },
            1 => Step::Modify {
                at: self.place()?,
                temp: self.name()?,
                aside: self.name()?,
                old: Box::new(self.old()?),
                new: self.mark()?,
            },
            2 => Step::Rename { from: self.place()?, to: self.place()?, inode: self.number()? },
            3 => Step::Delete { at: self.place()?, aside: self.name()?, old: self.gone()? },
            _ => return None,
        })
    }

    fn gone(&mut self) -> Option<Gone> {
        Some(match self.number()? {
            0 => Gone::File(self.old()?),
            1 => Gone::Link(self.name()?),
            2 => Gone::Aside,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(rel: &str) -> Located {
        Located { abs: format!("/root/{rel}").into(), rel: rel.into(), base: "/root".into() }
    }

    fn plan() -> Plan {
        let attributes = Attributes { mode: 0o2751, uid: 1, gid: 2, extended: vec![(b"user.a".into(), vec![0, 255])] };
        let old = Old { bytes: b"old\r\n".into(), mark: Mark::of(b"old\r\n"), attributes };
        let strange = OsString::from_vec(vec![b'a', 0xFF, b'\n']);
        Plan {
            single: false,
            folders: vec![place("new"), place("new/deep")],
            steps: vec![
                Step::Create { at: place("new/deep/a"), temp: "t1".into(), new: Mark::of(b"") },
                Step::Modify {
                    at: place("b"),
                    temp: "t2".into(),
                    aside: strange.clone(),
                    old: Box::new(old.clone()),
                    new: Mark::of(b"new"),
                },
                Step::Rename { from: place("c"), to: place("d"), inode: u64::MAX },
                Step::Delete { at: place("e"), aside: "t3".into(), old: Gone::File(old) },
                Step::Delete { at: place("f"), aside: "t4".into(), old: Gone::Link(strange) },
                Step::Delete { at: place("g"), aside: "t5".into(), old: Gone::Aside },
            ],
        }
    }

    #[test]
    fn a_plan_comes_back_as_it_was_and_no_part_of_it_is_a_plan() {
        let bytes = encode(&plan());
        assert_eq!(decode(&bytes), Some(plan()));
        assert!((0..bytes.len()).all(|end| decode(&bytes[..end]).is_none()));
        assert_eq!(decode(&[&bytes[..], b"x"].concat()), None);
    }

    #[test]
    fn a_place_outside_its_base_is_none() {
        for (base, abs) in [("/root", "/rootless/a"), ("/root", "/etc/passwd"), ("/root", "/root")] {
            let mut out = Out(Vec::new());
            out.place(&Located { abs: abs.into(), rel: "a".into(), base: base.into() });
            assert_eq!(In(&out.0).place(), None, "{abs}");
        }
    }
}
