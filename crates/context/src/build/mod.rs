//! What the index has for a task, picked by value for its tokens: the best files by name, the signatures that count in them,
//! and the pieces that are so good a match that they save a call. Whoever asks for more gets more: the files that were
//! named, related code, signatures around it, tests, documents.
//!
//! A function of what it is handed; it asks no git and no model, and reads files only through the reader. The same things
//! give the same sections in the same order. What is not about code gets nothing, and whatever is left out has its reason.

mod about;
mod around;
mod beside;
mod cut;
mod docs;
mod fill;
mod item;
mod look;
mod map;
mod names;
mod pieces;
mod recent;
mod tests;

use std::time::{Duration, Instant};

use ox_index::embed::Similar;
use ox_index::{Answer, Options, Read, Snapshot, query};
use ox_protocol::Section;

use crate::budget::{Budget, estimate};
use fill::{Fill, Offer};
pub use item::{Because, Item, Picked, Rank, unrepeated};
use look::Look;

/// Files and pieces that are looked at, and how many where somebody asked for more than a list.
const LOOKED_AT: usize = 12;
const LOOKED_AT_ASKED: usize = 30;

/// What a builder is handed.
pub struct Known<'a> {
    /// The index.
    pub snapshot: &'a Snapshot,
    /// Reads a file of the project.
    pub read: &'a Read<'a>,
    /// What the user asked.
    pub task: &'a str,
    /// The pieces whose vectors are most like it; none without vectors.
    pub similar: &'a [Similar],
    /// True for a file that the model has read whole and that is unchanged since.
    pub has_read: &'a dyn Fn(&str) -> bool,
    /// How much of the project it knows.
    pub fresh: Fresh,
}

/// How far an index is behind the working tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// It knows everything.
    Whole,
    /// Files have changed that it does not have yet.
    Behind,
    /// It is being built for the first time: which files are best cannot be told.
    Building,
}

/// Picks what the prompt of a task should have of the code, within `budget`.
pub fn build(known: &Known<'_>, budget: &Budget) -> Picked {
    build_timed(known, budget).0
}

/// The same, and how long each step took.
pub fn build_timed(known: &Known<'_>, budget: &Budget) -> (Picked, Vec<(&'static str, Duration)>) {
    let mut fill = Fill::new(budget);
    let mut clock = Clock { spent: Vec::new(), last: Instant::now() };
    if budget.picked.0 == 0 {
        return (fill.done(), clock.spent);
    }
    if known.fresh != Fresh::Whole {
        fill.head("index", BEHIND);
    }
    let is_about_code = about::is_about_code(known.snapshot, known.task);
    clock.step("about");
    if !is_about_code {
        return (fill.done(), clock.spent);
    }
    let limit = if budget.asked { LOOKED_AT_ASKED } else { LOOKED_AT };
    let options = Options { limit, similar: known.similar, ..Options::default() };
    let answer = match known.fresh {
        // What the task names stands all the same.
        Fresh::Building => Answer::default(),
        _ => query(known.snapshot, known.read, known.task, &options),
    };
    clock.step("query");
    let look = Look::new(known, budget, answer, about::named(known.snapshot, known.task));
    pick(&look, &mut fill, &mut clock);
    (fill.done(), clock.spent)
}

fn pick(look: &Look<'_>, fill: &mut Fill<'_>, clock: &mut Clock) {
    let whole = pieces::whole(look);
    let listed = worth(fill, map::offers(look, &whole));
    fill.in_order(listed);
    fill.in_order(beside::offers(look));
    clock.step("map");
    let mut offers = worth(fill, pieces::active(look, &whole));
    offers.extend(worth(fill, pieces::related(look, &whole)));
    clock.step("pieces");
    if look.budget.asked {
        offers.extend(around::offers(look, &whole));
        clock.step("symbols");
        offers.extend(worth(fill, tests::offers(look)));
        clock.step("tests");
        offers.extend(worth(fill, docs::offers(look)));
        clock.step("docs");
    }
    offers.extend(recent::offers(look));
    clock.step("recent");
    fill.take(offers);
    clock.step("fill");
}

/// Those without a reason against them; the others are left out for theirs.
fn worth(fill: &mut Fill<'_>, offers: Vec<(Offer, Option<Because>)>) -> Vec<Offer> {
    let mut good = Vec::new();
    for (offer, because) in offers {
        match because {
            None => good.push(offer),
            Some(because) => fill.leave_out(offer.item, because),
        }
    }
    good
}

/// How long each step took.
struct Clock {
    spent: Vec<(&'static str, Duration)>,
    last: Instant,
}

impl Clock {
    fn step(&mut self, name: &'static str) {
        self.spent.push((name, self.last.elapsed()));
        self.last = Instant::now();
    }
}

/// What the model is told where the index lags behind.
const BEHIND: &str = "Ox is still indexing this project: matches may be missing.";

fn section(name: &str, text: String) -> Section {
    Section { name: name.to_owned(), tokens: estimate(&text), text }
}
