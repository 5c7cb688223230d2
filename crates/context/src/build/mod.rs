//! What the index has for a task, picked by value for its tokens: the best files by name, the signatures that count in them,
//! and the pieces that are so good a match that they save a call. Whoever asks for more gets more: the files that were
//! named, related code, signatures around it, tests, documents.
//!
//! A function of what it is handed; it asks no git and no model, and reads files only through the reader. The same things
//! give the same sections in the same order. What is not about code gets nothing, and whatever is left out has its reason.

mod documents;
mod fill;
mod inputs;
mod map;
mod names;
mod neighbours;
mod notes;
mod pick_context;
mod picked;
mod pieces;
mod recent;
mod related_tests;
mod relevance;
mod shorten;

use ox_index::{Answer, Options, query};

use crate::budget::Budget;
pub(crate) use fill::LEAST_ROOM;
use fill::{Fill, Offer};
pub use inputs::{Freshness, PickInputs};
use pick_context::PickContext;
pub use picked::{Item, OmitReason, Picked, Rank, unrepeated};
pub(crate) use shorten::shorten;

/// Files and pieces that are looked at, and how many where somebody asked for more than a list.
const LOOKED_AT: usize = 12;
const LOOKED_AT_ASKED: usize = 30;

/// Picks what the prompt of a task should have of the code, within `budget`.
pub fn build(known: &PickInputs<'_>, budget: &Budget) -> Picked {
    let mut fill = Fill::new(budget);
    if budget.picked.0 == 0 {
        return fill.done();
    }
    if known.fresh != Freshness::Whole {
        fill.head("index", BEHIND);
    }
    let is_about_code = relevance::is_about_code(known.snapshot, known.task);
    if !is_about_code {
        return fill.done();
    }
    let limit = if budget.asked { LOOKED_AT_ASKED } else { LOOKED_AT };
    let options = Options { limit, similar: known.similar, ..Options::default() };
    let mut answer = match known.fresh {
        // What the task names stands all the same.
        Freshness::Building => Answer::default(),
        _ => query(known.snapshot, known.read, known.task, &options),
    };
    let mut named = relevance::named(known.snapshot, known.task);
    let stays = |path: &str| !(known.left_out)(path);
    answer.files.retain(|it| stays(&it.path));
    answer.snippets.retain(|it| stays(&it.path));
    named.retain(|it| stays(it));
    let context = PickContext::new(known, budget, answer, named);
    pick(&context, &mut fill);
    fill.done()
}

fn pick(context: &PickContext<'_>, fill: &mut Fill<'_>) {
    let whole = pieces::whole(context);
    let listed = worth(fill, map::offers(context, &whole));
    fill.in_order(listed);
    fill.in_order(notes::offers(context));
    let mut offers = worth(fill, pieces::active(context, &whole));
    offers.extend(worth(fill, pieces::related(context, &whole)));
    if context.budget.asked {
        offers.extend(neighbours::offers(context, &whole));
        offers.extend(worth(fill, related_tests::offers(context)));
        offers.extend(worth(fill, documents::offers(context)));
    }
    offers.extend(recent::offers(context));
    fill.take(offers);
}

/// Those without a reason against them; the others are left out for theirs.
fn worth(fill: &mut Fill<'_>, offers: Vec<(Offer, Option<OmitReason>)>) -> Vec<Offer> {
    let mut good = Vec::new();
    for (offer, because) in offers {
        match because {
            None => good.push(offer),
            Some(because) => fill.leave_out(offer.item, because),
        }
    }
    good
}

/// What the model is told where the index lags behind.
const BEHIND: &str = "Ox is still indexing this project: matches may be missing.";
