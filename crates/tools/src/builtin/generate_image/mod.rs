//! `generate_image`: one picture from a model that draws, as a new file in the project's public image folder.
//!
//! It never overwrites a file and never makes up a picture: where none comes, nothing is written and the words say why.

mod folder;

use ox_model::images::{ImageRequest, Picture, Shape};
use ox_protocol::{
    BoxFuture, CallFacts, CallKind, ChangeKind, Effect, EffectKind, Failure, FailureKind, Level, Outcome, PathUse,
};
use ox_repo::PathOp;
use serde_json::{Value, json};

use crate::args::{given, text};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object};
use crate::edit::change::bare;
use crate::{call::context::CallContext, call::error::ToolError};

/// Characters of the longest prompt.
const PROMPT: usize = 4000;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "generate_image".into(),
        aliases: Alias::list("create_image image_generation image_gen make_image draw_image imagegen dalle"),
        description: "Make a picture from a description with an image model, as a new file in the project's public image folder. The user is asked.".into(),
        schema: object(
            &["prompt"],
            json!({
                "prompt": {"type": "string"},
                "name": {"type": "string", "description": "of the file, without folder"},
                "shape": {"type": "string", "enum": ["square", "wide", "tall"]},
                "transparent": {"type": "boolean"},
                "why": {"type": "string", "description": "in a few words"},
            }),
        ),
        kind: CallKind::Mutate,
        level: Level::System,
        argument_aliases: "prompt: description text image_prompt\nname: filename file_name file",
        validate,
        classify,
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

fn validate(args: &Value) -> Option<String> {
    let prompt = text(args, "prompt").trim();
    if prompt.is_empty() {
        return Some("the prompt is empty; describe the picture".into());
    }
    if prompt.chars().count() > PROMPT {
        return Some(format!("the prompt is longer than {PROMPT} characters; describe the picture more briefly"));
    }
    let name = given(args, "name")?;
    folder::stem(name).is_none().then(|| {
        format!(
            "`{name}` is no plain file name; use letters, digits, `-`, `_` and `.` and no folder, such as `hero.png`"
        )
    })
}

/// The file that will be made, as far as can be told before it is: its ending follows from what the model answers with.
fn classify(cx: &CallContext, args: &Value, facts: &mut CallFacts) {
    facts.effects.push(Effect::new(EffectKind::Network, Level::System, "an image model"));
    let path = format!("{}.png", folder::free(cx.tree.root(), text(args, "prompt"), given(args, "name")));
    let reach = cx.tree.reach(PathOp::Write, &path);
    if reach.denied {
        facts.rejected = Some(reach.why);
        return;
    }
    facts.paths.push(PathUse { path: reach.path, write: true });
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let open = cx.paint.as_ref().ok_or_else(|| not_made("no model that draws is configured", UNSET))?;
    let painter = open().map_err(|problem| not_made(&problem_words(&problem), UNSET))?;
    let request = ImageRequest {
        // What the model read may hold a secret that only the log hides.
        prompt: ox_core::secrets::redact(text(args, "prompt").trim()).text,
        shape: match given(args, "shape") {
            Some("wide") => Shape::Wide,
            Some("tall") => Shape::Tall,
            _ => Shape::Square,
        },
        transparent: args["transparent"] == true,
    };
    let picture = tokio::select! {
        biased;
        () = cx.stopped() => return Err(ToolError::Cancelled),
        drawn = painter.draw(&request) => drawn.map_err(|failure| not_made(&failure.message, advice(&failure)))?,
    };
    let path = write(cx, args, &picture)?;
    let size = picture.bytes.len().div_ceil(1024);
    let words = format!("made {path} ({size} KB) with {}", painter.name());
    let mut change = bare(&path, ChangeKind::Created);
    change.why = crate::edit::change::why(args);
    Ok(Outcome { changed: vec![change], tree_changed: true, ..Outcome::ok(words) }.into())
}

/// Writes the picture to a path that is free now, and answers with it.
fn write(cx: &CallContext, args: &Value, picture: &Picture) -> Result<String, ToolError> {
    let free = folder::free(cx.tree.root(), text(args, "prompt"), given(args, "name"));
    let path = format!("{free}.{}", picture.kind.ending());
    let rel = cx.tree.locate(&path, ox_repo::Access::Write)?.rel;
    cx.within_scope(&rel)?;
    cx.tree.create_bytes(&path, picture.bytes.clone())?;
    Ok(rel)
}

const UNSET: &str = "Ask the user to set `roles.image`, for example `ox config set roles.image openai/gpt-image-2`.";

fn advice(failure: &Failure) -> &'static str {
    match failure.kind {
        FailureKind::ContentFilter | FailureKind::BadRequest => "Describe the picture in other words.",
        FailureKind::Malformed => {
            "Try once more; if it fails again, the image model in `roles.image` does not work here."
        }
        FailureKind::Auth => "The key was rejected; tell the user.",
        _ => "Try once more later.",
    }
}

/// No picture, no file, and nothing in its place.
fn not_made(why: &str, advice: &str) -> ToolError {
    let why = why.trim_end_matches('.');
    ToolError::Wrong(format!(
        "No picture was made and nothing was written: {why}. {advice} Do not put a placeholder in its place: go on without the picture and say so."
    ))
}

fn problem_words(problem: &ox_protocol::Problem) -> String {
    ox_protocol::locale::Language::En.problem(problem)
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use ox_protocol::{EffectKind, Level, Mode};
    use serde_json::json;

    #[test]
    fn it_is_asked_about_with_the_file_that_it_makes() {
        let fixture = Fixture::new();
        fixture.file("public/img/red-ox.png", "x");
        let facts = fixture.call("generate_image", json!({"prompt": "A red ox!"})).facts;
        assert_eq!((facts.level, facts.paths[0].path.as_str()), (Level::System, "public/img/red-ox-2.png"));
        assert_eq!(facts.effects[0].kind, EffectKind::Network);
        for (args, words) in [
            (json!({"prompt": " "}), "empty"),
            (json!({"prompt": "x".repeat(4001)}), "longer"),
            (json!({"prompt": "x", "name": "../x.png"}), "no plain file name"),
            (json!({"prompt": "x", "name": ".env"}), "no plain file name"),
        ] {
            let rejected = fixture.call("generate_image", args).facts.rejected.unwrap();
            assert!(rejected.contains(words), "{rejected}");
        }
        std::os::unix::fs::symlink("/etc", fixture.path("public/images")).unwrap();
        let facts = fixture.call("generate_image", json!({"prompt": "x"})).facts;
        assert!(
            facts.rejected.is_some() || facts.paths[0].path.starts_with("/etc/"),
            "a folder that leads out is shown"
        );
    }

    #[test]
    fn without_a_model_nothing_is_written() {
        let fixture = Fixture::new();
        let words = fixture.fails("generate_image", json!({"prompt": "an ox"}));
        assert!(words.contains("nothing was written") && words.contains("roles.image"), "{words}");
        assert!(!fixture.exists("assets"));
    }

    #[test]
    fn only_a_turn_that_builds_finds_it() {
        let mut fixture = Fixture::new();
        assert!(fixture.ok("find_tools", json!({"query": "picture"})).contains("generate_image"));
        for mode in [Mode::Chat, Mode::Plan] {
            fixture.cx.mode = mode;
            assert!(!fixture.ok("find_tools", json!({})).contains("generate_image"));
        }
    }
}
