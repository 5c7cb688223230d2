//! A plan as bytes and back.

use std::path::Path;

use super::plan::{Gone, Mark, Old, Plan, Step};
use crate::Located;
use crate::attributes::Attributes;
use crate::codec::{In, Out};

/// The plan as bytes.
pub(super) fn encode(plan: &Plan) -> Vec<u8> {
    let mut out = Out::default();
    out.number(u64::from(plan.single)).number(plan.folders.len() as u64);
    plan.folders.iter().for_each(|it| place(&mut out, it));
    out.number(plan.steps.len() as u64);
    plan.steps.iter().for_each(|it| step(&mut out, it));
    out.0
}

/// The plan that the bytes hold; none when they hold no plan.
pub(super) fn decode(bytes: &[u8]) -> Option<Plan> {
    let mut from = In(bytes);
    let single = from.number()? == 1;
    let (folders, steps) = (from.many(place_of)?, from.many(step_of)?);
    from.0.is_empty().then_some(Plan { single, folders, steps })
}

fn place(out: &mut Out, place: &Located) {
    out.name(place.base.as_os_str()).name(place.abs.as_os_str()).bytes(place.rel.as_bytes());
}

/// Only a place beneath its base is one.
fn place_of(from: &mut In<'_>) -> Option<Located> {
    let (base, abs, rel) = (from.name()?, from.name()?, from.text()?);
    let beneath = Path::new(&abs).starts_with(&base) && abs != base;
    beneath.then(|| Located { abs: abs.into(), rel, base: base.into() })
}

fn mark(out: &mut Out, mark: Mark) {
    out.number(mark.size).id(&mark.hash);
}

fn mark_of(from: &mut In<'_>) -> Option<Mark> {
    Some(Mark { size: from.number()?, hash: from.id()? })
}

fn old(out: &mut Out, old: &Old) {
    let Attributes { mode, uid, gid, extended } = &old.attributes;
    out.bytes(&old.bytes).number((*mode).into()).number((*uid).into()).number((*gid).into());
    out.number(extended.len() as u64);
    for (name, value) in extended {
        out.bytes(name).bytes(value);
    }
}

fn old_of(from: &mut In<'_>) -> Option<Old> {
    let bytes = from.bytes()?.to_owned();
    let (mode, uid, gid) = (from.small()?, from.small()?, from.small()?);
    let extended = from.many(|it| Some((it.bytes()?.to_owned(), it.bytes()?.to_owned())))?;
    Some(Old { mark: Mark::of(&bytes), bytes, attributes: Attributes { mode, uid, gid, extended } })
}

fn step(out: &mut Out, step: &Step) {
    out.number(u64::from(step.order()));
    match step {
        Step::Create { at, temp, new } => {
            place(out, at);
            mark(out.name(temp), *new);
        }
        Step::Modify { at, temp, aside, old: before, new } => {
            place(out, at);
            old(out.name(temp).name(aside), before);
            mark(out, *new);
        }
        Step::Rename { from, to, inode } => {
            place(out, from);
            place(out, to);
            out.number(*inode);
        }
        Step::Delete { at, aside, old } => {
            place(out, at);
            gone(out.name(aside), old);
        }
    }
}

fn step_of(from: &mut In<'_>) -> Option<Step> {
    Some(match from.number()? {
        0 => Step::Create { at: place_of(from)?, temp: from.name()?, new: mark_of(from)? },
        1 => Step::Modify {
            at: place_of(from)?,
            temp: from.name()?,
            aside: from.name()?,
            old: Box::new(old_of(from)?),
            new: mark_of(from)?,
        },
        2 => Step::Rename { from: place_of(from)?, to: place_of(from)?, inode: from.number()? },
        3 => Step::Delete { at: place_of(from)?, aside: from.name()?, old: gone_of(from)? },
        _ => return None,
    })
}

fn gone(out: &mut Out, gone: &Gone) {
    match gone {
        Gone::File(before) => old(out.number(0), before),
        Gone::Link(target) => drop(out.number(1).name(target)),
        Gone::Aside => drop(out.number(2)),
    }
}

fn gone_of(from: &mut In<'_>) -> Option<Gone> {
    Some(match from.number()? {
        0 => Gone::File(old_of(from)?),
        1 => Gone::Link(from.name()?),
        2 => Gone::Aside,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn at(rel: &str) -> Located {
        Located { abs: format!("/root/{rel}").into(), rel: rel.into(), base: "/root".into() }
    }

    fn plan() -> Plan {
        let attributes = Attributes { mode: 0o2751, uid: 1, gid: 2, extended: vec![(b"user.a".into(), vec![0, 255])] };
        let old = Old { bytes: b"old\r\n".into(), mark: Mark::of(b"old\r\n"), attributes };
        let strange = OsString::from_vec(vec![b'a', 0xFF, b'\n']);
        Plan {
            single: false,
            folders: vec![at("new"), at("new/deep")],
            steps: vec![
                Step::Create { at: at("new/deep/a"), temp: "t1".into(), new: Mark::of(b"") },
                Step::Modify {
                    at: at("b"),
                    temp: "t2".into(),
                    aside: strange.clone(),
                    old: Box::new(old.clone()),
                    new: Mark::of(b"new"),
                },
                Step::Rename { from: at("c"), to: at("d"), inode: u64::MAX },
                Step::Delete { at: at("e"), aside: "t3".into(), old: Gone::File(old) },
                Step::Delete { at: at("f"), aside: "t4".into(), old: Gone::Link(strange) },
                Step::Delete { at: at("g"), aside: "t5".into(), old: Gone::Aside },
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
            let mut out = Out::default();
            place(&mut out, &Located { abs: abs.into(), rel: "a".into(), base: base.into() });
            assert_eq!(place_of(&mut In(&out.0)), None, "{abs}");
        }
    }
}
