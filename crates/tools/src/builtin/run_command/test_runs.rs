//! What of a run of tests that passed is worth reading.

/// The output of tests that passed, without what only fills the screen: progress, tables of coverage, skipped tests.
pub(super) fn brief(output: &str) -> String {
    let (mut table, mut left_out) = (false, 0);
    let mut kept: Vec<&str> = Vec::new();
    for line in output.lines() {
        let it = line.trim();
        let begins = it.contains("Stmts") && (it.contains("Miss") || it.contains('|'));
        table |= begins;
        let is_sum = it.starts_with("TOTAL") || it.starts_with("All files");
        let in_table = table && (it.contains('|') || it.contains('%') || it.starts_with("---") || it.is_empty());
        table &= begins || in_table;
        if (begins || in_table) && !is_sum && !it.is_empty() || is_filler(it) {
            left_out += 1;
        } else {
            kept.push(line);
        }
    }
    if left_out == 0 {
        return output.to_owned();
    }
    kept.join("\n") + &format!("\n[{left_out} lines of progress, coverage and skipped tests left out]")
}

fn is_filler(line: &str) -> bool {
    let marks = line.rsplit_once('[').filter(|it| it.1.ends_with("%]")).map(|it| it.0.trim_end());
    let marks = marks.map(|it| it.rsplit_once(' ').filter(|it| it.0.trim_end().ends_with(".py")).map_or(it, |it| it.1));
    marks.is_some_and(|it| !it.is_empty() && it.chars().all(|it| ".sxXP".contains(it)))
        || line.starts_with("SKIPPED [")
        || line.starts_with("↓ ")
        || line.starts_with("test ") && line.ends_with(" ... ignored")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_green_run_the_sums_are_kept() {
        let run = "collected 90 items\n\ntests/test_a.py ......s...  [ 50%]\n.........  [100%]\n\n\
            Name    Stmts   Miss  Cover\n-----------------\na.py   10   1   90%\nb.py   10   1   90%\n-----------------\n\
            TOTAL   20   2   90%\nSKIPPED [1] tests/test_a.py:3: no network\n89 passed, 1 skipped in 1.0s\n";
        let kept = "collected 90 items\n\n\nTOTAL   20   2   90%\n89 passed, 1 skipped in 1.0s\n\
            [8 lines of progress, coverage and skipped tests left out]";
        assert_eq!(brief(run), kept);
        let istanbul =
            "File | % Stmts |\n-----|---------|\nAll files | 90 |\n a.ts | 90 |\n-----|---------|\nTests  3 passed (3)";
        assert_eq!(
            brief(istanbul),
            "All files | 90 |\nTests  3 passed (3)\n[4 lines of progress, coverage and skipped tests left out]"
        );
        assert_eq!(brief("a | b\n....\n3 passed in 1s"), "a | b\n....\n3 passed in 1s");
    }
}
