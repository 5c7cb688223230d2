//! The life of one container: made, attached to, started, waited for, removed. Removed always: also when nobody waits any
//! more, when the runtime is shut down, and when a later Ox finds it without its process.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use hyper::Method;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use ox_protocol::{BoxFuture, Job, RunError};
use serde_json::json;
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf, split};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::api::{Api, removal};
use super::error::ContainerError;
use super::folder::SupportFolder;
use super::placeholders::Placeholders;
use super::spec::spec;
use super::target::ContainerTarget;
use crate::foreground::{refused, write_all};
use crate::running_job::{Ended, ProcessTree};
use crate::streams::watched;

/// How long output may still come after the container ended.
const REST: Duration = Duration::from_secs(1);

/// What is asked of a running container.
#[derive(Clone, Copy, Debug)]
enum Request {
    End,
    Kill,
}

/// How far a container is.
#[derive(Clone, Debug)]
enum Stage {
    Running,
    Ended(Result<Ended, RunError>),
    Gone(Result<Ended, RunError>),
}

/// A job in a container. Dropping it kills and removes the container.
#[derive(Debug)]
pub(crate) struct Task {
    requests: mpsc::UnboundedSender<Request>,
    stage: watch::Receiver<Stage>,
}

impl Task {
    pub(super) fn start(target: ContainerTarget, job: Job, input: OwnedFd, output: OwnedFd) -> Task {
        let (requests, received) = mpsc::unbounded_channel();
        let (tell, stage) = watch::channel(Stage::Running);
        tokio::spawn(live(target, job, (input, output), received, tell));
        Task { requests, stage }
    }
}

impl ProcessTree for Task {
    fn ended(&mut self) -> BoxFuture<'_, Result<Ended, RunError>> {
        Box::pin(async move {
            match self.stage.wait_for(|it| !matches!(it, Stage::Running)).await.as_deref() {
                Ok(Stage::Ended(result) | Stage::Gone(result)) => result.clone(),
                _ => Err(RunError::Start { program: "container".to_owned(), reason: "its task was ended".to_owned() }),
            }
        })
    }

    fn ask(&self) {
        // Nobody hears it when the container is gone already.
        let _ = self.requests.send(Request::End);
    }

    fn kill(&mut self) {
        let _ = self.requests.send(Request::Kill);
    }

    fn gone(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // An error means that the task is gone, and with it the container.
            let _ = self.stage.wait_for(|it| matches!(it, Stage::Gone(_))).await;
        })
    }
}

/// What must be taken away again.
#[derive(Default)]
struct Leftovers {
    // Removed first: while the container is there, its mount points are in use.
    made: Option<Made>,
    cover: Option<Placeholders>,
    folder: Option<SupportFolder>,
}

async fn live(
    target: ContainerTarget,
    job: Job,
    ends: (OwnedFd, OwnedFd),
    mut requests: mpsc::UnboundedReceiver<Request>,
    tell: watch::Sender<Stage>,
) {
    let mut leftovers = Leftovers::default();
    let result = go(&target, &job, ends, &mut requests, &mut leftovers).await;
    let result = result.map_err(|it| if it.is_about_program() { not_found(&job) } else { refused(&job, it) });
    // It is of no interest any more whether somebody listens.
    let _ = tell.send(Stage::Ended(result.clone()));
    if let Some(made) = leftovers.made.take() {
        made.remove().await;
    }
    drop(leftovers);
    let _ = tell.send(Stage::Gone(result));
}

fn not_found(job: &Job) -> RunError {
    RunError::NotFound(job.argv.first().cloned().unwrap_or_default())
}

async fn go(
    target: &ContainerTarget,
    job: &Job,
    (input, output): (OwnedFd, OwnedFd),
    requests: &mut mpsc::UnboundedReceiver<Request>,
    leftovers: &mut Leftovers,
) -> Result<Ended, ContainerError> {
    let api = &target.api;
    let folder =
        leftovers.folder.insert(SupportFolder::new().map_err(|it| ContainerError::SupportFolder(it.to_string()))?);
    let daemon = target.daemon(folder.path()).await?;
    let described = job.clone();
    // What is granted is looked through, which may take as long as it is large.
    let spec = tokio::task::spawn_blocking(move || spec(&described, &daemon)).await;
    let spec = spec.map_err(|it| ContainerError::SupportFolder(it.to_string()))??;
    leftovers.cover = Some(Placeholders::take(&spec.placeholders));
    let answer = api.ask(Method::POST, "/containers/create", Some(&spec.body)).await;
    let answer = answer.map_err(|it| it.about_image(target.daemon, &target.image))?;
    let id = answer["Id"].as_str().unwrap_or_default().to_owned();
    leftovers.made = Some(Made { api: api.clone(), id: id.clone(), over: false });
    let stream = api.attach(&format!("/containers/{id}/attach?stream=1&stdin=1&stdout=1&stderr=1")).await?;
    let mut copying = Copying::start(stream, input, output, job.terminal.is_some());
    api.ask(Method::POST, &format!("/containers/{id}/start"), None).await?;
    if let Some(size) = job.terminal {
        let path = format!("/containers/{id}/resize?h={}&w={}", size.rows, size.columns);
        // Some daemons refuse this while the process is starting: then the terminal keeps its usual size.
        let _ = api.ask(Method::POST, &path, None).await;
    }
    let path = format!("/containers/{id}/wait");
    let wait = api.wait(Method::POST, &path, None);
    tokio::pin!(wait);
    let answer = loop {
        tokio::select! {
            biased;
            answer = &mut wait => break answer?,
            order = requests.recv() => {
                let signal = match order {
                    Some(Request::End) => "SIGTERM",
                    Some(Request::Kill) => "SIGKILL",
                    // Whoever held it is gone: what follows is the removal, which kills.
                    None => return Ok(Ended::default()),
                };
                // It may have ended in between, which is what was wanted.
                let _ = api.ask(Method::POST, &format!("/containers/{id}/kill?signal={signal}"), None).await;
            }
        }
    };
    let _ = timeout(REST, copying.rest()).await;
    let code = answer["StatusCode"].as_i64().and_then(|it| i32::try_from(it).ok());
    Ok(Ended { code, signal: None, note: over_memory(api, &id, job.rights.memory).await })
}

/// What to say when memory was the end of it.
async fn over_memory(api: &Api, id: &str, memory: u64) -> Option<String> {
    let state = api.ask(Method::GET, &format!("/containers/{id}/json"), None).await.ok()?;
    let killed = state["State"]["OOMKilled"].as_bool()?;
    killed.then(|| format!("[ended: it needed more than the {} MiB of memory it may use]", memory >> 20))
}

/// A container that exists, until it is removed.
struct Made {
    api: Api,
    id: String,
    over: bool,
}

impl Made {
    async fn remove(mut self) {
        // Dropped half-way, the removal below is made again from where nothing can be awaited.
        let removed = self.api.ask(Method::DELETE, &removal(&self.id), None).await;
        self.over = !matches!(removed, Err(ContainerError::Silent { .. }));
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if !self.over {
            self.api.remove_now(&self.id);
        }
    }
}

/// The two directions of a container's streams.
struct Copying {
    out: JoinHandle<()>,
    into: JoinHandle<()>,
}

impl Copying {
    fn start(stream: TokioIo<Upgraded>, input: OwnedFd, output: OwnedFd, terminal: bool) -> Copying {
        let (from, to) = split(stream);
        if terminal {
            raw(&output);
        }
        let into = tokio::spawn(feed(input, to));
        let out = tokio::spawn(async move {
            // Where nobody reads any more there is nothing to tell.
            let _ = pour(from, output, terminal).await;
        });
        Copying { out, into }
    }

    /// Waits for the output's end.
    async fn rest(&mut self) {
        let _ = (&mut self.out).await;
    }
}

impl Drop for Copying {
    fn drop(&mut self) {
        self.out.abort();
        self.into.abort();
    }
}

/// Our side of a terminal hands bytes through: the container's own terminal treats them.
fn raw(terminal: &OwnedFd) {
    if let Ok(mut settings) = rustix::termios::tcgetattr(terminal) {
        settings.make_raw();
        let _ = rustix::termios::tcsetattr(terminal, rustix::termios::OptionalActions::Now, &settings);
    }
}

fn ready(fd: OwnedFd) -> std::io::Result<AsyncFd<OwnedFd>> {
    rustix::io::ioctl_fionbio(&fd, true)?;
    watched(fd)
}

async fn feed(input: OwnedFd, mut to: WriteHalf<TokioIo<Upgraded>>) {
    // What cannot be waited for is the empty device: there is no input.
    if let Ok(input) = ready(input) {
        let mut chunk = vec![0; 16 << 10];
        loop {
            let Ok(mut readable) = input.readable().await else { break };
            let read = readable.try_io(|fd| Ok(rustix::io::read(fd.get_ref(), &mut *chunk)?));
            match read {
                Ok(Ok(0) | Err(_)) => break,
                Ok(Ok(count)) if to.write_all(&chunk[..count]).await.is_err() => break,
                _ => {}
            }
        }
    }
    let _ = to.shutdown().await;
}

/// Writes what the container prints. Without a terminal it comes in frames: which stream, three zeros, how many bytes.
async fn pour(mut from: ReadHalf<TokioIo<Upgraded>>, output: OwnedFd, terminal: bool) -> std::io::Result<()> {
    let output = Arc::new(ready(output)?);
    let mut chunk = vec![0; 64 << 10];
    let mut left = 0;
    loop {
        if !terminal && left == 0 {
            let mut head = [0; 8];
            from.read_exact(&mut head).await?;
            left = u32::from_be_bytes([head[4], head[5], head[6], head[7]]) as usize;
            continue;
        }
        let most = if terminal { chunk.len() } else { left.min(chunk.len()) };
        let count = from.read(&mut chunk[..most]).await?;
        if count == 0 {
            return Ok(());
        }
        left = left.saturating_sub(count);
        write_all(&output, &chunk[..count]).await?;
    }
}

/// Removes containers whose Ox is gone, as a kill leaves them behind. Others' are never touched.
pub(super) async fn sweep(api: &Api, label: &str, alive: impl Fn(&str) -> bool) {
    let filters = json!({ "label": [label] }).to_string();
    let filters: String = filters.bytes().map(|it| format!("%{it:02x}")).collect();
    let path = format!("/containers/json?all=true&filters={filters}");
    let Ok(list) = api.ask(Method::GET, &path, None).await else { return };
    for container in list.as_array().into_iter().flatten() {
        let (id, owner) = (container["Id"].as_str(), container["Labels"][label].as_str());
        if let (Some(id), Some(owner)) = (id, owner)
            && !alive(owner)
        {
            let _ = api.ask(Method::DELETE, &removal(id), None).await;
        }
    }
}
