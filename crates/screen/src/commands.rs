//! What a typed line means: a prompt, or one of the `/` commands; and those commands that only show something.
//!
//! Promise: pure; nothing is sent and nothing is changed here.

use std::collections::BTreeMap;

use ox_app::project::extensions::ListedCommand;
use ox_client::view::EntryKind;
use ox_protocol::{Back, Effort, FileChange, Mode, Over};

use crate::composer::Item;
use crate::diff;
use crate::inside::{self, Inside};
use crate::picker::choices;
use crate::report::{self, Look};
use crate::screen::Screen;
use crate::text::{Line, Role, width};

/// Files that a turn is listed with, and characters of its prompt.
const FILES: usize = 5;
const PROMPT: usize = 60;

/// A typed line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // What each does is in `COMMANDS`, in the user's words.
pub enum Typed {
    Nothing,
    Prompt(String),
    Help,
    /// The keys and what they do.
    Keys,
    Mode(Option<Mode>),
    Model(Option<String>),
    /// The efforts, to choose from.
    Effort,
    SetEffort(Option<Effort>),
    BadEffort(String),
    Clear,
    New,
    Compact,
    Memory,
    Continue,
    Cost,
    Todo,
    Plan,
    /// About a step or a question of the plan, by its number.
    PlanComment(u32, String),
    PlanAnswer(u32, String),
    PlanDrop,
    BadPlan,
    /// The files in view and those left out.
    Files,
    /// Patterns of files to keep in view, and no longer; none for all.
    Add(Vec<String>),
    Drop(Vec<String>),
    /// Globs of files to leave out, and no longer; none for all.
    Exclude(Vec<String>),
    Include(Vec<String>),
    Diff,
    Undo(Over),
    Redo,
    /// Back to before this turn; without one the turns are listed.
    Rewind(Option<u32>, Back, Over),
    /// A fork from before this turn, with its prompt to be edited.
    ForkBefore(u32),
    BadTurn(String),
    BadOver(String),
    Resume(Option<String>),
    Sessions,
    /// What is shown or chosen inside.
    Inside(Inside),
    /// To the full screen, or back.
    Fullscreen,
    Exit,
    /// `!command`: the user's own.
    Shell(String),
    /// `# text`: to be added to the project's instructions.
    Remember(String),
    /// A command of Ox itself, which gets the terminal.
    Own(Vec<String>),
    /// A review of code: of what, in the words of `ox review`.
    Review(Option<String>),
    BadMode(String),
    Unknown(String),
}

/// The commands: name, argument, key of the explanation.
pub const COMMANDS: &[(&str, &str, &str)] = &[
    ("/help", "", "repl.help.help"),
    ("/keys", "", "repl.help.keys"),
    ("/mode", "[auto|chat|plan|build]", "repl.help.mode"),
    ("/model", "[provider/model]", "repl.help.model"),
    ("/effort", "[level]", "repl.help.effort"),
    ("/add", "path…", "repl.help.add"),
    ("/drop", "[path…]", "repl.help.drop"),
    ("/exclude", "glob…", "repl.help.exclude"),
    ("/include", "[glob…]", "repl.help.include"),
    ("/files", "", "repl.help.files"),
    ("/clear", "", "repl.help.clear"),
    ("/new", "", "repl.help.new"),
    ("/compact", "", "repl.help.compact"),
    ("/mcp", "[list|test NAME|login NAME]", "repl.help.mcp"),
    ("/plugin", "[list|add PATH|remove NAME]", "repl.help.plugin"),
    ("/memory", "", "repl.help.memory"),
    ("/continue", "", "repl.help.continue"),
    ("/cost", "", "repl.help.cost"),
    ("/todo", "", "repl.help.todo"),
    ("/plan", "[comment N text|answer N text|drop]", "repl.help.plan"),
    ("/diff", "", "repl.help.diff"),
    ("/review", "[base..head|--staged|PR]", "repl.help.review"),
    ("/accept", "", "repl.help.accept"),
    ("/commit", "", "repl.help.commit"),
    ("/init", "[--no-model]", "repl.help.init"),
    ("/doctor", "[--verbose]", "repl.help.doctor"),
    ("/login", "[provider]", "repl.help.login"),
    ("/bug", "", "repl.help.bug"),
    ("/undo", "[keep|force]", "repl.help.undo"),
    ("/redo", "", "repl.help.redo"),
    ("/rewind", "[turn [files|conversation] [keep|force]]", "repl.help.rewind"),
    ("/resume", "[id]", "repl.help.resume"),
    ("/sessions", "", "repl.help.sessions"),
    ("/fullscreen", "", "repl.help.fullscreen"),
    ("/exit", "", "repl.help.exit"),
];

/// The commands that a list of all of them begins with.
const FIRST: &str =
    "/resume /model /diff /undo /rewind /review /commit /plan /status /context /compact /new /permissions /jobs /init";

/// The commands as they are listed while one types, and the values that they take.
fn menu(look: &Look) -> (Vec<Item>, BTreeMap<String, Vec<Item>>) {
    let item = |name: &str, usage: &str, key: &str| {
        let about = if key.is_empty() { String::new() } else { look.say(key, &[]) };
        Item { name: name.to_string(), usage: usage.to_string(), about }
    };
    let mut all: Vec<_> = COMMANDS.iter().chain(&inside::COMMANDS).collect();
    let place = |name: &str| FIRST.split(' ').position(|it| it == name).unwrap_or(usize::MAX);
    all.sort_by_key(|it| place(it.0));
    let commands = all.into_iter().map(|(name, usage, key)| item(name, usage, key)).collect();
    let modes = Mode::ALL.map(|it| item(it.name(), "", &format!("mode.{}", it.name()))).to_vec();
    let effort = |(name, about): &(&str, &str)| item(name, "", about);
    let efforts = choices::EFFORTS.iter().map(effort).collect();
    (commands, BTreeMap::from([("/mode".to_string(), modes), ("/effort".to_string(), efforts)]))
}

/// The custom commands as they are listed while one types.
pub fn custom(all: Vec<ListedCommand>) -> impl Iterator<Item = Item> {
    all.into_iter().map(|it| Item {
        name: format!("/{}", it.name),
        usage: it.hint,
        about: format!("{} ({})", it.about, it.source),
    })
}

impl Screen {
    /// Lists the commands behind `/`: those of Ox and the custom ones.
    pub fn list_commands(&mut self, custom: Vec<ListedCommand>) {
        (self.composer.commands, self.composer.values) = menu(&self.look);
        self.composer.commands.extend(self::custom(custom));
    }
}

/// True for the name of a command of Ox, without the slash.
pub fn is_taken(name: &str) -> bool {
    !matches!(parse(&format!("/{name}")), Typed::Unknown(_) | Typed::Prompt(_))
}

/// What `line` means where there are custom commands, which are prompts; `listed` are all that there are.
pub fn typed(line: &str, listed: &[Item]) -> Typed {
    match parse(line) {
        Typed::Unknown(name) if name.starts_with("/mcp__") || listed.iter().any(|it| it.name == name) => {
            Typed::Prompt(line.trim().to_owned())
        }
        other => other,
    }
}

/// What `line` means.
pub fn parse(line: &str) -> Typed {
    let text = line.trim();
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let argument = Some(rest.trim().to_string()).filter(|it| !it.is_empty());
    match name {
        "" => Typed::Nothing,
        "/help" | "/?" => Typed::Help,
        "?" | "/keys" => Typed::Keys,
        "/mode" => match argument {
            None => Typed::Mode(None),
            Some(name) => Mode::named(&name).map_or(Typed::BadMode(name), |it| Typed::Mode(Some(it))),
        },
        "/model" => Typed::Model(argument),
        "/effort" => match argument.as_deref() {
            None => Typed::Effort,
            Some(choices::DEFAULT_EFFORT) => Typed::SetEffort(None),
            Some(name) => Effort::named(name).map_or(Typed::BadEffort(name.into()), |it| Typed::SetEffort(Some(it))),
        },
        "/clear" => Typed::Clear,
        "/new" => Typed::New,
        "/compact" => Typed::Compact,
        "/memory" => Typed::Memory,
        "/continue" => Typed::Continue,
        "/cost" => Typed::Cost,
        "/todo" => Typed::Todo,
        "/plan" => plan(rest.trim()),
        "/files" => Typed::Files,
        "/add" | "/exclude" if argument.is_none() => Typed::Files,
        "/add" => Typed::Add(words(rest)),
        "/drop" => Typed::Drop(words(rest)),
        "/exclude" => Typed::Exclude(words(rest)),
        "/include" => Typed::Include(words(rest)),
        "/diff" => Typed::Diff,
        "/review" => Typed::Review(argument),
        "/accept" | "/commit" | "/init" | "/doctor" | "/login" | "/bug" => {
            Typed::Own(std::iter::once(name[1..].to_owned()).chain(words(rest)).collect())
        }
        "/mcp" | "/plugin" => {
            let named = words(rest);
            // Whether the servers answer is what one wants to know inside.
            let usual = if name == "/mcp" { "test" } else { "list" };
            let words = if named.is_empty() { vec![usual.to_owned()] } else { named };
            Typed::Own(std::iter::once(name[1..].to_owned()).chain(words).collect())
        }
        "/plugins" | "/skills" | "/agents" | "/hooks" => {
            Typed::Own(["plugin", "list", &name[1..]].map(str::to_owned).to_vec())
        }
        "/undo" => match over(rest.trim()) {
            Some(over) => Typed::Undo(over),
            None => Typed::BadOver(rest.trim().to_string()),
        },
        "/redo" => Typed::Redo,
        "/rewind" => rewind(rest.trim()),
        "/resume" => Typed::Resume(argument),
        "/sessions" => Typed::Sessions,
        "/fullscreen" => Typed::Fullscreen,
        "/exit" | "/quit" => Typed::Exit,
        _ if let Some(inside) = inside::parse(name, argument) => Typed::Inside(inside),
        // `/etc/hosts is wrong` is a sentence about a path.
        _ if name.starts_with('/') && !name[1..].contains('/') => Typed::Unknown(name.to_string()),
        _ if text.starts_with('!') && text.len() > 1 => Typed::Shell(text[1..].trim().to_string()),
        // A heading of a longer text is none.
        "#" if !text.contains('\n') && text.len() > 1 => Typed::Remember(rest.trim().to_string()),
        _ => Typed::Prompt(text.to_string()),
    }
}

/// Words apart by blanks, as a shell splits them; where a quote stays open, by blanks alone. `@` before a path is taken off.
fn words(rest: &str) -> Vec<String> {
    let words = shlex::split(rest).unwrap_or_else(|| rest.split_whitespace().map(str::to_owned).collect());
    words.into_iter().map(|it| it.strip_prefix('@').map(str::to_owned).unwrap_or(it)).collect()
}

fn plan(rest: &str) -> Typed {
    let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (number, text) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest, ""));
    match (word, number.parse(), text.trim()) {
        ("", ..) => Typed::Plan,
        ("drop", ..) if rest.is_empty() => Typed::PlanDrop,
        ("comment", Ok(step), text) if !text.is_empty() => Typed::PlanComment(step, text.to_string()),
        ("answer", Ok(question), text) if !text.is_empty() => Typed::PlanAnswer(question, text.to_string()),
        _ => Typed::BadPlan,
    }
}

/// What becomes of files that somebody changed since.
fn over(word: &str) -> Option<Over> {
    match word {
        "" => Some(Over::Ask),
        "keep" => Some(Over::Keep),
        "force" => Some(Over::Force),
        _ => None,
    }
}

fn rewind(rest: &str) -> Typed {
    let (turn, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (what, word) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
    let (what, word) = match what {
        "files" => (Back::Files, word),
        "conversation" => (Back::Conversation, word),
        _ => (Back::Both, rest.trim()),
    };
    match (turn.parse(), over(word.trim())) {
        _ if turn.is_empty() => Typed::Rewind(None, Back::Both, Over::Ask),
        (Err(_), _) => Typed::BadTurn(turn.to_string()),
        (_, None) => Typed::BadOver(word.trim().to_string()),
        (Ok(turn), Some(over)) => Typed::Rewind(Some(turn), what, over),
    }
}

/// The lines of a command that only shows something; `None` for one that does something.
pub fn view(screen: &Screen, typed: &Typed) -> Option<Vec<Line>> {
    let (look, view) = (&screen.look, &screen.view);
    let one = |key: &str, args: &[(&str, &str)], role: Role| vec![Line::of(&look.say(key, args), role)];
    Some(match typed {
        Typed::Nothing => Vec::new(),
        Typed::Help => help(look, &screen.composer.commands),
        Typed::Mode(None) => one("ui.mode_set", &[("mode", view.mode.name())], Role::Plain),
        Typed::Model(None) if !screen.look.live => one("ui.model_set", &[("model", &view.model)], Role::Plain),
        Typed::Effort if !screen.look.live => vec![report::effort_set(look, view.effort)],
        Typed::BadEffort(name) => one("repl.bad_effort", &[("name", name)], Role::Bad),
        Typed::Cost => report::cost_table(look, &view.account, screen.run, &view.model),
        Typed::Todo => report::todo_lines(look, &view.todos),
        Typed::Plan => match &view.plan {
            Some(plan) => report::plan_lines(look, plan),
            None => one("ui.plan.none", &[], Role::Dim),
        },
        Typed::Files => report::file_lines(look, &view.files),
        Typed::Diff => changes(screen),
        Typed::Rewind(None, ..) if !screen.look.live => turns(screen),
        Typed::BadOver(name) => one("repl.bad_over", &[("name", name)], Role::Bad),
        Typed::BadPlan => one("repl.bad_plan", &[], Role::Bad),
        Typed::BadMode(name) => one("repl.bad_mode", &[("name", name)], Role::Bad),
        Typed::BadTurn(name) => one("repl.bad_turn", &[("name", name)], Role::Bad),
        Typed::Unknown(name) => match nearest(name, &screen.composer.commands) {
            Some(near) => one("repl.unknown_near", &[("name", name), ("nearest", near)], Role::Bad),
            None => one("repl.unknown", &[("name", name)], Role::Bad),
        },
        _ => return None,
    })
}

/// The command that was most likely meant.
fn nearest<'a>(name: &str, listed: &'a [Item]) -> Option<&'a str> {
    let distance = |it: &str| strsim::osa_distance(it, name);
    let near = listed.iter().map(|it| it.name.as_str()).min_by_key(|it| distance(it))?;
    (distance(near) <= 1 + name.len() / 4).then_some(near)
}

/// The commands as `/help` groups them: heading, names.
const GROUPS: [(&str, &str); 5] = [
    (
        "repl.help.group.conversation",
        "/resume /new /continue /fork /rename /sessions /clear /compact /copy /export /exit",
    ),
    ("repl.help.group.changes", "/diff /undo /redo /rewind /checkpoints /review /accept /commit"),
    (
        "repl.help.group.how",
        "/mode /model /effort /plan /todo /permissions /jobs /status /cost /config /theme /fullscreen",
    ),
    ("repl.help.group.context", "/add /drop /exclude /include /files /context /memory /init"),
    ("repl.help.group.ox", "/help /keys /login /mcp /plugin /doctor /bug"),
];

fn help(look: &Look, listed: &[Item]) -> Vec<Line> {
    // What a command takes stands beside it where there is room.
    let column = if look.width < 70 { 14 } else { 30 };
    let all: Vec<_> = COMMANDS.iter().chain(&inside::COMMANDS).collect();
    let row = |name: &str, argument: &str, about: &str| {
        let fits = !argument.is_empty() && width(name) + width(argument) + 3 <= column;
        let argument = if fits { format!(" {argument}") } else { String::new() };
        let gap = " ".repeat(column.saturating_sub(width(name) + width(&argument)).max(2));
        let line = Line::of(name, Role::Accent).with(&argument, Role::Dim).with(&gap, Role::Plain);
        line.with(about, Role::Plain).indented(2, column)
    };
    let line = |name: &str| {
        let (_, argument, key) = all.iter().find(|it| it.0 == name)?;
        Some(row(name, argument, &look.say(key, &[])))
    };
    let mut out = Vec::new();
    for (heading, names) in GROUPS {
        out.push(Line::of(&look.say(heading, &[]), Role::Strong));
        out.extend(names.split(' ').filter_map(line));
    }
    let custom: Vec<&Item> = listed.iter().filter(|it| !all.iter().any(|own| own.0 == it.name)).collect();
    if !custom.is_empty() {
        out.push(Line::of(&look.say("repl.help.group.custom", &[]), Role::Strong));
        out.extend(custom.iter().map(|it| row(&it.name, &it.usage, &it.about)));
    }
    for key in ["repl.help.at", "repl.help.remember", "repl.help.lines"] {
        out.push(Line::of(&look.say(key, &[]), Role::Dim));
    }
    out
}

/// What the last turn changed that changed something, edit by edit.
fn changes(screen: &Screen) -> Vec<Line> {
    let turns = screen.view.entries.rsplit(|it| matches!(it.kind, EntryKind::Prompt { .. }));
    let earlier = turns.map(|turn| {
        let calls = turn.iter().filter_map(|it| if let EntryKind::Call(call) = &it.kind { Some(call) } else { None });
        calls.flat_map(|it| it.changed.clone()).collect::<Vec<FileChange>>()
    });
    let restored = screen.restored.as_ref().map(|it| it.files.clone()).unwrap_or_default();
    let now = [restored, screen.view.changes.clone()];
    let Some(changes) = now.into_iter().chain(earlier).find(|it| !it.is_empty()) else {
        return vec![Line::of(&screen.look.say("repl.no_changes", &[]), Role::Dim)];
    };
    let mut out = Vec::new();
    for change in &changes {
        out.push(Line::of(&change.path, Role::Strong));
        out.extend(diff::lines(&change.diff, usize::MAX).0);
    }
    out
}

/// The turns with what going back to before each of them puts back.
fn turns(screen: &Screen) -> Vec<Line> {
    let (look, turns) = (&screen.look, &screen.view.turns);
    if turns.is_empty() {
        return vec![Line::of(&look.say("repl.rewind.none", &[]), Role::Dim)];
    }
    let mut out = vec![Line::of(&look.say("repl.rewind.head", &[]), Role::Dim)];
    for (at, turn) in turns.iter().enumerate() {
        let mut files: Vec<&str> = turns[at..].iter().flat_map(|it| &it.files).map(String::as_str).collect();
        files.sort_unstable();
        files.dedup();
        let more = if files.len() > FILES { ", …" } else { "" };
        let named = files.iter().take(FILES).copied().collect::<Vec<_>>().join(", ") + more;
        let args = [("count", files.len().to_string()), ("files", named)];
        let args = [(args[0].0, args[0].1.as_str()), (args[1].0, args[1].1.as_str())];
        let key = if files.is_empty() { "repl.rewind.same" } else { "repl.rewind.files" };
        let line = Line::of(&format!("{:>4}  ", turn.number), Role::Accent)
            .with(&format!("{}  ", crate::words::ago(turn.began)), Role::Dim)
            .with(&crate::words::short(&turn.prompt, PROMPT), Role::Plain);
        out.push(line.hanging(6));
        out.push(Line::of(&look.say(key, &args), Role::Dim).indented(6, 0));
    }
    out
}

#[cfg(test)]
mod tests;
