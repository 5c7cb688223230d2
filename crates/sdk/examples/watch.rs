//! Has a prompt answered and prints each event; then puts the files back as they were before. In this process, or on the server
//! that `OX_BASE_URL` and `OX_TOKEN` name.

use ox_sdk::protocol::{CheckpointReason, Decision};
use ox_sdk::view::Asked;
use ox_sdk::{Begin, Error, Ox, Update};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Error> {
    let ox = Ox::of_environment(std::path::Path::new("."))?;
    let project = ox.projects().await?.remove(0);
    let conversation = project.begin(Begin { name: Some("watched".to_owned()), ..Begin::default() }).await?;
    let words = std::env::args().nth(1).unwrap_or_else(|| "Write the word hello into hello.txt.".to_owned());
    let mut run = conversation.run(words).await?;
    while let Some(update) = run.next().await.transpose()? {
        let Update::Frame(frame) = update else { continue };
        println!("{} {}", frame.seq.0, frame.event.path());
        if let Some(Asked::Approval(request)) = run.view().asked.front() {
            conversation.decide(&request.call.clone(), &Decision::Allow).await?;
        }
    }
    let states: Vec<_> = conversation.checkpoints().await?.into_iter().flat_map(|it| it.states).collect();
    if let Some(first) = states.iter().find(|it| it.reason == CheckpointReason::BeforeTurn) {
        for change in project.roll_back(&first.id, &[]).await?.changes {
            println!("put back {}", change.path);
        }
    }
    ox.close().await;
    Ok(())
}
