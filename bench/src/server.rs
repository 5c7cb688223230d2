//! `bench server`: what `ox serve` costs and withstands: idle and active streams, a storm of clients that come again, readers that do
//! not read, long replies, many conversations at once, `kill -9`, and ten thousand streams that come and go.
//!
//! The clients and the model run in this process, on the cores on which the server runs: their time is in every delay.

mod client;
mod crash;
mod figures;
mod model;
mod options;
mod site;
mod slow;
mod storm;
mod streams;

use std::path::Path;

use anyhow::Result;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use self::figures::Figures;
use self::model::Model;
pub use self::options::Options;
use self::site::Site;
use crate::program::{self, runtime};

/// Measures; true if every limit was kept.
pub fn run(options: &Options) -> Result<bool> {
    let ox = program::ox(options.ox.as_ref())?;
    // Each client is a file at both ends.
    let now = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: now.maximum, maximum: now.maximum })?;
    let figures = runtime().block_on(measured(&ox, options))?;
    println!("clients and model share the cores with the server; {}", program::load());
    Ok(figures.all_kept())
}

async fn measured(ox: &Path, options: &Options) -> Result<Figures> {
    let mut figures = Figures::default();
    let wanted = |part: &str| options.only.is_empty() || options.only.iter().any(|only| only == part);
    let begun = async |part: &str| {
        eprintln!("measuring {part} …");
        let model = Model::start().await?;
        let site = Site::start(ox, &model.serving.url)?;
        anyhow::Ok((site, model))
    };
    if wanted("delay") {
        let (site, model) = begun("delay").await?;
        streams::alone(&site, &model, &mut figures).await?;
    }
    if wanted("streams") {
        let (mut site, model) = begun("streams").await?;
        streams::idle_and_active(&mut site, &model, options, &mut figures).await?;
    }
    if wanted("storm") {
        let (site, _model) = begun("storm").await?;
        storm::come_again(&site, options, &mut figures).await?;
    }
    if wanted("slow") {
        let (site, model) = begun("slow").await?;
        slow::readers(&site, &model, options, &mut figures).await?;
    }
    if wanted("volume") {
        let (site, _model) = begun("volume").await?;
        slow::volume(&site, options, &mut figures).await?;
    }
    if wanted("crash") {
        let (mut site, _model) = begun("crash").await?;
        crash::killed(&mut site, options, &mut figures).await?;
    }
    if wanted("growth") {
        let (site, _model) = begun("growth").await?;
        storm::come_and_go(&site, options, &mut figures).await?;
    }
    Ok(figures)
}
