//! What keeps the user's machine and work safe here: the walls around commands, the checkpoints, trust, and the places
//! that programs come from.

use std::path::{Path, PathBuf};

use ox_agent::config::{Paths, Settings};
use ox_agent::trust::{Look, Standing};
use ox_protocol::Problem;
use ox_repo::{Checkpoints, Tree};
use ox_sandbox::{Backend, Held};

use super::{Finding, Grade, finding};
use crate::wire;

/// The walls around commands, found by trying them. Without any, commands are asked about one by one.
pub(super) fn walls(settings: &Settings) -> Vec<Finding> {
    let isolation = match wire::sandbox(settings) {
        Ok(sandbox) => sandbox.describe(),
        Err(problem) => return vec![finding("sandbox", Grade::Fault, problem)],
    };
    if isolation.backend == Backend::None {
        let why = isolation.holds.iter().map(|it| it.why.clone()).collect::<Vec<String>>().join("; ");
        return vec![finding("sandbox", Grade::Warning, Problem::new("doctor.sandbox_none").with("why", why))];
    }
    let kept = isolation.holds.iter().filter(|it| it.holds).map(|it| it.what).collect::<Vec<&str>>().join(", ");
    let words = Problem::new("doctor.sandbox").with("backend", isolation.backend).with("kept", kept);
    let one = |it: &Held| {
        let (grade, code) = match it.holds {
            true => (Grade::Good, "doctor.promise_kept"),
            false => (Grade::Note, "doctor.promise_broken"),
        };
        finding("promise", grade, Problem::new(code).with("what", it.what).with("why", &it.why))
    };
    std::iter::once(finding("sandbox", Grade::Good, words)).chain(isolation.holds.iter().map(one)).collect()
}

/// The programs that commands find, and what of the user's own environment they do not see.
pub(super) fn environment(root: &Path, settings: &Settings, paths: &Paths) -> Vec<Finding> {
    let (Ok(sandbox), Ok(runtime)) = (wire::sandbox(settings), wire::runtime()) else { return Vec::new() };
    let walls = wire::walls(root, settings, paths);
    let found = runtime.block_on(ox_tools::environment(&sandbox, &walls, root, None));
    let one = |it: &ox_tools::Interpreter| format!("{} {} ({})", it.name, it.version, it.path);
    let programs = found.interpreters.iter().map(one).collect::<Vec<String>>().join(", ");
    let programs = (!programs.is_empty())
        .then(|| finding("programs", Grade::Good, Problem::new("doctor.programs").with("programs", programs)));
    let hidden = found.hidden.iter().map(|it| {
        finding("hidden", Grade::Warning, Problem::new("doctor.hidden").with("what", &it.what).with("why", &it.why))
    });
    programs.into_iter().chain(hidden).collect()
}

/// The store of checkpoints of this project. Looking makes none.
pub(super) fn checkpoints(paths: &Paths, root: &Path) -> Finding {
    let looked = Tree::open(root, &[]).and_then(|tree| Checkpoints::open(&paths.state_dir, &tree)?.list());
    match looked {
        Err(error) => {
            finding("checkpoints", Grade::Fault, Problem::new("doctor.checkpoints_broken").with("why", error))
        }
        Ok(all) => {
            let left_out = all.last().map_or(0, |it| it.skips);
            let words = Problem::new("doctor.checkpoints").with("count", all.len()).with("left_out", left_out);
            finding("checkpoints", Grade::Good, words)
        }
    }
}

/// Whether the project's own settings count.
pub(super) fn trust(look: &Look) -> Finding {
    let (grade, code) = match look.standing {
        _ if look.things.is_empty() && look.broken.is_none() => (Grade::Good, "doctor.trust_nothing"),
        Standing::Trusted => (Grade::Good, "doctor.trust"),
        Standing::Unknown | Standing::Changed | Standing::Refused => (Grade::Note, "doctor.trust_not"),
    };
    finding("trust", grade, Problem::new(code))
}

/// The language servers that could be started here.
pub(super) fn servers(root: &Path, look: &Look) -> Finding {
    let all = ox_tools::installed(root, look.standing == Standing::Trusted);
    let names = |there: bool| {
        let some = all.iter().filter(|it| it.1.is_none() == there);
        let names: Vec<&str> = some.map(|it| it.0).collect();
        if names.is_empty() { "–".to_owned() } else { names.join(", ") }
    };
    let words = Problem::new("doctor.servers").with("there", names(true)).with("missing", names(false));
    finding("language servers", Grade::Note, words)
}

/// Folders of the search path from which a project could put its own programs in place of the system's: relative ones,
/// and those inside the project.
pub(super) fn search_path(root: &Path) -> Option<Finding> {
    let path = std::env::var_os("PATH")?;
    let risky = risky(std::env::split_paths(&path), root);
    let shown = risky.iter().map(|it| format!("`{}`", it.display())).collect::<Vec<String>>().join(", ");
    let words = Problem::new("doctor.path").with("folders", shown);
    (!risky.is_empty()).then(|| finding("path", Grade::Warning, words))
}

/// The search path without the folders from which a project could slip in its own programs; for what Ox itself starts
/// outside the walls.
pub(in crate::cmd) fn own_path(root: &Path) -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let risky = risky(std::env::split_paths(&path), root);
    let safe = std::env::split_paths(&path).filter(|it| !risky.contains(it));
    std::env::join_paths(safe).unwrap_or_default().to_string_lossy().into_owned()
}

fn risky(folders: impl Iterator<Item = PathBuf>, root: &Path) -> Vec<PathBuf> {
    let real = |it: &Path| it.canonicalize().unwrap_or_else(|_| it.to_path_buf());
    let root = real(root);
    folders.filter(|it| !it.is_absolute() || real(it).starts_with(&root)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_a_project_could_fill_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("bin");
        std::fs::create_dir(&inside).unwrap();
        let all = ["/usr/bin", "", ".", "node_modules/.bin"].map(PathBuf::from).into_iter().chain([inside.clone()]);
        let found = risky(all, folder.path());
        assert_eq!(found, [PathBuf::new(), ".".into(), "node_modules/.bin".into(), inside]);
    }
}
