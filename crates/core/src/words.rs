//! The sentences in which decisions reach the model, all in one place. They belong beside the decisions because they
//! are recorded as the results of calls; prompts live in `context`.

use ox_protocol::locale::Language;
use ox_protocol::{Call, CallKind, Effect, EffectKind, Level, Mode, PlanQuestion, PlanStep, Problem, Rule};

/// Letters of a command that a refusal repeats.
const QUOTED: usize = 200;
/// Effects that a refusal names.
const REASONS: usize = 3;

/// What a call is called towards the model: its command line, or its tool with the place that makes it dangerous.
pub(crate) fn subject(call: &Call) -> String {
    let tool = &call.tool;
    match (&call.facts.command, call.facts.paths.first()) {
        (Some(command), _) => format!("`{}`", quoted(command)),
        (None, Some(it)) if call.facts.level == Level::System => format!("`{tool}` on `{}`", it.path),
        (None, _) => format!("`{tool}`"),
    }
}

pub(crate) fn only_reads(call: &Call, mode: Mode) -> String {
    let mode = if mode == Mode::Chat { "chat" } else { "plan" };
    let tool = &call.tool;
    if call.facts.kind == CallKind::Read {
        let what = subject(call);
        return format!(
            "{what} reaches outside the project, which {mode} mode does not. Answer from the project, or ask the user to switch to build mode."
        );
    }
    format!(
        "`{tool}` is not available in {mode} mode, which only reads. Answer from what you can read, or say what you would change."
    )
}

/// What a running turn reads when the user comments on a step of the plan.
pub(crate) fn on_step(step: &PlanStep, text: &str) -> String {
    format!("On step {} of the plan (\"{}\"): {text}", step.id, step.text)
}

/// What a running turn reads when the user answers a question of the plan.
pub(crate) fn on_question(question: &PlanQuestion) -> String {
    format!("On the plan's question \"{}\": {}", question.text, question.answer)
}

/// What a broad change is told before its first edit.
pub(crate) const PLAN_FIRST: &str = "not run: this change reaches many places, so its steps come first. Write them down with `todo_write` (at most 5, each with its files), then send the edit again.";

/// What an edit is told in a turn of mode `auto` whose prompt asks for no change.
pub(crate) const TAKEN_FOR_A_QUESTION: &str = "the user's message was taken to ask for no change, so nothing may be edited. Answer it, or say what you would change; the user can overrule this by choosing build mode.";

/// What a command is told in a change of looks and words alone.
pub(crate) const STYLE_ALONE: &str = "this was taken for a change of looks or words alone: it edits files and runs no command that could change anything; the project's checks run at the end. Where more is needed, say so at the end, and the user can repeat it in build mode.";

pub(crate) fn forbidden(rule: &Rule) -> String {
    format!("the user's rule `deny {rule}` forbids this call. Do not work around it; choose another way or ask.")
}

pub(crate) fn out_of_scope(path: &str, scope: &[String]) -> String {
    let scope = scope.join(", ");
    format!(
        "`{path}` is outside the allowed scope ({scope}). Change only files within it, or ask the user to widen it."
    )
}

pub(crate) fn refused(call: &Call, reason: &str) -> String {
    let reason = reason.trim();
    let said = if reason.is_empty() { String::new() } else { format!(" and said: {reason}") };
    let end = if reason.ends_with(['.', '!', '?', '。']) { "" } else { "." };
    format!(
        "the user refused {}{said}{end} Do not try it again in another form; choose another way or ask.",
        subject(call)
    )
}

pub(crate) fn hook_objects(call: &Call, message: &str) -> String {
    let message = if message.trim().is_empty() { "it gave no reason" } else { message.trim() };
    format!("a hook refused {}: {message}", subject(call))
}

/// The beginning of a command: the model has just written it, and reads its result again with every later request.
fn quoted(command: &str) -> String {
    match command.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}…", command[..at].trim_end()),
        None => command.to_string(),
    }
}

pub(crate) fn nobody_to_consent(call: &Call, why: &Problem) -> String {
    let (what, said) = (subject(call), Language::En.problem(why));
    let why = match reasons(call) {
        // It is not what the call does that it is refused for.
        Some(reasons) if why.code == "approval.why.no_walls" => format!("{said}; {reasons}"),
        reasons => reasons.unwrap_or(said),
    };
    let form = allowed_form(call);
    format!(
        "permission refused: {what} needs the user's consent ({why}), and nobody can be asked in this run. {form} Say at the end what was left undone."
    )
}

/// What the user would read of a call's effects: those that need the consent.
fn reasons(call: &Call) -> Option<String> {
    let all = counted(call).map(|it| Language::En.effect(it.kind, &it.what));
    let mut all: Vec<String> = all.collect();
    all.dedup();
    let more = all.len().saturating_sub(REASONS);
    all.truncate(REASONS);
    if more > 0 {
        all.push(format!("and {more} more"));
    }
    (!all.is_empty()).then(|| all.join("; "))
}

/// The effects that lift a call to its level.
fn counted(call: &Call) -> impl Iterator<Item = &Effect> {
    call.facts.effects.iter().filter(|it| it.level == call.facts.level)
}

/// What the model can do instead, by the effect that weighs most.
fn allowed_form(call: &Call) -> &'static str {
    use EffectKind as E;
    let path =
        |write| call.facts.paths.iter().any(|it| it.write == write).then_some(if write { E::Write } else { E::Read });
    let kind = counted(call).map(|it| it.kind).next().or_else(|| path(true)).or_else(|| path(false));
    match kind {
        Some(E::Write | E::Delete) if call.facts.level != Level::System => "Change files with the edit tools.",
        Some(E::Write | E::Delete) => "Write within the project, scratch files beneath `$TMPDIR`.",
        Some(E::Read | E::Secret) => "Do with what the project itself holds.",
        Some(E::Network | E::Install) => "Do with what is installed, without the network.",
        Some(E::Obscure | E::Computed | E::Unknown | E::Environment) => {
            "Write the command out plainly: known programs, paths and words that can be read off, one step a call."
        }
        Some(E::Publish | E::Destroy | E::Rewrite | E::System | E::Process | E::Privilege) => {
            "That is the user's to do: name the command to them."
        }
        Some(E::Execute | E::Scratch | E::Requested) | None => "Do what you can without it.",
    }
}

pub(crate) fn spoiled_by(earlier: &str) -> String {
    format!("not run: `{earlier}` before it in this reply failed or was refused. Look at its result first.")
}

/// A conclusion beside a call that did not succeed.
pub(crate) fn not_concluded(earlier: &str) -> String {
    format!("not taken: `{earlier}` before it in this reply did not succeed. Look at its result, go on, then conclude.")
}

pub(crate) const NO_AGENT_REQUEST: &str = "not started: say what the sub-agent is to do in `task`, and its `kind`.";

pub(crate) const AGENTS_TOO_DEEP: &str =
    "not started: a sub-agent starts no further ones here (`agents.depth`). Do it yourself, step by step.";

pub(crate) const NOTHING_LEFT_FOR_AGENTS: &str =
    "not started: what is left of the budget of this turn pays for no sub-agent. Do it yourself, in few steps.";

pub(crate) fn too_many_agents(limit: u32) -> String {
    format!(
        "not started: this turn has started {limit} sub-agents, and no more are allowed (`agents.per_turn`). Go on with what they found, and do the rest yourself."
    )
}

pub(crate) const NOBODY_TO_ASK: &str = "nobody can be asked in this run, so what needs consent is refused";

pub(crate) const NOBODY_TO_ANSWER: &str =
    "nobody can answer in this run. Decide yourself, take the safest choice, and state the assumption in your summary.";

pub(crate) const CHECKS_REFUSED: &str =
    "permission to run the project's checks was refused. Go on without them and say that they were not run.";

pub(crate) const INTERRUPTED_RUNNING: &str = "interrupted while it ran; what it did until then is not known.";

pub(crate) const INTERRUPTED_BEFORE: &str = "not run: the turn was interrupted before.";
