//! `ox update`: how this copy of Ox was installed, and the command that brings a newer one. It changes nothing itself.

use std::path::{Path, PathBuf};

use clap::Args;
use ox_app::project::{env, language};
use ox_protocol::Problem;

use super::print::{exact, json, out};

/// Arguments of `ox update`.
#[derive(Debug, Args)]
pub struct UpdateArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Words that would begin a task.
    #[arg(hide = true)]
    words: Vec<String>,
}

/// How a program came to where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    /// Built in a checkout of the sources.
    Built(PathBuf),
    /// `cargo install --path`, from these sources.
    Sources(String),
    /// `cargo install --git`, from this repository.
    Repository(String),
    /// `cargo install` from a registry of packages.
    Registry,
    /// By something else.
    Unknown,
}

/// Says how to update.
pub fn run(args: UpdateArgs) -> anyhow::Result<u8> {
    if !args.words.is_empty() {
        return Err(Problem::new("usage.unquoted_task").with("task", args.words.join(" ")).into());
    }
    let program = std::env::current_exe().and_then(|it| it.canonicalize());
    let program = program.map_err(|why| Problem::new("update.unknown_place").with("why", why))?;
    let home = env("CARGO_HOME").map(PathBuf::from).or_else(|| Some(PathBuf::from(env("HOME")?).join(".cargo")));
    let installed = home.as_ref().and_then(|it| std::fs::read_to_string(it.join(".crates.toml")).ok());
    let way =
        way(&program, home.as_deref(), &installed.unwrap_or_default(), |it| it.join("crates/ox/Cargo.toml").exists());
    let (code, command) = (way.code(), way.command());
    let place = program.display().to_string();
    if args.json {
        json(&serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"), "program": place, "installed": code, "command": command,
        }));
        return Ok(0);
    }
    let language = language();
    let version = env!("CARGO_PKG_VERSION");
    out(&language.say(&format!("update.{code}"), &[("version", version), ("program", &place)]));
    command.iter().for_each(|it| exact(&format!("  {it}")));
    Ok(0)
}

/// What is known from the place of the program, and from cargo's list of what it has installed.
fn way(program: &Path, cargo_home: Option<&Path>, installed: &str, is_source: impl Fn(&Path) -> bool) -> Way {
    if let Some(folder) = program.ancestors().find(|it| it.ends_with("target")).and_then(Path::parent)
        && is_source(folder)
    {
        return Way::Built(folder.to_path_buf());
    }
    if cargo_home.is_none_or(|it| program.parent() != Some(&it.join("bin"))) {
        return Way::Unknown;
    }
    // A line of the list: `"ox 0.1.0 (path+file:///home/me/ox/crates/ox)" = ["ox"]`.
    let source = installed.lines().find_map(|it| it.trim().strip_prefix("\"ox ")?.split_once('(')?.1.split_once(')'));
    match source.map(|(it, _)| it) {
        Some(it) if it.starts_with("registry+") || it.starts_with("sparse+") => Way::Registry,
        Some(it) => match (it.strip_prefix("path+file://"), it.strip_prefix("git+")) {
            (Some(path), _) => Way::Sources(path.to_owned()),
            (_, Some(url)) => Way::Repository(url.split(['#', '?']).next().unwrap_or(url).to_owned()),
            _ => Way::Unknown,
        },
        None => Way::Unknown,
    }
}

impl Way {
    fn code(&self) -> &'static str {
        match self {
            Way::Built(_) => "built",
            Way::Sources(_) | Way::Repository(_) | Way::Registry => "cargo",
            Way::Unknown => "unknown",
        }
    }

    /// What to type.
    fn command(&self) -> Option<String> {
        let quoted = |it: &str| shlex::try_quote(it).map_or_else(|_| it.to_owned(), |it| it.into_owned());
        match self {
            Way::Built(folder) => {
                Some(format!("cd {} && git pull && cargo build --release", quoted(&folder.to_string_lossy())))
            }
            Way::Sources(path) => Some(format!("cd {} && git pull && cargo install --path .", quoted(path))),
            Way::Repository(url) => Some(format!("cargo install --git {} ox", quoted(url))),
            Way::Registry => Some("cargo install ox".to_owned()),
            Way::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_is_known_from_place_and_list() {
        let home = Path::new("/home/me/.cargo");
        let there = Path::new("/home/me/.cargo/bin/ox");
        let list =
            |source: &str| format!("[v1]\n\"oxide 1.0.0 (git+x)\" = [\"o\"]\n\"ox 0.1.0 ({source})\" = [\"ox\"]\n");
        let cases = [
            ("path+file:///src/my ox", Some("cd '/src/my ox' && git pull && cargo install --path .")),
            ("git+https://example.com/ox?branch=main#abc", Some("cargo install --git https://example.com/ox ox")),
            ("registry+https://example.com/index", Some("cargo install ox")),
            ("else", None),
        ];
        for (source, command) in cases {
            assert_eq!(way(there, Some(home), &list(source), |_| false).command().as_deref(), command, "{source}");
        }
        assert_eq!(way(Path::new("/usr/bin/ox"), Some(home), &list("registry+x"), |_| false), Way::Unknown);
        let built = way(Path::new("/src/ox/target/release/ox"), Some(home), "", |it| it == Path::new("/src/ox"));
        assert_eq!(built.command().as_deref(), Some("cd /src/ox && git pull && cargo build --release"));
        assert_eq!(way(Path::new("/src/ox/target/release/ox"), Some(home), "", |_| false), Way::Unknown);
    }
}
