//! `ox serve`: the conversations of this machine over HTTP, with a web page.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use ox_app::ProjectOptions;
use ox_app::project::{self, browser};
use ox_protocol::Problem;
use ox_server::ServerOptions;

use super::print::{err, out};
use super::shared::ConfigFlags;

/// Arguments of `ox serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    config: ConfigFlags,
    /// Port to listen on; 7878 by default, or a free one where that is taken.
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Open the page in a browser.
    #[arg(long)]
    open: bool,
    /// Print a new link to the page of the server that runs already.
    #[arg(long)]
    link: bool,
    /// Listen on this address instead of this machine only; needs --tls-cert and --tls-key, or --insecure.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<IpAddr>,
    /// Host name under which browsers reach the server, beside its address.
    #[arg(long = "host", value_name = "NAME")]
    names: Vec<String>,
    /// File with the certificate chain, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// File with the private key, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Listen beyond this machine without TLS: everyone on the network can read what is sent.
    #[arg(long)]
    insecure: bool,
    /// Log requests and conversations to this file, as lines of JSON; `-` is standard error.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Use this project's settings for this run.
    #[arg(long)]
    trust: bool,
}

/// Serves until it is stopped.
pub fn run(args: ServeArgs) -> anyhow::Result<u8> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Problem::new("error.session").with("why", error))?;
    let language = project::language();
    if args.link {
        let known = ox_server::running(&project::paths()?.state_dir);
        let link = known.as_ref().and_then(|it| runtime.block_on(ox_server::new_link(it)));
        out(&link.ok_or_else(|| Problem::new("server.none_running"))?);
        return Ok(0);
    }
    if let Some(path) = &args.log {
        log_to(path)?;
    }
    let folder = project::current_folder()?;
    let beyond = args.listen.is_some_and(|it| !it.is_loopback()) && args.insecure;
    let options = ServerOptions {
        port: args.port,
        listen: args.listen,
        names: args.names,
        tls: args.tls_cert.zip(args.tls_key),
        insecure: args.insecure,
        folder: folder.clone(),
        project: ProjectOptions { flags: args.config.0, trusted: args.trust, ..ProjectOptions::default() },
    };
    runtime.block_on(async {
        let bound = ox_server::bind(options).await?;
        if beyond {
            err(&language.say("server.is_insecure", &[]));
        }
        out(&language.say("server.at", &[("url", &bound.known.url)]));
        out(&language.say("server.link", &[("url", &bound.link)]));
        err(&language.say("server.stop", &[]));
        if args.open
            && let Err(why) = browser::open(&folder, &bound.link).await
        {
            err(&language.problem(&why));
        }
        bound.serve(stopped()).await;
        Ok(0)
    })
}

/// Appends what the server does to a file, a line of JSON each.
fn log_to(path: &Path) -> Result<(), Problem> {
    let lines = tracing_subscriber::fmt().json().flatten_event(true).with_target(false);
    if path == Path::new("-") {
        lines.with_writer(std::io::stderr).init();
        return Ok(());
    }
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    let failed = |error| Problem::new("server.no_log").with("path", path.display()).with("why", error);
    lines.with_writer(std::sync::Mutex::new(file.map_err(failed)?)).init();
    Ok(())
}

/// Ctrl-C, or the end that the system asks for.
pub(super) async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminated = signal(SignalKind::terminate()).ok();
    let terminated = async {
        match &mut terminated {
            Some(it) => drop(it.recv().await),
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}
