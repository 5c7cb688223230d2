//! How full the model's window is, and when what the model reads has to be made shorter.
//!
//! Counts by what is recorded: the provider's own count of the last request and the bytes that came since. Decides when;
//! what is left out is decided by `context`.

use ox_protocol::{Call, Event, ModelFacts, Pruning, Stop, Tokens, ToolSpec, Usage};

/// Bytes in a token, in tenths, where nobody has counted them.
const BYTES_PER_TOKEN_TENTHS: u64 = 42;
/// What a picture costs at most providers, in tokens.
const PICTURE: u64 = 1_500;
/// A pruning that gains less than this share, in hundredths, is a poor one.
const POOR_GAIN: u64 = 20;
/// Poor prunings in a turn that end it.
const POOR_PRUNINGS: u32 = 2;
/// How far a provider's count may be from one by bytes, as a factor, before it is not believed.
const BELIEVED: u64 = 4;

/// What the next prompt will have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ContextWindow {
    /// Tokens of the last request and its reply, by the provider's count.
    used: u64,
    /// Tokens of the whole prompt, by bytes.
    counted: u64,
    /// Tokens that came since the last reply, by bytes.
    added: u64,
    /// The provider's tokens for a hundred by bytes, as the last reply showed; none before the first.
    rate: Option<u64>,
    /// The provider found the last prompt too long, whatever was counted.
    too_long: bool,
    /// Such a refusal has led to a pruning already, and nothing was answered since.
    shrunk: bool,
    poor: u32,
    /// Tokens of the system prompt and of the tools, by bytes: they go with every request.
    frame: (u64, u64),
}

impl ContextWindow {
    /// What a new turn begins with: the same conversation, and the task.
    pub fn begun(&self, event: &Event) -> ContextWindow {
        let mut window = ContextWindow { too_long: false, shrunk: false, poor: 0, ..self.clone() };
        if let Event::TurnStart { prompt, images, .. } = event {
            window.add(prompt, images.len());
        }
        window
    }

    /// The prompt was assembled. A system prompt and tools replace those that were there before.
    pub fn prompted(&mut self, event: &Event) {
        let Event::Prompted { system, tools, context } = event else { return };
        let of_tool = |it: &ToolSpec| by_bytes(it.schema.to_string().len() + it.description.len());
        let now = (
            system.as_ref().map_or(self.frame.0, |it| by_bytes(it.len())),
            tools.as_ref().map_or(self.frame.1, |all| all.iter().map(of_tool).sum()),
        );
        let before = std::mem::replace(&mut self.frame, now);
        self.count(now.0.saturating_sub(before.0).saturating_add(now.1.saturating_sub(before.1)));
        context.iter().for_each(|it| self.add(&it.text, 0));
    }

    /// The conversation was taken back to where it stood `then`; the system prompt and the tools stay.
    pub fn rewound(&self, then: &ContextWindow) -> ContextWindow {
        let mut window = ContextWindow { rate: self.rate, frame: self.frame, ..then.clone() };
        if then.counted == 0 {
            window.count(self.frame.0.saturating_add(self.frame.1));
        }
        window
    }

    /// Something more that the model will read.
    pub fn add(&mut self, text: &str, pictures: usize) {
        self.count(by_bytes(text.len()).saturating_add(PICTURE.saturating_mul(pictures as u64)));
    }

    fn count(&mut self, tokens: u64) {
        self.added = self.added.saturating_add(tokens);
        self.counted = self.counted.saturating_add(tokens);
    }

    /// A reply came; a count that cannot be true is not believed.
    pub fn replied(&mut self, usage: Usage, text: &str, calls: &[Call]) {
        let args: usize = calls.iter().map(|it| it.args.to_string().len()).sum();
        self.counted = self.counted.saturating_add(by_bytes(text.len() + args));
        let reported = usage.input.0.saturating_add(usage.output.0);
        let most = self.counted.saturating_mul(BELIEVED).saturating_add(usage.reasoning.0.min(self.counted));
        let reported = if reported == 0 { self.counted } else { reported };
        self.used = reported.clamp((self.counted / BELIEVED).min(most), most);
        self.rate = self.used.saturating_mul(100).checked_div(self.counted).map(|it| it.clamp(50, 200));
        self.added = 0;
        self.too_long = false;
        self.shrunk = false;
    }

    /// Tokens that the last request filled of the window.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Tokens that the next prompt will have.
    pub fn next(&self) -> Tokens {
        Tokens(self.used.saturating_add(self.added.saturating_mul(self.rate.unwrap_or(100)) / 100))
    }

    /// True when the next prompt and its reply would not fit.
    pub fn is_full(&self, model: &ModelFacts) -> bool {
        let spare = model.window.0 / 50;
        self.next().0.saturating_add(reply(model)).saturating_add(spare) > model.window.0
    }

    /// True when the next prompt alone is no longer than the window.
    pub fn fits(&self, model: &ModelFacts) -> bool {
        self.next() <= model.window
    }

    /// True while a refusal for length may still be answered by a pruning.
    pub fn may_shrink(&self) -> bool {
        !self.shrunk
    }

    /// The provider found the prompt too long.
    pub fn refused(&mut self) {
        self.too_long = true;
        self.shrunk = true;
    }

    /// Another model counts differently and has a window of its own.
    pub fn changed_model(&mut self) {
        self.shrunk = false;
        self.too_long = false;
    }

    /// What the prompt should have after a pruning: half of what there is room for. A provider that finds a prompt too
    /// long which should fit has less room than is known.
    pub fn target(&self, model: &ModelFacts) -> Tokens {
        let half = model.window.0.saturating_sub(reply(model)) / 2;
        Tokens(if self.too_long { half.min(self.next().0 / 2) } else { half })
    }

    /// A pruning made it shorter. What was gained, in hundredths.
    pub fn shortened(&mut self, (before, after): (Tokens, Tokens)) -> u64 {
        let gain = (before.0.saturating_sub(after.0).saturating_mul(100) / before.0.max(1)).min(100);
        self.used = self.next().0.saturating_mul(100 - gain) / 100;
        self.counted = self.counted.saturating_mul(100 - gain) / 100;
        self.added = 0;
        gain
    }

    /// A pruning ended on which a request waits. The stop that follows where it is of no use.
    pub fn pruned(&mut self, pruning: &Pruning, tokens: (Tokens, Tokens)) -> Result<(), Stop> {
        let gain = self.shortened(tokens);
        self.poor += u32::from(gain < POOR_GAIN);
        if self.too_long && pruning.is_empty() {
            return Err(Stop::ModelFailed { kind: ox_protocol::FailureKind::ContextTooLong });
        }
        if self.poor >= POOR_PRUNINGS { Err(Stop::WindowFull) } else { Ok(()) }
    }
}

/// The room that is kept for the reply: what the model may write, but never so much that nothing could be asked.
fn reply(model: &ModelFacts) -> u64 {
    model.max_output.0.min(model.window.0 / 2)
}

fn by_bytes(bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(10).div_ceil(BYTES_PER_TOKEN_TENTHS)
}
