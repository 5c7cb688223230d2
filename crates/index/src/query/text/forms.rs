//! Other forms of an English word, so that `themes` finds `theme`. A guess by endings alone; the index tells which exist.

/// Endings that change into each other, each pair in both directions: `y-ies`.
const ENDINGS: &str = "\
    -s -es y-ies -ed e-ed -ing e-ing -er e-er e-es s-ing es-ing s-ed es-ed ed-ing ate-ation ize-ization ize-izer \
    ise-ize ised-ized e-ion -ion -ment e-able -able ing-ation ed-ation es-ation -ly our-or izing-ization \
    izes-ization ized-ization er-ing er-ed er-ers or-ors ion-ions";

/// Words that may be forms of this one.
pub(crate) fn forms(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    if word.len() < 4 || !word.bytes().all(|it| it.is_ascii_lowercase()) {
        return found;
    }
    let pairs = ENDINGS.split(' ').filter_map(|it| it.split_once('-'));
    for (from, to) in pairs.flat_map(|(a, b)| [(a, b), (b, a)]) {
        let Some(stem) = word.strip_suffix(from) else { continue };
        if stem.len() < 3 {
            continue;
        }
        found.push(format!("{stem}{to}"));
        // `setting` and `set`, `stopped` and `stop`.
        let doubled = stem.as_bytes().windows(2).last().is_some_and(|it| it[0] == it[1]);
        if doubled && to.is_empty() && matches!(from, "ed" | "ing" | "er") {
            found.push(stem[..stem.len() - 1].to_owned());
        }
    }
    found
}
