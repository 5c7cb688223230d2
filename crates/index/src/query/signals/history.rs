//! What changes often is likely to change again.

use super::{Rows, Signal};
use crate::query::corpus::Corpus;

/// How fast a little change counts much.
const STEEP: f32 = 20.0;

pub(super) fn gather(corpus: &dyn Corpus, rows: &mut Rows) {
    let paths: Vec<String> = rows.rows.keys().cloned().collect();
    for path in paths {
        let churn = corpus.churn(&path);
        if churn > 0.0 {
            rows.raise(&path, Signal::Churn, churn);
        }
    }
    rows.scale(Signal::Churn, 0.0);
    // Whoever changes a tenth as often is not a tenth as likely.
    let at = Signal::Churn as usize;
    rows.rows.values_mut().for_each(|it| it[at] = (1.0 + STEEP * it[at]).ln() / (1.0 + STEEP).ln());
}
