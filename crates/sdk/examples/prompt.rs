//! Has a prompt answered and shows what happens as a terminal shows it. In this process, or on the server that `OX_BASE_URL` and
//! `OX_TOKEN` name: `cargo run -p ox-sdk --example prompt "Fix the failing test."`

use std::io::IsTerminal;

use ox_sdk::{AllowAll, Begin, Error, Ox};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Error> {
    let ox = Ox::of_environment(std::path::Path::new("."))?;
    let project = ox.projects().await?.remove(0);
    let conversation = project.begin(Begin::default()).await?;
    let words = std::env::args().nth(1).unwrap_or_else(|| "What does this project do?".to_owned());
    let run = conversation.run(words).await?;
    let colours = std::io::stdout().is_terminal();
    let view = run.print(&mut std::io::stdout(), 80, colours, &mut AllowAll).await?;
    let turn = view.account.turn;
    println!("{} requests, {} tokens", turn.requests, turn.usage.total().0);
    ox.close().await;
    Ok(())
}
