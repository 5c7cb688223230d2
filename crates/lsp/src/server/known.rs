//! The language servers that are known: one row each. A row says what to start and how; it starts nothing.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// One server.
pub(crate) struct Server {
    /// What it is called in answers.
    pub name: &'static str,
    /// The programs that are it, the best first.
    pub programs: &'static [&'static str],
    /// Their arguments.
    pub args: &'static [&'static str],
    /// File endings with the server's name for the language behind a colon; those that tell most of a project first.
    endings: &'static str,
    /// The command that installs it.
    pub install: &'static str,
    /// How it is known that it has seen the whole project.
    pub(crate) ready: Ready,
    /// True when it learns of changed files by being told; otherwise only of those that are opened for it.
    pub(crate) watches_files: bool,
    /// How it is asked what is wrong with a file.
    pub(crate) diagnostics: DiagnosticSource,
    /// Files of a project that decide which programs run. With one of them the server waits until the project is trusted.
    pub(crate) obeyed_files: &'static [&'static str],
    /// What the project with this root lacks, so that the server knows less of it than it might; none where it has all.
    pub(crate) missing_setup: fn(&Path) -> Option<MissingSetup>,
    /// What it is told at its start, or why it cannot be started.
    pub(crate) start_options: fn(&StartContext<'_>) -> Result<StartOptions, String>,
}

impl Server {
    /// What most of them share.
    const BASE: Server = Server {
        name: "",
        programs: &[],
        args: &[],
        endings: "",
        install: "",
        ready: Ready::Idle,
        watches_files: true,
        diagnostics: DiagnosticSource::Published,
        obeyed_files: &[],
        missing_setup: |_| None,
        start_options: |_| Ok(StartOptions::default()),
    };

    /// File endings with the server's name for the language.
    pub(crate) fn endings(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        self.endings.split(' ').filter_map(|it| it.split_once(':'))
    }
}

/// How it is known that a server has seen the whole project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ready {
    /// Nothing of what it announced is under way.
    Idle,
    /// It logs a line with this text.
    Logs(&'static str),
    /// It says so with `experimental/serverStatus`.
    Status,
    /// It has told what is wrong with the first file that was opened, and nothing that it announced is under way.
    Published,
}

/// How a server is asked what is wrong with a file, where it does not say that it answers `textDocument/diagnostic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiagnosticSource {
    /// It tells by itself after a file was opened or changed.
    Published,
    /// It answers all the same.
    Pulled,
    /// By a command that hands a request on to the compiler.
    Tsserver,
}

/// What a project lacks for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MissingSetup {
    /// In words, with what to do about it.
    pub words: &'static str,
    /// The server knows of no file but those that are open: what it says of the whole project is a part.
    pub partial: bool,
}

/// Where a server is started.
pub(crate) struct StartContext<'a> {
    pub root: &'a Path,
    /// Somebody trusted the project: programs that it brings may run.
    pub trusted: bool,
    /// The program, links followed.
    pub program: PathBuf,
    /// A folder of the server's own.
    pub temp: &'a Path,
}

/// What a server is told at its start.
#[derive(Default)]
pub(crate) struct StartOptions {
    pub options: Value,
    /// Settings by section.
    pub settings: Value,
    pub env: Vec<(&'static str, String)>,
}

/// All of them.
pub(crate) const SERVERS: &[Server] = &[
    Server {
        name: "rust-analyzer",
        programs: &["rust-analyzer"],
        endings: "rs:rust",
        install: "rustup component add rust-analyzer",
        ready: Ready::Status,
        obeyed_files: &["rust-toolchain", "rust-toolchain.toml", ".cargo/config", ".cargo/config.toml"],
        start_options: rust,
        ..Server::BASE
    },
    Server {
        name: "pyright",
        programs: &["pyright-langserver", "basedpyright-langserver"],
        args: &["--stdio"],
        endings: "py:python pyi:python",
        install: "npm install -g pyright",
        ready: Ready::Logs("source file"),
        diagnostics: DiagnosticSource::Pulled,
        start_options: python,
        ..Server::BASE
    },
    Server {
        name: "typescript-language-server",
        programs: &["typescript-language-server"],
        args: &["--stdio"],
        endings: "ts:typescript tsx:typescriptreact js:javascript jsx:javascriptreact mts:typescript cts:typescript mjs:javascript cjs:javascript",
        install: "npm install -g typescript-language-server typescript",
        watches_files: false,
        diagnostics: DiagnosticSource::Tsserver,
        missing_setup: packages_of_node,
        start_options: typescript,
        ..Server::BASE
    },
    Server {
        name: "gopls",
        programs: &["gopls"],
        endings: "go:go",
        install: "go install golang.org/x/tools/gopls@latest",
        start_options: go,
        ..Server::BASE
    },
    Server {
        name: "clangd",
        programs: &["clangd"],
        args: &["--background-index", "--log=error"],
        endings: "cpp:cpp cc:cpp cxx:cpp c:c hpp:cpp hh:cpp hxx:cpp h:cpp",
        install: "apt-get install clangd",
        ready: Ready::Published,
        watches_files: false,
        missing_setup: commands_of_c,
        start_options: c,
        ..Server::BASE
    },
];

/// The server for a file, and what it calls the language; none where none is known.
pub(crate) fn for_file(path: &str) -> Option<(&'static Server, &'static str)> {
    let ending = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
    SERVERS.iter().find_map(|row| {
        let (_, language) = row.endings().find(|(it, _)| *it == ending)?;
        Some((row, language))
    })
}

/// Nothing of the project is built or run: no build scripts, no procedural macros, no `cargo check`.
fn rust(at: &StartContext<'_>) -> Result<StartOptions, String> {
    let options = json!({
        "cargo": {"buildScripts": {"enable": false}},
        "procMacro": {"enable": false},
        "checkOnSave": false,
        "cachePriming": {"enable": false},
        "files": {"watcher": "client"},
    });
    let mut env = vec![
        ("CARGO_NET_OFFLINE", "true".to_string()),
        ("CARGO_TARGET_DIR", at.temp.join("target").display().to_string()),
    ];
    if !at.trusted {
        // A wrapper that the project's settings name would be run.
        env.extend(["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"].map(|it| (it, String::new())));
    }
    Ok(StartOptions { settings: json!({"rust-analyzer": options}), options, env })
}

/// An interpreter of the project is run only in a trusted one; otherwise its packages are only looked at.
fn python(at: &StartContext<'_>) -> Result<StartOptions, String> {
    let mut python = json!({"analysis": {"diagnosticMode": "openFilesOnly"}});
    for name in [".venv", "venv", "env"] {
        let folder = at.root.join(name);
        if !folder.join("pyvenv.cfg").is_file() {
            continue;
        }
        match at.trusted {
            true => python["pythonPath"] = json!(folder.join("bin/python")),
            false => python["analysis"]["extraPaths"] = json!(packages(&folder)),
        }
        break;
    }
    let env = vec![("PYTHONSAFEPATH", "1".to_string()), ("PYTHONDONTWRITEBYTECODE", "1".to_string())];
    Ok(StartOptions { settings: json!({"python": python}), env, ..StartOptions::default() })
}

fn packages(environment: &Path) -> Vec<PathBuf> {
    let versions = std::fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    versions.map(|it| it.path().join("site-packages")).filter(|it| it.is_dir()).collect()
}

/// The compiler is the project's own where that is trusted, else the one beside the server.
fn typescript(at: &StartContext<'_>) -> Result<StartOptions, String> {
    let compiler = |folder: &Path| {
        let file = folder.join("node_modules/typescript/lib/tsserver.js");
        file.is_file().then_some(file)
    };
    let own = compiler(at.root).filter(|_| at.trusted);
    let beside = || at.program.ancestors().filter(|it| !it.starts_with(at.root)).find_map(compiler);
    let Some(path) = own.or_else(beside) else {
        return Err(match compiler(at.root).is_some() {
            true => "the project's own typescript is used only when the project is trusted (`ox trust`), and there is no other one; `npm install -g typescript` installs one".into(),
            false => "it needs typescript, which is not installed; `npm install -g typescript` installs it".into(),
        });
    };
    let options = json!({
        "hostInfo": "ox",
        "disableAutomaticTypingAcquisition": true,
        // Else a name is exchanged in one file and imported there under both.
        "preferences": {"providePrefixAndSuffixTextForRename": false},
        // The server that knows syntax alone answers at once, and wrongly.
        "tsserver": {"path": path, "useSyntaxServer": "never"},
    });
    Ok(StartOptions { options, ..StartOptions::default() })
}

/// Nothing is fetched, no other toolchain is taken, and no compiler of C runs with a foreign project's flags.
fn go(at: &StartContext<'_>) -> Result<StartOptions, String> {
    let fixed = [("GOTOOLCHAIN", "local"), ("GOFLAGS", "-mod=readonly"), ("GOTELEMETRY", "off")];
    let mut env: Vec<_> = fixed.map(|(name, value)| (name, value.to_string())).to_vec();
    if !at.trusted {
        env.push(("CGO_ENABLED", "0".into()));
    }
    Ok(StartOptions { env, ..StartOptions::default() })
}

/// Without the compiler's command lines every file is a program of its own.
fn commands_of_c(root: &Path) -> Option<MissingSetup> {
    let places = ["compile_commands.json", "build/compile_commands.json", "compile_flags.txt", ".clangd"];
    let words = "there is no compile_commands.json, so clangd guesses how files are compiled and knows only the files it has seen: headers may not be found, and uses elsewhere are missing. `cmake -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON` or `bear -- make` writes one";
    let none = !places.iter().any(|it| root.join(it).is_file());
    none.then_some(MissingSetup { words, partial: true })
}

/// Without installed packages whatever is imported from them is unknown.
fn packages_of_node(root: &Path) -> Option<MissingSetup> {
    let text = std::fs::read_to_string(root.join("package.json")).ok()?;
    let value: Value = serde_json::from_str(&text).ok()?;
    let some = |key: &str| value[key].as_object().is_some_and(|it| !it.is_empty());
    let missing = (some("dependencies") || some("devDependencies")) && !root.join("node_modules").is_dir();
    let words = "node_modules is missing, so what is imported from packages is unknown; the project's package manager installs it";
    missing.then_some(MissingSetup { words, partial: false })
}

fn c(at: &StartContext<'_>) -> Result<StartOptions, String> {
    let cache = at.temp.join("cache").display().to_string();
    Ok(StartOptions { env: vec![("XDG_CACHE_HOME", cache)], ..StartOptions::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_server() {
        let name = |path| for_file(path).map(|(row, language)| format!("{} {language}", row.name));
        assert_eq!(name("src/a.rs").as_deref(), Some("rust-analyzer rust"));
        assert_eq!(name("A.PY").as_deref(), Some("pyright python"));
        assert_eq!(name("a.tsx").as_deref(), Some("typescript-language-server typescriptreact"));
        assert_eq!([name("README"), name("a.txt"), name(".py")], [None, None, None]);
        let mut endings: Vec<&str> = SERVERS.iter().flat_map(Server::endings).map(|it| it.0).collect();
        let all = endings.len();
        endings.sort_unstable();
        endings.dedup();
        assert_eq!(endings.len(), all, "an ending stands in two rows");
    }

    #[test]
    fn what_a_project_lacks_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |path: &str, text: &str| {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), text).unwrap();
        };
        assert!(commands_of_c(root).is_some_and(|it| it.partial));
        write("build/compile_commands.json", "[]");
        assert_eq!(commands_of_c(root), None);
        assert_eq!(packages_of_node(root), None);
        write("package.json", "{\"devDependencies\": {}}");
        assert_eq!(packages_of_node(root), None);
        write("package.json", "{\"devDependencies\": {\"vitest\": \"*\"}}");
        assert!(packages_of_node(root).is_some_and(|it| !it.partial));
        write("node_modules/vitest/index.js", "");
        assert_eq!(packages_of_node(root), None);
    }

    #[test]
    fn what_a_project_brings_is_used_only_when_it_is_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let compiler = write("app/node_modules/typescript/lib/tsserver.js");
        write("app/.venv/pyvenv.cfg");
        write("app/.venv/lib/python3.12/site-packages/x.py");
        let program = write("tools/node_modules/typescript-language-server/lib/cli.mjs");
        let (root, temp) = (folder.path().join("app"), folder.path().join("temp"));
        let place = |trusted| StartContext { root: &root, trusted, program: program.clone(), temp: &temp };
        let path = |it: StartOptions| it.options["tsserver"]["path"].as_str().map(PathBuf::from);
        assert_eq!(path(typescript(&place(true)).unwrap()), Some(compiler));
        assert!(typescript(&place(false)).err().unwrap().contains("ox trust"));
        let beside = write("tools/node_modules/typescript/lib/tsserver.js");
        assert_eq!(path(typescript(&place(false)).unwrap()), Some(beside));
        let python = |trusted| python(&place(trusted)).unwrap().settings["python"].clone();
        assert_eq!(python(true)["pythonPath"], json!(root.join(".venv/bin/python")));
        assert_eq!(python(false).get("pythonPath"), None);
        let packages = root.join(".venv/lib/python3.12/site-packages");
        assert_eq!(python(false)["analysis"]["extraPaths"], json!([packages]));
        let set = |trusted| rust(&place(trusted)).unwrap().env.iter().any(|it| it.0 == "RUSTC_WRAPPER");
        assert_eq!([set(false), set(true)], [true, false]);
    }
}
