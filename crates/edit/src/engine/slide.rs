//! An insertion that repeats a line beside it can be read in several ways: `b a` between `a` and `c` is `a b` before
//! `a c` as well. All read the same, but different lines of the file are kept. Here the reading is chosen that puts a
//! blank line at an end of what comes in, as whole paragraphs and functions are inserted; no other reading is touched.

use similar::DiffOp;

use crate::text::lines::is_blank;

/// Moves insertions that neither begin nor end with a blank line up to where they do.
pub(crate) fn slide(ops: &mut Vec<DiffOp>, new: &[&str]) {
    for at in 1..ops.len() {
        let (DiffOp::Equal { old_index, new_index, len }, DiffOp::Insert { new_index: from, new_len, .. }) =
            (ops[at - 1], ops[at])
        else {
            continue;
        };
        let good = |from: usize| is_blank(new[from]) || is_blank(new[from + new_len - 1]);
        // The first line of the request stays paired; where others are paired is a matter of reading.
        let most = if at == 1 { len } else { len - 1 };
        let fits = |by: &usize| new[from - by] == new[from + new_len - by];
        if good(from) {
            continue;
        }
        let Some(by) = (1..=most).take_while(fits).find(|by| good(from - by)) else { continue };
        ops[at - 1] = DiffOp::Equal { old_index, new_index, len: len - by };
        ops[at] = DiffOp::Insert { old_index: old_index + len - by, new_index: from - by, new_len };
        let moved = (old_index + len - by, from - by + new_len);
        match ops.get_mut(at + 1) {
            Some(DiffOp::Equal { old_index, new_index, len }) => {
                (*old_index, *new_index, *len) = (moved.0, moved.1, *len + by);
            }
            _ => ops.insert(at + 1, DiffOp::Equal { old_index: moved.0, new_index: moved.1, len: by }),
        }
    }
    ops.retain(|op| !matches!(op, DiffOp::Equal { len: 0, .. }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ops::ops;

    /// The lines kept of `old`, by the position in `new` at which they are kept.
    fn kept(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
        let mut found = ops(old, new);
        slide(&mut found, new);
        let equal = |op: &DiffOp| op.old_range().zip(op.new_range()).collect::<Vec<_>>();
        found.iter().filter(|op| matches!(op, DiffOp::Equal { .. })).flat_map(equal).collect()
    }

    #[test]
    fn a_paragraph_comes_in_whole() {
        let old = ["", "// Tests it", "fn b"];
        let new = ["", "// Tests it", "fn a", "", "// Tests it", "fn b"];
        assert_eq!(kept(&old, &new), [(0, 0), (1, 4), (2, 5)]);
    }

    #[test]
    fn what_has_no_blank_line_stays_as_it_was_read() {
        assert_eq!(kept(&["a", "c"], &["a", "b", "a", "c"]), [(0, 0), (1, 3)]);
        assert_eq!(kept(&["a", "c"], &["a", "", "c"]), [(0, 0), (1, 2)]);
    }
}
