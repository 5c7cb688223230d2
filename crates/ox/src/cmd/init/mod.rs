//! `ox init`: prepares a project: a page of instructions and a configuration to fill in, from what the project says
//! about itself.
//!
//! A model writes the page from what it reads, where there is one. Nothing is overwritten before the difference was shown and
//! approved.

mod page;

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use ox_app::Project;
use ox_config::{KEYS, Kind, ProjectRule, project_file};
use ox_protocol::locale::Language;
use ox_protocol::{Check, Problem};

use crate::cmd::shared::TurnArgs;
use page::say;

/// What a file in the root says about the project.
const TYPES: [(&str, &str); 12] = [
    ("Cargo.toml", "Rust"),
    ("tsconfig.json", "TypeScript"),
    ("package.json", "JavaScript"),
    ("pyproject.toml", "Python"),
    ("setup.py", "Python"),
    ("go.mod", "Go"),
    ("pom.xml", "Java"),
    ("build.gradle", "Java"),
    ("build.gradle.kts", "Kotlin"),
    ("CMakeLists.txt", "C++"),
    ("Gemfile", "Ruby"),
    ("composer.json", "PHP"),
];

/// Arguments of `ox init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Ask no model: fill in what the project's files say, and leave the rest to you.
    #[arg(long)]
    no_model: bool,
    /// Replace an existing AGENTS.md without asking.
    #[arg(long, conflicts_with = "no_model")]
    yes: bool,
    #[command(flatten)]
    turn: TurnArgs,
}

/// Prepares the project and says what it did.
pub fn run(args: InitArgs) -> anyhow::Result<u8> {
    let project = args.turn.open(false)?;
    let there = project.instructions();
    if !args.no_model && project.main_model().is_ok() {
        let path = there.unwrap_or_else(|| project.new_instructions());
        let code = page::write(&project, &args.turn, &path, args.yes)?;
        if code == 0 {
            configure(&project)?;
        }
        return Ok(code);
    }
    if !args.no_model {
        super::print::err(&project.settings.language.say("init.no_model", &[]));
    }
    from_files(&project, there)
}

/// Writes the configuration, where there is none. True where it did.
fn configure(project: &Project) -> anyhow::Result<bool> {
    made(&project_file(&project.root), &configuration(&project.checks()?, project.settings.language), project)
}

/// Writes a file that does not exist yet, and says so.
fn made(path: &Path, text: &str, project: &Project) -> anyhow::Result<bool> {
    let made = create(path, text)
        .map_err(|error| Problem::new("init.failed").with("path", path.display()).with("why", error))?;
    say(if made { "init.made" } else { "init.kept" }, path, project.settings.language);
    Ok(made)
}

/// Writes what the project's files say.
fn from_files(project: &Project, there: Option<PathBuf>) -> anyhow::Result<u8> {
    let (root, language) = (project.root.as_path(), project.settings.language);
    let checks = project.checks()?;
    let mut any = false;
    match there {
        Some(there) => say("init.kept", &there, language),
        None => any = made(&project.new_instructions(), &instructions(root, &checks, language), project)?,
    }
    any |= configure(project)?;
    if any {
        super::print::err(&language.say("init.next", &[]));
    }
    Ok(0)
}

/// Writes a file that does not exist yet; false when it does.
fn create(path: &Path, text: &str) -> std::io::Result<bool> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// A page of instructions with what is known filled in and the rest asked for.
fn instructions(root: &Path, checks: &[Check], language: Language) -> String {
    let name = root.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let mut types: Vec<&str> = TYPES.iter().filter(|(file, _)| root.join(file).is_file()).map(|(_, it)| *it).collect();
    if types.contains(&"TypeScript") {
        types.retain(|it| *it != "JavaScript");
    }
    types.dedup();
    let kind = match types.is_empty() {
        true => String::new(),
        false => language.say("init.page.type", &[("types", &types.join(", "))]) + "\n",
    };
    let commands: String = match checks.is_empty() {
        true => format!("<!-- {} -->\n", language.say("init.page.no_checks", &[])),
        false => checks.iter().map(|it| format!("- {}: `{}`\n", it.name, it.command)).collect(),
    };
    let part =
        |title: &str, hint: &str| format!("\n## {}\n<!-- {} -->\n", language.say(title, &[]), language.say(hint, &[]));
    format!(
        "# {name}\n\n<!-- {} -->\n{kind}\n## {}\n{commands}{}{}",
        language.say("init.page.about", &[]),
        language.say("init.page.checks", &[]),
        part("init.page.style", "init.page.style_hint"),
        part("init.page.care", "init.page.care_hint"),
    )
}

/// A configuration in which every line is a comment: each key that a project may set, with its meaning.
fn configuration(checks: &[Check], language: Language) -> String {
    let mut text = format!("# {}\n", language.say("init.config.head", &[]));
    let single = KEYS.iter().filter(|it| !it.is_pattern() && it.kind.needs().is_empty());
    for key in single.filter(|it| !matches!(it.project, ProjectRule::Never(_))) {
        let example = match key.kind {
            Kind::Globs => "[\"src/**\"]".to_string(),
            Kind::Documents => "[\"docs\"]".to_string(),
            Kind::Rules => "[\"run_command(git push*)\"]".to_string(),
            Kind::Amount => "1.0".to_string(),
            Kind::Time => "\"10m\"".to_string(),
            Kind::Count(_) if key.name == "context.tokens" => "1200".to_string(),
            Kind::Count(_) if key.default.is_empty() => "500000".to_string(),
            Kind::Count(_) => key.default.to_string(),
            _ => format!("\"{}\"", key.default),
        };
        let meaning = language.say(&format!("config.key.{}", key.name), &[]);
        text += &format!("\n# {meaning}\n# {} = {example}\n", key.name);
    }
    text += &format!("\n# {}\n", language.say("config.key.checks", &[]));
    for check in checks {
        let command = toml_text(&check.command);
        let kind = serde_json::to_value(check.kind).unwrap_or_default();
        text += &format!("# [[checks]]\n# command = {command}\n# kind = {kind}\n");
    }
    let hook = "# [[hooks]]\n# at = \"before_tool\"\n# tools = [\"run_command\"]\n# command = \"sh .ox/guard.sh\"\n";
    if checks.is_empty() {
        text += "# [[checks]]\n# command = \"make test\"\n# kind = \"test\"\n";
    }
    let fixer = "# [[fixers]]\n# command = \"npx prettier --write {files}\"\n# files = [\"*.ts\"]\n";
    text += &format!("\n# {}\n{fixer}", language.say("config.key.fixers", &[]));
    text + &format!("\n# {}\n{hook}", language.say("config.key.hooks", &[]))
}

/// A text as TOML writes it. JSON's escapes are a part of TOML's.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use ox_protocol::CheckKind;

    use super::*;

    fn check() -> Check {
        Check::new("test", CheckKind::Test, "cargo test -- \"a b\"", 1, "Cargo.toml")
    }

    #[test]
    fn the_configuration_loads_as_it_is_and_with_every_line_in_force() {
        for language in [Language::En, Language::Zh] {
            for checks in [vec![], vec![check()]] {
                let project = tempfile::tempdir().unwrap();
                let home = project.path().join("home").display().to_string();
                let env = |name: &str| (name == "OX_HOME").then(|| home.clone());
                let text = configuration(&checks, language);
                let file = project_file(project.path());
                assert!(create(&file, &text).unwrap());
                let untouched =
                    ox_config::load(project.path(), ox_config::ProjectConfig::Use, ox_config::Flags::default(), &env)
                        .map_err(|it| it.code);
                assert!(untouched.is_ok_and(|it| it.origins.is_empty()));
                let uncommented = |line: &str| {
                    let body = line.strip_prefix("# ").unwrap_or(line);
                    let name = body.split_once(" = ").map(|(name, _)| name);
                    let is_code = body.starts_with("[[") || name.is_some_and(|it| !it.contains(' '));
                    if is_code { body.to_string() } else { line.to_string() }
                };
                let forced: Vec<String> = text.lines().map(uncommented).collect();
                fs::write(&file, forced.join("\n")).unwrap();
                let settings =
                    ox_config::load(project.path(), ox_config::ProjectConfig::Use, ox_config::Flags::default(), &env)
                        .map_err(|it| language.problem(&it));
                let settings = settings.map_err(|it| format!("{it}\n{text}")).unwrap();
                assert_eq!((settings.checks.map(|it| it.len()), settings.hooks.len()), (Some(1), 1));
                assert!(settings.origins.len() > 10);
            }
        }
    }

    #[test]
    fn the_page_names_what_is_known() {
        let project = tempfile::tempdir().unwrap();
        for file in ["package.json", "tsconfig.json", "Cargo.toml"] {
            fs::write(project.path().join(file), "").unwrap();
        }
        let page = instructions(project.path(), &[check()], Language::En);
        let page = page.split_once('\n').unwrap().1;
        expect_test::expect![[r#"

            <!-- What this project is, in one or two sentences. -->
            Written in Rust, TypeScript.

            ## Checks
            - test: `cargo test -- "a b"`

            ## Style
            <!-- How new code should look here, above all what is not obvious from the code around it. -->

            ## Be careful
            <!-- What must not be changed, and what has surprised people before. -->
        "#]]
        .assert_eq(page);
    }

    #[test]
    fn a_file_that_is_there_is_kept() {
        let project = tempfile::tempdir().unwrap();
        let file = project.path().join("a/b");
        assert!(create(&file, "mine").unwrap());
        assert!(!create(&file, "yours").unwrap());
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }
}
