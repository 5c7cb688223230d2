//! `ox update`: how this copy of Ox was installed, and the command that brings a newer one. It changes nothing itself.
//!
//! npm, Homebrew and Nix are known from the place of the program, cargo from its own list. What puts Ox under a prefix that others
//! use too leaves a word there: `share/ox/installed-by`.

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
    /// By this program or kind of package, which this command updates.
    Package(&'static str, String),
    /// With the image of a container.
    Container,
    /// By something else.
    Unknown,
}

/// What the answer rests on beside the place of the program.
struct Facts<'a> {
    home: Option<&'a Path>,
    cargo_home: Option<&'a Path>,
    /// The text of a file, where there is one.
    read: &'a dyn Fn(&Path) -> Option<String>,
}

/// The name of the package on npm, PyPI and in Debian.
const PACKAGE: &str = "ox-agent";
const RELEASE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases/latest/download");

/// Says how to update.
pub fn run(args: UpdateArgs) -> anyhow::Result<u8> {
    if !args.words.is_empty() {
        return Err(Problem::new("usage.unquoted_task").with("task", args.words.join(" ")).into());
    }
    let program = std::env::current_exe().and_then(|it| it.canonicalize());
    let program = program.map_err(|why| Problem::new("update.unknown_place").with("why", why))?;
    let home = env("HOME").map(PathBuf::from);
    let cargo_home = env("CARGO_HOME").map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(".cargo")));
    let read = |it: &Path| std::fs::read_to_string(it).ok();
    let way = way(&program, &Facts { home: home.as_deref(), cargo_home: cargo_home.as_deref(), read: &read });
    let (code, command) = (way.code(), way.command());
    let place = program.display().to_string();
    if args.json {
        json(&serde_json::json!({
            "version": env!("CARGO_PKG_VERSION"), "program": place, "installed": code, "command": command,
        }));
        return Ok(0);
    }
    let language = language();
    let sentence = if matches!(way, Way::Package(..)) { "update.package".to_owned() } else { format!("update.{code}") };
    out(&language.say(&sentence, &[("version", env!("CARGO_PKG_VERSION")), ("way", code), ("program", &place)]));
    command.iter().for_each(|it| exact(&format!("  {it}")));
    Ok(0)
}

/// Packaged, built, or installed by cargo: the first that there is a sign of.
fn way(program: &Path, facts: &Facts) -> Way {
    let way = packaged(program, facts).or_else(|| built(program, facts)).or_else(|| by_cargo(program, facts));
    way.unwrap_or(Way::Unknown)
}

/// In the `target` folder of the sources.
fn built(program: &Path, facts: &Facts) -> Option<Way> {
    let folder = program.ancestors().find(|it| it.ends_with("target"))?.parent()?;
    (facts.read)(&folder.join("crates/ox/Cargo.toml")).map(|_| Way::Built(folder.to_path_buf()))
}

/// The kinds of packages, and the installers.
fn packaged(program: &Path, facts: &Facts) -> Option<Way> {
    let has = |name: &str| program.components().any(|it| it.as_os_str() == name);
    let package = |name, command: String| Some(Way::Package(name, command));
    if has("node_modules") {
        return package("npm", node(program, facts)?);
    }
    if program.starts_with("/nix/store") {
        return package("nix", "nix profile upgrade ox".to_owned());
    }
    let mut after_cellar = program.components().skip_while(|it| it.as_os_str() != "Cellar").skip(1);
    if let Some(formula) = after_cellar.next() {
        return package("brew", format!("brew upgrade {}", quoted(formula.as_os_str())));
    }
    let prefix = program.parent()?.parent()?;
    match (facts.read)(&prefix.join("share/ox/installed-by"))?.trim() {
        "pip" if has("pipx") => package("pip", format!("pipx upgrade {PACKAGE}")),
        "pip" if has("uv") => package("pip", format!("uv tool upgrade {PACKAGE}")),
        "pip" => {
            let environment = (facts.read)(&prefix.join("pyvenv.cfg")).map(|_| prefix.join("bin/python"));
            let python = environment.unwrap_or_else(|| "python3".into());
            package("pip", format!("{} -m pip install --upgrade {PACKAGE}", quoted(&python)))
        }
        "deb" => {
            let processor = match std::env::consts::ARCH {
                "x86_64" => "amd64",
                "aarch64" => "arm64",
                other => other,
            };
            let file = format!("{PACKAGE}_{processor}.deb");
            package("deb", format!("curl -fLO {RELEASE}/{file} && sudo apt install ./{file}"))
        }
        "install.sh" => {
            let usual = facts.home.is_some_and(|it| it.join(".local") == prefix);
            let elsewhere = if usual { String::new() } else { format!("OX_PREFIX={} ", quoted(prefix)) };
            package("install.sh", format!("curl -fsSL {RELEASE}/install.sh | {elsewhere}sh"))
        }
        "install.ps1" => package("install.ps1", format!("irm {RELEASE}/install.ps1 | iex")),
        "container" => Some(Way::Container),
        _ => None,
    }
}

/// For what npm, pnpm or bun has installed: for everyone, in a project, or for one run.
fn node(program: &Path, facts: &Facts) -> Option<String> {
    let has = |name: &str| program.components().any(|it| it.as_os_str() == name);
    if has("_npx") {
        return Some(format!("npx {PACKAGE}@latest"));
    }
    let add = if has(".pnpm") {
        "pnpm add"
    } else if has(".bun") {
        "bun add"
    } else {
        "npm install"
    };
    let outermost = program.ancestors().filter(|it| it.ends_with("node_modules")).last()?.parent()?;
    // pnpm and bun keep what is for everyone in a project called `global`.
    let is_project = !has("global") && (facts.read)(&outermost.join("package.json")).is_some();
    Some(match is_project {
        true => format!("cd {} && {add} {PACKAGE}@latest", quoted(outermost)),
        false => format!("{add} --global {PACKAGE}@latest"),
    })
}

/// What cargo's list of installed programs says.
fn by_cargo(program: &Path, facts: &Facts) -> Option<Way> {
    let home = facts.cargo_home.filter(|it| program.parent() == Some(&it.join("bin")))?;
    // A line of the list: `"ox 0.1.0 (path+file:///home/me/ox/crates/ox)" = ["ox"]`.
    let installed = (facts.read)(&home.join(".crates.toml"))?;
    let source = installed.lines().find_map(|it| it.trim().strip_prefix("\"ox ")?.split_once('(')?.1.split_once(')'));
    let (source, _) = source?;
    if source.starts_with("registry+") || source.starts_with("sparse+") {
        return Some(Way::Registry);
    }
    match (source.strip_prefix("path+file://"), source.strip_prefix("git+")) {
        (Some(path), _) => Some(Way::Sources(path.to_owned())),
        (_, Some(url)) => Some(Way::Repository(url.split(['#', '?']).next().unwrap_or(url).to_owned())),
        _ => None,
    }
}

/// As a shell takes it.
fn quoted(it: impl AsRef<std::ffi::OsStr>) -> String {
    let text = it.as_ref().to_string_lossy();
    shlex::try_quote(&text).map_or_else(|_| text.to_string(), |it| it.into_owned())
}

impl Way {
    fn code(&self) -> &'static str {
        match self {
            Way::Built(_) => "built",
            Way::Sources(_) | Way::Repository(_) | Way::Registry => "cargo",
            Way::Package(name, _) => name,
            Way::Container => "container",
            Way::Unknown => "unknown",
        }
    }

    /// What to type.
    fn command(&self) -> Option<String> {
        match self {
            Way::Built(folder) => Some(format!("cd {} && git pull && cargo build --release", quoted(folder))),
            Way::Sources(path) => Some(format!("cd {} && git pull && cargo install --path .", quoted(path))),
            Way::Repository(url) => Some(format!("cargo install --git {} ox", quoted(url))),
            Way::Registry => Some("cargo install ox".to_owned()),
            Way::Package(_, command) => Some(command.clone()),
            Way::Container | Way::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The way of `program`, where these files are there.
    fn found(program: &str, files: &[(&str, &str)]) -> Way {
        let text = |it: &Path| files.iter().find(|(path, _)| Path::new(path) == it).map(|(_, text)| (*text).to_owned());
        let (home, cargo_home) = (Path::new("/home/me"), Path::new("/home/me/.cargo"));
        way(Path::new(program), &Facts { home: Some(home), cargo_home: Some(cargo_home), read: &text })
    }

    #[test]
    fn what_cargo_has_installed_is_in_its_list() {
        let cases = [
            ("path+file:///src/my ox", Some("cd '/src/my ox' && git pull && cargo install --path .")),
            ("git+https://example.com/ox?branch=main#abc", Some("cargo install --git https://example.com/ox ox")),
            ("registry+https://example.com/index", Some("cargo install ox")),
            ("else", None),
        ];
        for (source, command) in cases {
            let list = format!("[v1]\n\"oxide 1.0.0 (git+x)\" = [\"o\"]\n\"ox 0.1.0 ({source})\" = [\"ox\"]\n");
            let list = [("/home/me/.cargo/.crates.toml", list.as_str())];
            assert_eq!(found("/home/me/.cargo/bin/ox", &list).command().as_deref(), command, "{source}");
            assert_eq!(found("/usr/bin/ox", &list), Way::Unknown);
        }
    }

    #[test]
    fn what_was_built_lies_in_its_sources() {
        let built = found("/src/ox/target/release/ox", &[("/src/ox/crates/ox/Cargo.toml", "")]);
        assert_eq!(built.command().as_deref(), Some("cd /src/ox && git pull && cargo build --release"));
        assert_eq!(found("/src/ox/target/release/ox", &[]), Way::Unknown);
    }

    #[test]
    fn packages_are_known_from_their_place() {
        let project = [("/p/package.json", "{}"), ("/home/me/.bun/install/global/package.json", "{}")];
        let binary = "node_modules/@ox-agent/linux-x64/bin/ox";
        let cases = [
            ("npm", format!("/usr/lib/{binary}"), "npm install --global ox-agent@latest"),
            ("npm", format!("/usr/lib/node_modules/ox-agent/{binary}"), "npm install --global ox-agent@latest"),
            ("npm", format!("/p/{binary}"), "cd /p && npm install ox-agent@latest"),
            ("npm", format!("/home/me/.npm/_npx/12ab/{binary}"), "npx ox-agent@latest"),
            ("npm", format!("/p/node_modules/.pnpm/a@1/{binary}"), "cd /p && pnpm add ox-agent@latest"),
            ("npm", format!("/home/me/.bun/install/global/{binary}"), "bun add --global ox-agent@latest"),
            ("nix", "/nix/store/0abc-ox-agent-0.1.0/bin/ox".to_owned(), "nix profile upgrade ox"),
            ("brew", "/opt/homebrew/Cellar/ox-agent/0.1.0/bin/ox".to_owned(), "brew upgrade ox-agent"),
        ];
        for (code, program, command) in cases {
            let way = found(&program, &project);
            assert_eq!((way.code(), way.command().as_deref()), (code, Some(command)), "{program}");
        }
    }

    #[test]
    fn others_leave_a_word_under_the_prefix() {
        let release = "https://github.com/ox-agent/ox/releases/latest/download";
        let cases = [
            ("pip", "/v", "/v/bin/python -m pip install --upgrade ox-agent".to_owned()),
            ("pip", "/usr/local", "python3 -m pip install --upgrade ox-agent".to_owned()),
            ("pip", "/home/me/.local/share/pipx/venvs/ox-agent", "pipx upgrade ox-agent".to_owned()),
            ("pip", "/home/me/.local/share/uv/tools/ox-agent", "uv tool upgrade ox-agent".to_owned()),
            ("install.sh", "/home/me/.local", format!("curl -fsSL {release}/install.sh | sh")),
            ("install.sh", "/my apps", format!("curl -fsSL {release}/install.sh | OX_PREFIX='/my apps' sh")),
            ("install.ps1", "/c", format!("irm {release}/install.ps1 | iex")),
        ];
        for (word, prefix, command) in cases {
            let (line, by) = (format!("{word}\n"), format!("{prefix}/share/ox/installed-by"));
            let way = found(&format!("{prefix}/bin/ox"), &[(by.as_str(), &line), ("/v/pyvenv.cfg", "")]);
            assert_eq!((way.code(), way.command()), (word, Some(command)), "{prefix}");
        }
        let by = "/usr/share/ox/installed-by";
        let deb = found("/usr/bin/ox", &[(by, "deb\n")]).command().expect("there is one");
        assert!(
            deb.starts_with(&format!("curl -fLO {release}/ox-agent_")) && deb.contains(".deb && sudo apt"),
            "{deb}"
        );
        assert_eq!(found("/usr/bin/ox", &[(by, "container\n")]), Way::Container);
        assert_eq!(found("/usr/bin/ox", &[(by, "something\n")]), Way::Unknown);
        assert_eq!(found("/usr/local/bin/ox", &[(by, "deb\n")]), Way::Unknown);
    }
}
