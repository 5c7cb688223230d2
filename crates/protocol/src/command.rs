//! What someone asks of Ox.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ApprovalPolicy, CallId, CommandId, ContextFile, Decision, EarlierTurn, Effort, Image, Mode, Plan};

/// A command under the name by which its answer is known: frames that name it, or a rejection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Submission {
    /// Unique among the commands of the conversation; a prompt whose id is known already is not taken twice.
    pub id: CommandId,
    /// What is asked.
    #[serde(flatten)]
    pub command: Command,
}

/// When a prompt is delivered while a turn runs. Where none runs, both begin one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// To the running turn, with its next tool results.
    #[default]
    Steer,
    /// As a turn of its own, after the running one and those that wait already.
    Queue,
}

/// A prompt that waits for its turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueuedPrompt {
    /// The command that brought it.
    pub id: CommandId,
    /// What the user typed.
    pub text: String,
    /// Images, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// Changes the mode from its turn on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

impl QueuedPrompt {
    /// Puts the waiting prompts into this order; those that are not named wait no longer.
    pub fn reorder(queue: &mut Vec<QueuedPrompt>, order: &[CommandId]) {
        let mut waiting = std::mem::take(queue);
        queue.extend(order.iter().filter_map(|id| {
            let at = waiting.iter().position(|it| it.id == *id)?;
            Some(waiting.remove(at))
        }));
    }
}

/// What an interface sends to the agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Starts a turn when none runs; steers the running one or waits for its end otherwise.
    Prompt {
        /// What the user typed.
        text: String,
        /// Images, in order.
        #[serde(default)]
        images: Vec<Image>,
        /// Changes the mode from this turn on.
        #[serde(default)]
        mode: Option<Mode>,
        /// When it is delivered while a turn runs.
        #[serde(default)]
        delivery: Delivery,
    },
    /// Puts the waiting prompts into this order; those that are left out are dropped.
    SetQueue {
        /// Prompts that wait, by the commands that brought them.
        prompts: Vec<CommandId>,
    },
    /// Takes back what the user said last while a turn ran, as long as the model has not read it.
    TakeBack {
        /// How many of these messages.
        count: u32,
    },
    /// Takes up the last turn where it stopped.
    Continue,
    /// Asks the model again at once, where the turn waits to do so.
    Retry,
    /// Stops the turn; state is kept.
    Interrupt,
    /// Answers an approval request.
    Decide {
        /// The call that was asked about.
        call: CallId,
        /// The answer.
        decision: Decision,
    },
    /// Answers a question of the agent.
    Answer {
        /// The call that asks.
        call: CallId,
        /// What the user said.
        text: String,
    },
    /// Changes the mode for the next turn.
    SetMode {
        /// The new mode.
        mode: Mode,
    },
    /// Changes at once when the user is asked. What the new policy does that was asked about meanwhile is allowed; what rules
    /// or the reach of a call always ask about is still asked.
    SetApproval {
        /// The new policy.
        policy: ApprovalPolicy,
    },
    /// Runs a command of the user's own between two turns: in the project, with the user's rights, without questions. The
    /// model reads it with the next prompt; `interrupt` stops it.
    RunCommand {
        /// The command line.
        line: String,
    },
    /// Changes the model for the next turn: `provider/model`.
    SetModel {
        /// The new model.
        model: String,
    },
    /// Changes how much the model reasons, from the next turn on.
    SetEffort {
        /// The new effort; the provider's own default when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effort: Option<Effort>,
    },
    /// Puts this plan in the place of the conversation's; an empty one drops it. The next turn works by it.
    SetPlan {
        /// All of it.
        plan: Plan,
    },
    /// Says something about a step of the plan.
    CommentPlan {
        /// The step's number.
        step: u32,
        /// What the user says.
        text: String,
    },
    /// Answers an open question of the plan.
    AnswerPlan {
        /// 1-based number of the question.
        question: u32,
        /// What the user says.
        text: String,
    },
    /// Keeps these files in view, from the next turn on.
    AddFiles {
        /// Paths, folders and globs relative to the root; of a file also lines: `src/a.rs:10-20`.
        files: Vec<String>,
    },
    /// Keeps these files in view no longer.
    DropFiles {
        /// As in `add_files`; none for all that the user has added.
        #[serde(default)]
        files: Vec<String>,
    },
    /// What is open in the user's editor now, in the place of what was open there before.
    SetEditorFiles {
        /// Relative to the root; the file in front first, with the selected lines.
        files: Vec<ContextFile>,
    },
    /// Leaves files out of the conversation.
    Exclude {
        /// Globs relative to the root.
        globs: Vec<String>,
    },
    /// Leaves these files out no longer.
    Include {
        /// Globs as they were given; none for all.
        #[serde(default)]
        globs: Vec<String>,
    },
    /// Hands in turns of the past that the store does not know, before the first prompt.
    AddEarlierTurns {
        /// Oldest first.
        turns: Vec<EarlierTurn>,
    },
    /// Takes back what the last turn that changed the working tree changed in it. Conversation and log stay.
    Undo {
        /// What becomes of files that somebody changed since.
        #[serde(default)]
        over: Over,
    },
    /// Takes the last undo back.
    Redo,
    /// Goes back to before a turn: the tree, what the model remembers of the conversation, or both.
    Rewind {
        /// 1-based number of the turn.
        turn: u32,
        /// What goes back.
        #[serde(default)]
        what: Back,
        /// What becomes of files that somebody changed since.
        #[serde(default)]
        over: Over,
    },
    /// Ends a command in the background and all that it started.
    StopJob {
        /// Its name in the conversation, for example `job_2`.
        job: String,
    },
    /// Makes what the model reads of the conversation shorter, between two turns; the log keeps everything.
    Compact,
    /// Has the model forget the turns so far; files and log stay.
    Clear,
    /// Leaves: the running turn is interrupted and the session ends.
    Close,
}

impl Command {
    /// A prompt without images and without a change of mode.
    pub fn prompt(text: impl Into<String>) -> Command {
        Command::Prompt { text: text.into(), images: Vec::new(), mode: None, delivery: Delivery::Steer }
    }
}

/// What goes back to before a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Back {
    /// The files and the conversation.
    #[default]
    Both,
    /// The files alone; the model still remembers the turns.
    Files,
    /// What the model remembers alone; the files stay as they are.
    Conversation,
}

/// What going back does to files that are not as the turn left them, and where git's `HEAD` has moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// Nothing is changed; what would be lost is told.
    #[default]
    Ask,
    /// They stay as they are; the others are put back.
    Keep,
    /// They are put back too.
    Force,
}
