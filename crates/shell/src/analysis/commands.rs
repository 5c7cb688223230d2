//! Simple commands: which program it is, under what environment, and what its arguments make it do.

use ox_protocol::{EffectKind, Level};

use super::builtins;
use crate::analyzer::{Analyzer, ParsedCommand};
use crate::host::host_of;
use crate::paths::{PathAccess, PathTarget, is_secret};
use crate::programs;
use crate::scope::Scope;
use crate::table;
use crate::table::{ArgumentRole, OptionSpec, OptionValue, ProgramSpec};
use crate::variables;
use crate::word::{UNKNOWN, Word, join_words};

/// Folders whose programs are those that the tables tell of.
const STANDARD_FOLDERS: &[&str] =
    &["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/usr/local/sbin/"];

impl Analyzer<'_> {
    /// Analyses a simple command.
    pub fn simple(&mut self, simple: &ParsedCommand, scope: &mut Scope) {
        if simple.words.is_empty() {
            for (name, value) in &simple.assigned {
                self.assign(name, value.clone(), scope);
            }
            return;
        }
        for (name, value) in simple.assigned.iter().filter(|(name, _)| !variables::is_harmless(name)) {
            self.findings.add(EffectKind::Environment, Level::Shell, name);
            // Variables such as git's traces name files that are written.
            value
                .iter()
                .filter(|_| variables::names_output(name))
                .for_each(|it| self.access(it, PathAccess::Write, scope));
        }
        self.run(&simple.words, scope);
    }

    /// Analyses a command whose words are known, and notes it for the rules if it does more than read.
    pub fn run(&mut self, words: &[Word], scope: &mut Scope) {
        let (talk, at) = (self.findings.network_counts(), self.findings.commands_so_far());
        let objects = self.findings.objects_so_far();
        let before = self.findings.begin_part();
        self.nested(|analyzer| analyzer.run_words(words, scope));
        self.findings.add_unknown_host(talk);
        self.findings.tell_objects(objects);
        let level = self.findings.end_part(before);
        let passes = words.first().is_some_and(|it| programs::is_transparent(&it.text));
        if level > Level::Read && !passes {
            self.findings.command_at(at, join_words(words), level);
        }
    }

    fn run_words(&mut self, words: &[Word], scope: &mut Scope) {
        let Some((word, arguments)) = words.split_first() else { return };
        if word.has_unknown() || word.glob || word.text.is_empty() {
            self.findings.add_computed(Level::System, format!("the computed command {}", word.source));
            return self.scan(arguments, scope);
        }
        if word.quoted {
            self.findings.add_computed(Level::Shell, word.source.clone());
        }
        if !word.text.is_ascii() || word.text.contains(|c: char| c.is_whitespace()) {
            self.findings.add_computed(Level::System, word.text.clone());
            return self.scan(arguments, scope);
        }
        if scope.defined.contains(&word.text) {
            self.findings.add(EffectKind::Execute, Level::Shell, word.text.clone());
            return self.scan(arguments, scope);
        }
        match word.text.rsplit_once('/') {
            None => self.named(&word.text, arguments, scope),
            Some((_, name)) => self.by_path(word, name, arguments, scope),
        }
    }

    /// A program that is named by its path.
    fn by_path(&mut self, word: &Word, name: &str, arguments: &[Word], scope: &mut Scope) {
        let known = STANDARD_FOLDERS.iter().any(|it| word.text.strip_prefix(it) == Some(name));
        if known && !name.is_empty() {
            self.findings.add(EffectKind::Execute, Level::Shell, word.text.clone());
            return self.named(name, arguments, scope);
        }
        self.access(word, PathAccess::Run, scope);
        match name {
            "gradlew" => self.named("gradle", arguments, scope),
            "mvnw" => self.named("mvn", arguments, scope),
            _ => {}
        }
        self.scan(arguments, scope);
    }

    /// A program that the search path finds.
    pub fn named(&mut self, name: &str, arguments: &[Word], scope: &mut Scope) {
        if asks_about_itself(name, arguments) {
            return;
        }
        if builtins::builtin(self, name, arguments, scope) || programs::analyze(self, name, arguments, scope) {
            return;
        }
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-');
        let known = table::program(name).map(|it| (name, it)).or_else(|| table::program(plain).map(|it| (plain, it)));
        match known {
            Some((name, program)) => self.by_table(name, program, arguments, scope),
            None => {
                self.findings.add(EffectKind::Unknown, Level::Shell, name);
                self.scan(arguments, scope);
            }
        }
    }

    /// A program with a line in a table.
    pub fn by_table(&mut self, name: &str, program: &ProgramSpec, arguments: &[Word], scope: &mut Scope) {
        let given = self.options(name, program, arguments, scope);
        if program.sub
            && let Some((first, rest)) = given.split_first()
        {
            let inner = format!("{name}/{}", first.text);
            if let Some(program) = table::program(&inner) {
                // Options of the outer command were looked at already; what follows belongs to the inner one.
                return self.by_table(&inner, program, rest, scope);
            }
        }
        self.effects(name, program, &given);
        self.positions(program, &given, scope);
        if program.level() > Level::Read {
            let placed = |it: &&Word| program.roles.is_empty() || it.text.starts_with('-');
            let open: Vec<Word> = arguments.iter().filter(placed).cloned().collect();
            self.scan(&open, scope);
        }
    }

    fn effects(&mut self, name: &str, program: &ProgramSpec, given: &[Word]) {
        let called = format!("{} {}", name.replace('/', " "), join_words(given));
        for (kind, level) in &program.does {
            self.findings.add_call(*kind, *level, called.trim());
        }
        if given.is_empty() {
            for (kind, level) in &program.without {
                self.findings.add_call(*kind, *level, called.trim());
            }
        }
    }

    fn positions(&mut self, program: &ProgramSpec, given: &[Word], scope: &mut Scope) {
        let last = program.last.filter(|_| given.len() > 1);
        for (at, word) in given.iter().enumerate() {
            let listed = program.roles.get(at).or(program.roles.last()).copied();
            let role = if at + 1 == given.len() { last.or(listed) } else { listed };
            if role == Some(ArgumentRole::Command) {
                return self.run(&given[at..], scope);
            }
            self.apply_role(role.unwrap_or(ArgumentRole::Nothing), word, scope);
        }
    }

    /// What an argument of this role does.
    pub fn apply_role(&mut self, role: ArgumentRole, word: &Word, scope: &mut Scope) {
        match role {
            ArgumentRole::Nothing => {}
            ArgumentRole::Read if word.text == "-" => {}
            ArgumentRole::Read => self.access(word, PathAccess::Read, scope),
            ArgumentRole::Write if word.text == "-" => {}
            ArgumentRole::Write => self.access(word, PathAccess::Write, scope),
            ArgumentRole::Delete => self.access(word, PathAccess::Delete, scope),
            ArgumentRole::Run => self.access(word, PathAccess::Run, scope),
            ArgumentRole::Shell => self.shell_text(word, scope),
            ArgumentRole::Command => self.run(std::slice::from_ref(word), scope),
            ArgumentRole::Host => self.findings.host(&host_of(&word.text)),
            ArgumentRole::EffectSpec((kind, level)) => self.findings.add(kind, level, word.shown()),
        }
    }

    /// A text that a shell runs.
    pub fn shell_text(&mut self, word: &Word, scope: &Scope) {
        self.findings.add(EffectKind::Execute, Level::Shell, word.shown());
        if word.has_unknown() {
            self.findings.add_computed(Level::System, word.source.clone());
        }
        let known = word.text.replace(UNKNOWN, " ");
        self.line(&known, &mut scope.clone());
    }

    /// Goes through the options; what is left are the other arguments.
    fn options(&mut self, name: &str, program: &ProgramSpec, arguments: &[Word], scope: &mut Scope) -> Vec<Word> {
        let mut given: Vec<Word> = Vec::new();
        let mut rest = arguments.iter();
        let stops_early = program.sub || program.roles.contains(&ArgumentRole::Command);
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            if text == "--" {
                given.extend(rest.by_ref().cloned());
            } else if !text.starts_with('-') || text.len() == 1 {
                if text.starts_with(UNKNOWN) && program.level() == Level::Read && !program.switches.is_empty() {
                    self.findings.add_computed(Level::Shell, format!("{name} {}", word.source));
                }
                given.push(word.clone());
                let role = program.roles.get(given.len() - 1).or(program.roles.last());
                if program.sub || stops_early && role == Some(&ArgumentRole::Command) {
                    given.extend(rest.by_ref().cloned());
                }
            } else if text.starts_with("--") || program.single {
                self.long_option(name, program, word, &mut rest, scope);
            } else {
                self.short_options(name, program, word, &mut rest, scope);
            }
        }
        given
    }

    fn long_option(
        &mut self,
        program_name: &str,
        program: &ProgramSpec,
        word: &Word,
        rest: &mut std::slice::Iter<'_, Word>,
        scope: &mut Scope,
    ) {
        let (name, value) = match word.text.split_once('=') {
            Some((name, _)) => (name, Some(word.after(name.len() + 1))),
            None => (word.text.as_str(), None),
        };
        let meant = program.long(name);
        if meant.is_empty() {
            return self.unknown_option(program, word);
        }
        let takes = meant.iter().any(|it| it.takes == OptionValue::Yes);
        let value = if value.is_none() && takes { rest.next().cloned() } else { value };
        // One that may mean several does what each of them does.
        for switch in meant {
            self.apply_option(program_name, switch, (word, value.as_ref()), scope);
        }
    }

    fn short_options(
        &mut self,
        program_name: &str,
        program: &ProgramSpec,
        word: &Word,
        rest: &mut std::slice::Iter<'_, Word>,
        scope: &mut Scope,
    ) {
        for (at, letter) in word.text.char_indices().skip(1) {
            let meant = program.short(letter);
            let attached = Some(word.after(at + letter.len_utf8())).filter(|it| !it.text.is_empty());
            let Some(switch) = meant.first() else {
                if !(letter.is_ascii_digit() && program.any) {
                    self.unknown_option(program, word);
                }
                continue;
            };
            let takes = switch.takes;
            let value = match takes {
                OptionValue::No => None,
                OptionValue::Attached => attached,
                OptionValue::Yes => attached.or_else(|| rest.next().cloned()),
            };
            for switch in meant {
                self.apply_option(program_name, switch, (word, value.as_ref()), scope);
            }
            if takes != OptionValue::No {
                return;
            }
        }
    }

    fn apply_option(
        &mut self,
        program: &str,
        switch: &OptionSpec,
        (word, value): (&Word, Option<&Word>),
        scope: &mut Scope,
    ) {
        if let Some((kind, level)) = switch.does {
            let given = value.map_or_else(|| word.shown(), |it| format!("{} {}", switch.name, it.shown()));
            self.findings.add(kind, level, format!("{} {given}", program.replace('/', " ")));
        }
        if let Some(value) = value.filter(|_| switch.takes != OptionValue::No) {
            self.apply_role(switch.role, value, scope);
        }
    }

    fn unknown_option(&mut self, program: &ProgramSpec, word: &Word) {
        if !program.any && program.level() < Level::Shell {
            self.findings.add(EffectKind::Unknown, Level::Shell, format!("the option {}", word.shown()));
        }
    }

    /// Arguments of a program that does as it is told: whatever looks like a path outside, a secret or a URL counts.
    pub fn scan(&mut self, arguments: &[Word], scope: &Scope) {
        for word in arguments {
            let mut parts = vec![word.clone()];
            if let Some((name, _)) = word.text.split_once('=') {
                parts.push(word.after(name.len() + 1));
            }
            // An attached value, as in `-C/tmp` or `@/etc/passwd`.
            let attached = word.text.starts_with(['-', '@', '+']);
            if let Some(at) = word.text.find(['/', '~']).filter(|at| attached && *at <= 3) {
                parts.push(word.after(at));
            }
            for part in parts {
                self.scan_one(&part, scope);
            }
        }
    }

    fn scan_one(&mut self, word: &Word, scope: &Scope) {
        let text = word.text.as_str();
        if let Some((scheme, _)) = text.split_once("://") {
            if scheme == "file" {
                self.findings.add(EffectKind::Read, Level::System, text);
            } else if scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) {
                self.findings.host(&host_of(text));
            }
            return;
        }
        if text.starts_with('-') || text.contains(char::is_whitespace) {
            return;
        }
        let at = text.split_once(':').map_or(text, |it| it.0);
        if at.contains('@') && text.contains(':') && !at.contains('/') {
            return self.findings.host(&host_of(text));
        }
        match self.paths.resolve(text, &scope.cwd) {
            PathTarget::Host(host) => self.findings.host(&host),
            PathTarget::Outside(path) if !is_system_library(&path) => {
                // Which of reading and writing it is nobody knows here; the sandbox lets it read.
                let kind = if is_secret(&path) { EffectKind::Secret } else { EffectKind::Read };
                self.findings.path(&path, true);
                self.findings.add(kind, Level::System, path);
            }
            PathTarget::Inside(path) if is_secret(&path) => self.findings.add(EffectKind::Secret, Level::System, path),
            _ => {}
        }
    }
}

/// What compilers and linkers read of the system.
fn is_system_library(path: &str) -> bool {
    ["/usr/include", "/usr/lib", "/usr/share", "/usr/local/include", "/usr/local/lib", "/lib"]
        .iter()
        .any(|it| path.strip_prefix(it).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// `cargo --version`, `git --help`: a known program that only tells about itself.
fn asks_about_itself(name: &str, arguments: &[Word]) -> bool {
    let [one] = arguments else { return false };
    // The help of these opens a pager.
    let pages = matches!(name, "man" | "git");
    let asked = one.text == "--version" || one.text == "--help" && !pages;
    asked && programs::is_known(name)
}
