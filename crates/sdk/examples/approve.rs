//! Asks at the terminal about each call, shows what changed, and takes it back where that is wanted. In this process, or on the
//! server that `OX_BASE_URL` and `OX_TOKEN` name.

use std::io::{BufRead, Write};

use ox_sdk::protocol::{ApprovalPolicy, Decision, Over};
use ox_sdk::{Answers, ApprovalRequest, Begin, Error, Ox, View};

/// The user at the terminal.
struct User;

fn asked(question: &str) -> String {
    print!("{question} ");
    std::io::stdout().flush().expect("standard output is open");
    std::io::stdin().lock().lines().next().transpose().ok().flatten().unwrap_or_default()
}

impl Answers for User {
    fn decide(&mut self, request: &ApprovalRequest, _: &View) -> Option<Decision> {
        let what = match request.commands.is_empty() {
            true => request.args.to_string(),
            false => request.commands.join("; "),
        };
        Some(match asked(&format!("{} {what}? [y/n]", request.tool)).trim() {
            "y" => Decision::Allow,
            _ => Decision::Deny { reason: String::new(), stop: false },
        })
    }

    fn answer(&mut self, question: &str, _: &[String], _: &View) -> Option<String> {
        Some(asked(question))
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Error> {
    let ox = Ox::of_environment(std::path::Path::new("."))?;
    let project = ox.projects().await?.remove(0);
    let conversation = project.begin(Begin { approval: Some(ApprovalPolicy::Ask), ..Begin::default() }).await?;
    let words = std::env::args().nth(1).unwrap_or_else(|| "Write the word hello into hello.txt.".to_owned());
    let view = conversation.run(words).await?.finish(&mut User).await?;
    println!("{}", view.reply);
    for file in conversation.changes().await? {
        println!("{} +{} -{}", file.change.path, file.change.added, file.change.removed);
    }
    if asked("Keep it? [y/n]").trim() != "y" {
        conversation.undo(Over::Ask).await?;
        println!("taken back");
    }
    ox.close().await;
    Ok(())
}
