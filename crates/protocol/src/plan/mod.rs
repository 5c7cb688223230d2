//! A plan as data: what is to be reached, in which steps, what may go wrong, what is still to be answered.
//!
//! A step that names files is ticked by what happens to them and never by a claim; the model's word is kept apart from that.

mod arguments;
mod form;
mod paths;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Todo, TodoState};

pub use form::PlanFormError;

/// The most steps of a plan.
pub const PLAN_STEPS: usize = 5;

/// A plan of at most [`PLAN_STEPS`] steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Its name across conversations: the conversation and the turn that it was made in; empty where a todo list made it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What is to be reached, in a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub goal: String,
    /// The plan in the model's words (Markdown); may be empty.
    #[serde(default)]
    pub text: String,
    /// Its steps.
    pub steps: Vec<PlanStep>,
    /// What may go wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<String>,
    /// What only the user can decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<PlanQuestion>,
    /// What the user may choose between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// One step of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanStep {
    /// 1-based number, stable within the plan; 0 in logs of earlier versions.
    #[serde(default)]
    pub id: u32,
    /// What is to be done.
    pub text: String,
    /// The files that it changes, relative to the root; a folder ends with `/`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Whether it is done, and who says so.
    #[serde(default, alias = "done", deserialize_with = "state")]
    pub state: StepState,
    /// What the user said about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<String>,
    /// What was seen of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<StepEvidence>,
}

/// Whether a step is done, and who says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Not done.
    #[default]
    Open,
    /// The model or the user says that it is done; nothing else shows it.
    Said,
    /// Its files were changed and checks passed since.
    Done,
}

/// What was seen of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepEvidence {
    /// Its files, all of which were changed.
    pub changed: Vec<String>,
    /// The checks that passed since; none where they have not run or did not pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
}

/// A question that only the user can answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanQuestion {
    /// The question.
    pub text: String,
    /// The answer; empty as long as there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
}

/// Logs of earlier versions say `true` and `false`.
fn state<'de, D: Deserializer<'de>>(from: D) -> Result<StepState, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Record {
        Ticked(bool),
        State(StepState),
    }
    Ok(match Record::deserialize(from)? {
        Record::Ticked(true) => StepState::Said,
        Record::Ticked(false) => StepState::Open,
        Record::State(state) => state,
    })
}

impl Plan {
    /// True where nothing is planned.
    pub fn is_empty(&self) -> bool {
        *self == Plan { id: self.id.clone(), ..Plan::default() }
    }

    /// True while there is something to do: an open step, or words without steps.
    pub fn is_open(&self) -> bool {
        !self.is_empty() && (self.steps.is_empty() || self.steps.iter().any(PlanStep::is_open))
    }

    /// What a list calls it: its goal, or the first line of its words, or its first step.
    pub fn title(&self) -> &str {
        let line = self.text.lines().map(|it| it.trim_start_matches('#').trim()).find(|it| !it.is_empty());
        let step = self.steps.first().map(|it| it.text.as_str());
        Some(self.goal.as_str()).filter(|it| !it.is_empty()).or(line).or(step).unwrap_or_default()
    }

    /// Gives each step without a number the next free one.
    pub fn number(&mut self) {
        let mut next = self.steps.iter().map(|it| it.id).max().unwrap_or(0);
        for step in self.steps.iter_mut().filter(|it| it.id == 0) {
            next += 1;
            step.id = next;
        }
    }

    /// The same with a number for each step.
    pub fn numbered(&self) -> Plan {
        let mut plan = self.clone();
        plan.number();
        plan
    }

    /// The step of this number.
    pub fn step(&self, id: u32) -> Option<&PlanStep> {
        self.steps.iter().find(|it| it.id == id)
    }

    /// True where both have the same steps in the same words.
    pub fn has_steps_of(&self, other: &Plan) -> bool {
        let texts = |it: &Plan| it.steps.iter().map(|step| step.text.clone()).collect::<Vec<_>>();
        texts(self) == texts(other)
    }

    /// Takes over what the todo list says of the steps that stand in it too. What was seen counts more.
    pub fn follow(&mut self, todos: &[Todo]) {
        for step in self.steps.iter_mut().filter(|it| it.state != StepState::Done) {
            if let Some(todo) = todos.iter().find(|it| it.text == step.text) {
                let said = todo.state == TodoState::Completed;
                step.state = if said { StepState::Said } else { StepState::Open };
            }
        }
    }

    /// Ticks the steps all of whose files are among the `touched`: as changed, and where checks have passed since, as done.
    pub fn tick(&mut self, touched: &dyn Fn(&str) -> bool, passed: &[String]) {
        for step in self.steps.iter_mut().filter(|it| it.state != StepState::Done) {
            let files = step.paths();
            if files.is_empty() || !files.iter().all(|it| touched(it)) {
                continue;
            }
            if !passed.is_empty() {
                step.state = StepState::Done;
            }
            step.evidence = Some(StepEvidence { changed: files, checks: passed.to_vec() });
        }
    }
}

impl PlanStep {
    /// An open step with this text.
    pub fn new(text: impl Into<String>) -> PlanStep {
        PlanStep { text: text.into(), ..PlanStep::default() }
    }

    /// True unless it is done, by evidence or by word.
    pub fn is_open(&self) -> bool {
        self.state == StepState::Open
    }

    /// True where all its files were changed, whether or not checks have passed since.
    pub fn is_changed(&self) -> bool {
        self.evidence.is_some()
    }

    /// The files that it changes: those that it lists, or else those that its words name.
    pub fn paths(&self) -> Vec<String> {
        if self.files.is_empty() && paths::says_change(&self.text) {
            return paths::named(&self.text);
        }
        self.files.clone()
    }

    /// True where `path` is this file of a plan, or lies in this folder.
    pub fn covers(planned: &str, path: &str) -> bool {
        let inside = planned.ends_with('/') && (path.starts_with(planned) || path.contains(&format!("/{planned}")));
        inside || path == planned || path.ends_with(&format!("/{planned}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_ticked_by_its_files_and_checks_and_the_models_word_is_kept_apart() {
        let step = |id, text: &str, files: &[&str]| PlanStep {
            id,
            files: files.iter().map(ToString::to_string).collect(),
            ..PlanStep::new(text)
        };
        let mut plan = Plan {
            steps: vec![
                step(1, "Fix it", &["src/a.rs"]),
                step(2, "Add tests/b.rs", &[]),
                step(3, "Tell people", &[]),
                step(4, "Read src/a.rs", &[]),
            ],
            ..Plan::default()
        };
        let marks = |plan: &Plan| plan.steps.iter().map(|it| (it.state, it.is_changed())).collect::<Vec<_>>();
        let touched = |paths: &'static [&'static str]| {
            move |planned: &str| paths.iter().any(|path| PlanStep::covers(planned, path))
        };
        plan.tick(&touched(&["src/a.rs"]), &[]);
        let open = (StepState::Open, false);
        assert_eq!(marks(&plan), [(StepState::Open, true), open, open, open]);
        plan.tick(&touched(&["src/a.rs", "x/tests/b.rs"]), &["test".into()]);
        assert_eq!(marks(&plan), [(StepState::Done, true), (StepState::Done, true), open, open]);
        let said = |text: &str| Todo {
            id: 1,
            text: text.into(),
            state: TodoState::Completed,
            priority: String::new(),
            notes: String::new(),
        };
        plan.follow(&[said("Tell people"), Todo { state: TodoState::Pending, ..said("Fix it") }]);
        assert_eq!(marks(&plan)[0].0, StepState::Done);
        assert_eq!(marks(&plan)[2..], [(StepState::Said, false), open]);
    }

    #[test]
    fn steps_of_earlier_versions_are_read() {
        let old = r#"{"text":"t","steps":[{"text":"a","done":true},{"text":"b","done":false}]}"#;
        let mut plan: Plan = serde_json::from_str(old).unwrap();
        plan.number();
        let steps: Vec<_> = plan.steps.iter().map(|it| (it.id, it.state)).collect();
        assert_eq!(steps, [(1, StepState::Said), (2, StepState::Open)]);
        let again = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&again).unwrap(), plan);
    }

    #[test]
    fn a_plan_has_a_title_and_an_end() {
        let words = Plan { text: "\n# Faster start\nmore".into(), ..Plan::default() };
        assert_eq!((words.title(), words.is_open(), words.is_empty()), ("Faster start", true, false));
        let done = PlanStep { state: StepState::Said, ..PlanStep::new("a") };
        let done = Plan { steps: vec![done], ..Plan::default() };
        assert_eq!((done.title(), done.is_open()), ("a", false));
        assert!(Plan { id: "x".into(), ..Plan::default() }.is_empty());
    }
}
