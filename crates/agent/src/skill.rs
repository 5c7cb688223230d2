//! `skill`: instructions for a kind of task, read when the task is of that kind.
//!
//! It stands here and not among the built-in tools because what it offers depends on the skills that a session knows.

use std::fmt::Write as _;
use std::sync::Arc;

use ox_extensions::{Extensions, Skill};
use ox_protocol::{BoxFuture, Outcome};
use ox_tools::{Alias, Availability, Run, RunAsync, Tool, ToolError, object};
use serde_json::{Value, json};

/// The most skills that are listed with a line; of further ones the name is all that a request has room for.
const LISTED: usize = 40;

/// The tool over the skills that a model may use; none where there are none.
pub(crate) fn tool(extensions: &Arc<Extensions>) -> Option<Tool> {
    let offered: Vec<&Skill> = extensions.skills.iter().filter(|it| !it.users_only).collect();
    if offered.is_empty() {
        return None;
    }
    let mut description =
        "Read a skill: instructions for a kind of task. Where a task is what one of them is for, read it before you begin. Skills:"
            .to_owned();
    for skill in offered.iter().take(LISTED) {
        let _ = write!(description, "\n{}", skill.line());
    }
    if offered.len() > LISTED {
        let names: Vec<&str> = offered[LISTED..].iter().map(|it| it.name.as_str()).collect();
        let _ = write!(description, "\nFurther ones: {}", names.join(", "));
    }
    let of = extensions.clone();
    let run: Arc<RunAsync> = Arc::new(move |_, args| {
        let read = read(&of, args);
        Box::pin(async move { read.map(|it| Outcome::ok(it).into()) }) as BoxFuture<'_, _>
    });
    Some(Tool {
        name: "skill".into(),
        aliases: Alias::list("use_skill load_skill read_skill activate_skill get_skill invoke_skill"),
        description: description.into(),
        schema: object(
            &["skill"],
            json!({
                "skill": {"type": "string", "description": "its name"},
                "file": {"type": "string", "description": "one of its files, instead of its text"},
            }),
        ),
        availability: Availability::Always,
        // Instructions hold as long as the work goes on.
        pinned: true,
        argument_aliases: "skill: name skill_name command\nfile: path resource",
        run: Run::Dynamic(run),
        ..Tool::base()
    })
}

fn read(extensions: &Extensions, args: &Value) -> Result<String, ToolError> {
    let name = args["skill"].as_str().unwrap_or_default().trim().trim_start_matches('/');
    let file = args["file"].as_str().map(str::trim).filter(|it| !it.is_empty());
    let usable = || extensions.skills.iter().filter(|it| !it.users_only);
    let Some(skill) = usable().find(|it| it.name == name) else {
        let names: Vec<&str> = usable().map(|it| it.name.as_str()).collect();
        return Err(ToolError::Wrong(format!("There is no skill `{name}`; there are {}.", names.join(", "))));
    };
    skill.text(file).map_err(|why| ToolError::Wrong(format!("The skill was not read: {why}.")))
}
