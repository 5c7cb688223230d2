//! What may be in a prompt, and what became of it.

use ox_protocol::{Section, Tokens};

/// How soon an item gets its room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// The user named it.
    Required,
    /// Its score is at least 0.8 of the best, or it is one step in the graph from something named or from a best file.
    High,
    /// It is one of the best.
    Medium,
    /// It may help.
    Low,
}

impl Rank {
    /// In one word, for tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Rank::Required => "required",
            Rank::High => "high",
            Rank::Medium => "medium",
            Rank::Low => "low",
        }
    }

    /// By a score as a share of the best.
    pub(super) fn of(share: f32) -> Rank {
        match share {
            0.8.. => Rank::High,
            0.5.. => Rank::Medium,
            _ => Rank::Low,
        }
    }
}

/// Something that may be in a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it is for: `map`, `active`, `related`, `symbols`, `tests`, `docs`, `beside` or `recent`.
    pub section: &'static str,
    /// Relative to the root.
    pub path: String,
    /// First and last line, where it is a piece.
    pub lines: Option<(u32, u32)>,
    /// The definition that it is or is part of.
    pub symbol: Option<String>,
    /// How soon it gets its room.
    pub rank: Rank,
    /// Its score as a share of the best.
    pub score: f32,
    /// What it costs as it is sent, by an estimate.
    pub tokens: Tokens,
    /// What speaks for it, the strongest first, each with its share in the score.
    pub sources: Vec<(String, f32)>,
}

/// Why something that was looked at is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmitReason {
    /// Others are so much better that it would not be worth its tokens.
    Score,
    /// There was no room, and too little to cut it to.
    Room,
    /// The model has read the file already.
    Read,
    /// Its lines are in another piece.
    Overlap,
    /// The file cannot be read.
    Unreadable,
}

impl OmitReason {
    /// In one word, for tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            OmitReason::Score => "score",
            OmitReason::Room => "room",
            OmitReason::Read => "read",
            OmitReason::Overlap => "overlap",
            OmitReason::Unreadable => "unreadable",
        }
    }
}

/// What was picked and what was not.
#[derive(Clone, Debug, Default)]
pub struct Picked {
    /// As they are sent, in their order.
    pub sections: Vec<Section>,
    /// What is in them.
    pub items: Vec<Item>,
    /// What was looked at and left out.
    pub left_out: Vec<(Item, OmitReason)>,
}

impl Picked {
    /// What a picked section is for, by the section's name: the budget that it counts against (`active` and `related` pieces
    /// are both sent as `code`).
    pub fn purpose(&self, section: &str) -> Option<&'static str> {
        let (tag, of) = section.split_once(':').unwrap_or((section, ""));
        let place = |it: &Item| it.lines.map_or_else(String::new, |(from, to)| format!("{}:{from}-{to}", it.path));
        let tag_of = |it: &&Item| if of.is_empty() { it.section == tag } else { place(it) == of };
        self.items.iter().find(tag_of).map(|it| it.section)
    }
}

/// The sections without what `picked` tells anyway: of a path that the user named and that is listed there, nobody needs to
/// be told once more that it exists.
pub fn unrepeated(mut sections: Vec<Section>, picked: &Picked) -> Vec<Section> {
    let listed = |path: &str| picked.items.iter().any(|it| it.section == "map" && it.path == path);
    let is_reported = |line: &str| {
        let Some((words, places)) = line.split_once(": ") else { return false };
        (places == "exists" && listed(words)) || places.split(", ").all(listed)
    };
    for section in sections.iter_mut().filter(|it| it.name == "named") {
        let lines: Vec<&str> = section.text.lines().filter(|it| !is_reported(it)).collect();
        *section = crate::section::section("named", lines.join("\n"));
    }
    sections.retain(|it| !it.text.is_empty());
    sections
}
