//! What keeps the user's machine and work safe here: the sandbox around commands, the checkpoints, trust, and the places
//! that programs come from.

use std::path::Path;

use ox_agent::programs;
use ox_config::Paths;
use ox_config::trust::{FolderTrust, TrustState};
use ox_protocol::Problem;
use ox_repo::{Checkpoints, Tree};
use ox_sandbox::Guarantee;

use super::finding::{Finding, Grade, finding};
use crate::project::sandbox::risky_folders;
use crate::project::{Project, wait};

/// The sandbox around commands, found by trying them. Without any, commands are asked about one by one.
pub(super) fn sandbox(project: &Project) -> Vec<Finding> {
    let isolation = match project.sandbox() {
        Ok(sandbox) => sandbox.describe(),
        Err(problem) => return vec![finding("sandbox", Grade::Fault, problem)],
    };
    if let Some(why) = isolation.missing {
        return vec![finding("sandbox", Grade::Warning, Problem::new("doctor.sandbox_none").with("why", why))];
    }
    let kept = isolation.holds.iter().filter(|it| it.holds).map(|it| it.what).collect::<Vec<&str>>().join(", ");
    let words = Problem::new("doctor.sandbox").with("backend", isolation.backend).with("kept", kept);
    let one = |it: &Guarantee| finding("promise", if it.holds { Grade::Good } else { Grade::Note }, it.why.clone());
    std::iter::once(finding("sandbox", Grade::Good, words)).chain(isolation.holds.iter().map(one)).collect()
}

/// The programs that commands find, and what of the user's own environment they do not see.
pub(super) fn environment(project: &Project) -> Vec<Finding> {
    let Ok(sandbox) = project.sandbox() else { return Vec::new() };
    let sandbox_policy = project.sandbox_policy();
    let Ok(found) = wait(programs::environment(&sandbox, &sandbox_policy, &project.root, None)) else {
        return Vec::new();
    };
    let one = |it: &programs::Interpreter| format!("{} {} ({})", it.name, it.version, it.path);
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
pub(super) fn trust(look: &FolderTrust) -> Finding {
    let (grade, code) = match look.state {
        _ if look.items.is_empty() && look.broken.is_none() => (Grade::Good, "doctor.trust_nothing"),
        TrustState::Trusted => (Grade::Good, "doctor.trust"),
        TrustState::Unknown | TrustState::Changed | TrustState::Refused => (Grade::Note, "doctor.trust_not"),
    };
    finding("trust", grade, Problem::new(code))
}

/// The language servers that could be started here.
pub(super) fn servers(root: &Path, look: &FolderTrust) -> Finding {
    let all = ox_lsp::installed(root, look.state == TrustState::Trusted);
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
    let risky = risky_folders(std::env::split_paths(&path), root);
    let shown = risky.iter().map(|it| format!("`{}`", it.display())).collect::<Vec<String>>().join(", ");
    let words = Problem::new("doctor.path").with("folders", shown);
    (!risky.is_empty()).then(|| finding("path", Grade::Warning, words))
}
