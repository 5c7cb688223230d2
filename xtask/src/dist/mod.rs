//! `cargo xtask dist`: every package of a release, made from binaries that are built already.
//!
//! It publishes nothing, downloads nothing and changes nothing outside the folder it is given, which must be new or empty.
//! The same binaries at the same commit make the same bytes.

mod check;
mod deb;
mod npm;
mod packages;
mod shared;
mod targets;
mod tree;
mod wheel;

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

pub use self::check::stage;
use self::shared::{Binary, Dist, sums};
use crate::workspace::{self, cargo};

const USAGE: &str = "usage: cargo xtask dist [--binary [TARGET=]PATH]… OUT";

/// `cargo xtask dist [--binary [TARGET=]PATH]… OUT`.
pub fn command(args: &[String]) -> Result<bool> {
    let (mut binaries, mut out) = (Vec::new(), None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--binary" => binaries.push(args.next().context(USAGE)?.as_str()),
            flag if flag.starts_with('-') => bail!("there is no option `{flag}`\n{USAGE}"),
            folder => ensure!(out.replace(folder).is_none(), "one folder, please\n{USAGE}"),
        }
    }
    let out = Path::new(out.context(USAGE)?);
    let dist = Dist::new(out, 9)?;
    let built = if binaries.is_empty() { Some(build()?) } else { None };
    let binaries: Result<Vec<Binary>> =
        binaries.into_iter().chain(built.as_deref()).map(|it| dist.binary(it)).collect();
    packages::all(&dist, &binaries?)?;
    for (name, sum) in sums(&dist.out)? {
        println!("{sum}  {name}");
    }
    Ok(true)
}

/// Builds what a tagged release has; answers with its place.
fn build() -> Result<String> {
    let built = cargo().args(["build", "--locked", "--profile", "dist", "--package", "ox"]).status();
    ensure!(built.context("starting cargo")?.success(), "Ox could not be built");
    Ok(workspace::target().join("dist/ox").display().to_string())
}
