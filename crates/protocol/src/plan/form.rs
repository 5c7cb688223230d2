//! A plan as a Markdown form that people edit: the same plan that was written is read back, and what cannot be read is
//! refused with its line.

use std::fmt::Write;

use super::{PLAN_STEPS, Plan, PlanQuestion, PlanStep, StepState};

/// Before each further line of an item of several lines.
const FURTHER: &str = "      ";
const GOAL: &str = "# Goal";
const STEPS: &str = "# Steps";
const RISKS: &str = "# Risks";
const QUESTIONS: &str = "# Questions";
const OPTIONS: &str = "# Options";
/// All below it is the plan's own words.
const WORDS: &str = "# Words";

/// Why a form is no plan, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFormError {
    /// 1-based number of the line.
    pub line: usize,
    /// What is wrong with it: the end of a key of the catalogue.
    pub code: &'static str,
}

impl Plan {
    /// The form of this plan.
    pub fn to_form(&self) -> String {
        let mut out = format!("{GOAL}\n{}\n\n{STEPS}\n", self.goal);
        for step in &self.steps {
            let mark = if step.is_open() { ' ' } else { 'x' };
            item(&mut out, &format!("- [{mark}] {}. ", step.id), &step.text);
            step.files.iter().for_each(|it| item(&mut out, "  file: ", it));
            step.comments.iter().for_each(|it| item(&mut out, "  > ", it));
        }
        out += &format!("\n{RISKS}\n");
        self.risks.iter().for_each(|it| item(&mut out, "- ", it));
        out += &format!("\n{QUESTIONS}\n");
        for question in &self.questions {
            item(&mut out, "- ", &question.text);
            if !question.answer.is_empty() {
                item(&mut out, "  > ", &question.answer);
            }
        }
        out += &format!("\n{OPTIONS}\n");
        self.options.iter().for_each(|it| item(&mut out, "- ", it));
        write!(out, "\n{WORDS}\n{}\n", self.text).expect("invariant: a text takes every line");
        out
    }

    /// The plan that a form says, with what was seen of the steps of `before` that are still there.
    pub fn from_form(form: &str, before: &Plan) -> Result<Plan, PlanFormError> {
        let mut reader = Reader { plan: Plan { id: before.id.clone(), ..Plan::default() }, part: "", last: None };
        let mut lines = form.lines().enumerate();
        for (at, line) in lines.by_ref() {
            if line.trim_end() == WORDS {
                break;
            }
            reader.line(line, before).map_err(|code| PlanFormError { line: at + 1, code })?;
        }
        let words: Vec<&str> = lines.map(|(_, line)| line).collect();
        let mut plan = reader.plan;
        plan.text = words.join("\n").trim().to_owned();
        plan.number();
        Ok(plan)
    }
}

fn item(out: &mut String, before: &str, text: &str) {
    *out += &format!("{before}{}\n", text.replace('\n', &format!("\n{FURTHER}")));
}

/// The item that a further line belongs to.
#[derive(Clone, Copy)]
enum Last {
    Step,
    File,
    Comment,
    Risk,
    Question,
    Answer,
    Choice,
}

struct Reader {
    plan: Plan,
    part: &'static str,
    last: Option<Last>,
}

impl Reader {
    fn line(&mut self, line: &str, before: &Plan) -> Result<(), &'static str> {
        if line.trim().is_empty() {
            return Ok(());
        }
        if line.starts_with('#') {
            let known = [GOAL, STEPS, RISKS, QUESTIONS, OPTIONS].into_iter().find(|it| *it == line.trim_end());
            self.part = known.ok_or("heading")?;
            self.last = None;
            return Ok(());
        }
        if let Some(text) = line.strip_prefix(FURTHER)
            && let Some(last) = self.last
        {
            let item = self.item(last).ok_or("item")?;
            *item += "\n";
            *item += text;
            return Ok(());
        }
        match self.part {
            GOAL => self.goal(line),
            STEPS => self.step(line, before),
            RISKS => self.listed(line, Last::Risk),
            QUESTIONS => self.question(line),
            OPTIONS => self.listed(line, Last::Choice),
            _ => Err("outside"),
        }
    }

    fn item(&mut self, last: Last) -> Option<&mut String> {
        let plan = &mut self.plan;
        match last {
            Last::Step => plan.steps.last_mut().map(|it| &mut it.text),
            Last::File => plan.steps.last_mut()?.files.last_mut(),
            Last::Comment => plan.steps.last_mut()?.comments.last_mut(),
            Last::Risk => plan.risks.last_mut(),
            Last::Question => plan.questions.last_mut().map(|it| &mut it.text),
            Last::Answer => plan.questions.last_mut().map(|it| &mut it.answer),
            Last::Choice => plan.options.last_mut(),
        }
    }

    fn goal(&mut self, line: &str) -> Result<(), &'static str> {
        if !self.plan.goal.is_empty() {
            return Err("goal");
        }
        self.plan.goal = line.trim().to_owned();
        Ok(())
    }

    fn listed(&mut self, line: &str, kind: Last) -> Result<(), &'static str> {
        let text = filled(line.strip_prefix("- "))?;
        match kind {
            Last::Risk => self.plan.risks.push(text),
            _ => self.plan.options.push(text),
        }
        self.last = Some(kind);
        Ok(())
    }

    fn question(&mut self, line: &str) -> Result<(), &'static str> {
        if let Some(answer) = line.strip_prefix("  > ") {
            let question = self.plan.questions.last_mut().filter(|it| it.answer.is_empty()).ok_or("answer")?;
            question.answer = answer.trim().to_owned();
            self.last = Some(Last::Answer);
            return Ok(());
        }
        let text = filled(line.strip_prefix("- "))?;
        self.plan.questions.push(PlanQuestion { text, answer: String::new() });
        self.last = Some(Last::Question);
        Ok(())
    }

    fn step(&mut self, line: &str, before: &Plan) -> Result<(), &'static str> {
        for (mark, last) in [("  file: ", Last::File), ("  > ", Last::Comment)] {
            if let Some(text) = line.strip_prefix(mark) {
                let text = filled(Some(text))?;
                let step = self.plan.steps.last_mut().ok_or("step_first")?;
                if matches!(last, Last::File) {
                    step.files.push(text)
                } else {
                    step.comments.push(text)
                }
                self.last = Some(last);
                return Ok(());
            }
        }
        let boxes = [("- [ ] ", false), ("- [x] ", true), ("- [X] ", true)];
        let (ticked, rest) =
            boxes.iter().find_map(|(mark, ticked)| Some((*ticked, line.strip_prefix(mark)?))).ok_or("step")?;
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let numbered = rest[digits..].strip_prefix(". ").filter(|_| digits > 0);
        let id = numbered.and_then(|_| rest[..digits].parse().ok()).unwrap_or(0);
        let text = filled(Some(numbered.unwrap_or(rest)))?;
        if id > 0 && self.plan.step(id).is_some() {
            return Err("twice");
        }
        if self.plan.steps.len() == PLAN_STEPS {
            return Err("steps");
        }
        let old = before.step(id).filter(|it| ticked != it.is_open());
        let state = match (ticked, old) {
            (_, Some(old)) => old.state,
            (true, None) => StepState::Said,
            (false, None) => StepState::Open,
        };
        let evidence = old.and_then(|it| it.evidence.clone());
        self.plan.steps.push(PlanStep { id, text, state, evidence, ..PlanStep::default() });
        self.last = Some(Last::Step);
        Ok(())
    }
}

fn filled(text: Option<&str>) -> Result<String, &'static str> {
    let text = text.ok_or("item")?.trim();
    if text.is_empty() { Err("empty") } else { Ok(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StepEvidence;

    fn plan() -> Plan {
        let evidence = StepEvidence { changed: vec!["src/a.rs".into()], checks: vec!["test".into()] };
        let first = PlanStep {
            id: 2,
            files: vec!["src/a.rs".into(), "docs/".into()],
            state: StepState::Done,
            comments: vec!["Not so fast.\n# Steps\n- [ ] no step".into(), "2. and this".into()],
            evidence: Some(evidence),
            ..PlanStep::new("Fix it\n  in two lines")
        };
        Plan {
            id: "c-1".into(),
            goal: "Faster".into(),
            text: "# Steps\n- [ ] not a step\n\n    code".into(),
            steps: vec![first, PlanStep { id: 1, ..PlanStep::new("> odd") }],
            risks: vec!["- slow".into()],
            questions: vec![
                PlanQuestion { text: "Which?".into(), answer: "That\none".into() },
                PlanQuestion { text: "When?".into(), answer: String::new() },
            ],
            options: vec!["a".into(), "# b".into()],
        }
    }

    #[test]
    fn a_form_says_the_plan_that_it_was_made_from() {
        for plan in [plan(), Plan::default(), Plan { text: "x".into(), ..Plan::default() }] {
            assert_eq!(Plan::from_form(&plan.to_form(), &plan), Ok(plan));
        }
    }

    #[test]
    fn what_people_change_counts_and_what_was_seen_stays_with_its_step() {
        let before = plan();
        let form = before.to_form().replace("- [x] 2. Fix it", "- [ ] 2. Fix that").replace("- [ ] 1. ", "- [x] 1. ");
        let form = form.replace("# Risks", "- [ ] A new one\n  file: x.rs\n\n# Risks").replace("Faster", "Slower");
        let plan = Plan::from_form(&form, &before).unwrap();
        let steps: Vec<_> = plan.steps.iter().map(|it| (it.id, it.state, it.evidence.is_some())).collect();
        let expected = [(2, StepState::Open, false), (1, StepState::Said, false), (3, StepState::Open, false)];
        assert_eq!((plan.goal.as_str(), steps.as_slice()), ("Slower", &expected[..]));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_line() {
        let six = "# Steps\n".to_owned() + &"- [ ] a\n".repeat(6);
        let forms = [
            "# Aims\n",
            "text\n",
            "# Goal\na\nb\n",
            "# Steps\nFix it\n",
            "# Steps\n\n- [ ]  \n",
            "# Steps\n  file: a.rs\n",
            "# Steps\n- [ ] 1. a\n- [ ] 1. b\n",
            "# Questions\n  > an answer\n",
            "# Risks\nslow\n",
            &six,
        ];
        let said: Vec<String> = forms
            .iter()
            .map(|it| Plan::from_form(it, &Plan::default()).unwrap_err())
            .map(|it| format!("{} {}", it.line, it.code))
            .collect();
        let expected = [
            "1 heading",
            "1 outside",
            "3 goal",
            "2 step",
            "3 empty",
            "2 step_first",
            "3 twice",
            "2 answer",
            "2 item",
            "7 steps",
        ];
        assert_eq!(said, expected);
    }
}
