//! What was found so far. It only ever grows: no later part of a line takes back what an earlier one did.

use std::mem;

use ox_protocol::{Effect, EffectKind, Level, PathUse, SimpleCommand};

use crate::classification::Classification;
use crate::prefix;

/// More effects, paths or commands than these are not listed; the level counts them all.
const MOST_LISTED: usize = 200;

/// The collected effects of a line.
#[derive(Default)]
pub(crate) struct Findings {
    level: Level,
    effects: Vec<Effect>,
    commands: Vec<SimpleCommand>,
    paths: Vec<PathUse>,
    hosts: Vec<String>,
    /// Effects that speak to somebody.
    speaking: usize,
    /// Hosts that were named, each time.
    named: usize,
    /// What was found by its object, each time.
    objects: Vec<Effect>,
    /// Effects that name a command, not its object.
    calls: Vec<Effect>,
}

impl Findings {
    /// Notes an effect that is told by the words of a command, for as long as the same part tells no object of it.
    pub fn add_call(&mut self, kind: EffectKind, level: Level, called: &str) {
        let effect = Effect::new(kind, level, called);
        self.calls.push(effect.clone());
        self.note(effect);
    }

    /// Notes an effect.
    pub fn add(&mut self, kind: EffectKind, level: Level, what: impl Into<String>) {
        let effect = Effect::new(kind, level, what);
        self.objects.push(effect.clone());
        self.note(effect);
    }

    fn note(&mut self, effect: Effect) {
        self.level = self.level.max(effect.level);
        self.speaking += usize::from(matches!(effect.kind, EffectKind::Network | EffectKind::Publish));
        if self.effects.len() < MOST_LISTED && !self.effects.contains(&effect) {
            self.effects.push(effect);
        } else if self.effects.len() == MOST_LISTED {
            // What is left out must not be less than what is shown.
            self.level = Level::System;
            self.effects.push(Effect::new(EffectKind::Obscure, Level::System, "more than can be listed"));
        }
    }

    /// Where a part begins; to be given to [`Findings::tell_objects`].
    pub fn objects_so_far(&self) -> (usize, usize) {
        (self.objects.len(), self.calls.len())
    }

    /// Drops the effects of a part that name the command where others beside them name its objects; those reach as far then.
    pub fn tell_objects(&mut self, (objects, calls): (usize, usize)) {
        for call in self.calls.split_off(calls.min(self.calls.len())) {
            let known: Vec<&Effect> = self.objects.iter().skip(objects).filter(|it| says_more(it, &call)).collect();
            if known.is_empty() {
                continue;
            }
            for effect in self.effects.iter_mut().filter(|it| known.contains(&&**it)) {
                effect.level = effect.level.max(call.level);
            }
            self.effects.retain(|it| *it != call);
        }
    }

    /// Where the counts of what speaks and of whom stand; to be given to [`Findings::name_hosts`].
    pub fn network_counts(&self) -> (usize, usize) {
        (self.speaking, self.named)
    }

    /// What has spoken since `before` without naming a host may speak to any.
    pub fn add_unknown_host(&mut self, before: (usize, usize)) {
        if self.speaking > before.0 && self.named == before.1 {
            let speaks = |it: &Effect| matches!(it.kind, EffectKind::Network | EffectKind::Publish);
            if !self.effects.iter().any(|it| speaks(it) && it.level == Level::System) {
                self.add(EffectKind::Network, Level::System, "*");
            }
            self.level = Level::System;
            if !self.hosts.iter().any(|it| it == "*") {
                self.hosts.push("*".to_owned());
            }
        }
    }

    /// Notes a part that is known only when it runs.
    pub fn add_computed(&mut self, level: Level, what: impl Into<String>) {
        self.add(EffectKind::Computed, level, what);
    }

    /// Notes something that hides what is done from whoever reads the line.
    pub fn add_obscure(&mut self, level: Level, what: impl Into<String>) {
        self.add(EffectKind::Obscure, level, what);
    }

    /// Notes a path that is used.
    pub fn path(&mut self, path: &str, write: bool) {
        let used = PathUse { path: path.to_owned(), write };
        if self.paths.len() < MOST_LISTED && !self.paths.contains(&used) {
            self.paths.push(used);
        }
    }

    /// Notes a host that is spoken to; the network is always level system.
    pub fn host(&mut self, host: &str) {
        let host = host.to_lowercase();
        self.named += 1;
        self.add(EffectKind::Network, Level::System, &host);
        if !self.hosts.contains(&host) {
            self.hosts.push(if self.hosts.len() < MOST_LISTED { host } else { "*".to_owned() });
            self.hosts.truncate(MOST_LISTED + 1);
        }
    }

    /// Notes a host that a program text names; whether it is spoken to is for the sandbox.
    pub fn named_host(&mut self, host: &str) {
        self.add(EffectKind::Execute, Level::System, host);
        if !self.hosts.iter().any(|it| it == host) && self.hosts.len() < MOST_LISTED {
            self.hosts.push(host.to_owned());
        }
    }

    /// How many simple commands are listed, to put an outer one before the inner ones.
    pub fn commands_so_far(&self) -> usize {
        self.commands.len()
    }

    /// Notes a simple command that does more than read, at a place that [`Findings::commands_so_far`] told.
    pub fn command_at(&mut self, at: usize, text: String, level: Level) {
        let command = SimpleCommand { prefix: prefix::of(&text), text, level };
        if self.commands.contains(&command) {
            return;
        }
        if self.commands.len() < MOST_LISTED {
            self.commands.insert(at.min(self.commands.len()), command);
        } else {
            self.add_obscure(Level::System, "more commands than can be listed");
        }
    }

    /// Begins to measure a part; to be ended with [`Findings::end_part`].
    pub fn begin_part(&mut self) -> Level {
        mem::take(&mut self.level)
    }

    /// The level of what came since [`Findings::begin_part`], which gave `before`.
    pub fn end_part(&mut self, before: Level) -> Level {
        let level = self.level;
        self.level = self.level.max(before);
        level
    }

    /// The end of the analysis.
    pub fn finish(mut self) -> Classification {
        // Without a host the network would be reachable by a rule for no host at all.
        let speaks = self.effects.iter().any(|it| matches!(it.kind, EffectKind::Network | EffectKind::Publish));
        if speaks && self.hosts.is_empty() {
            self.hosts.push("*".to_owned());
        }
        Classification {
            level: self.level,
            effects: self.effects,
            commands: self.commands,
            steered: false,
            paths: self.paths,
            hosts: self.hosts,
        }
    }
}

/// True where the effect on an object says all that the effect of the whole command says.
fn says_more(object: &Effect, call: &Effect) -> bool {
    use EffectKind::{Delete, Destroy, Network, Scratch, Secret, System, Write};
    match call.kind {
        Network => object.kind == Network && object.level >= call.level,
        Write | Delete if call.level < Level::System => {
            object.kind == call.kind || matches!(object.kind, Scratch | Secret | System | Destroy)
        }
        _ => false,
    }
}
