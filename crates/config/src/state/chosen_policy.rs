//! When the user wants to be asked in one project, chosen once for it: kept among the user's own files, by the project's root.

use std::path::{Path, PathBuf};

use ox_protocol::{ApprovalPolicy, Problem};

use super::project_state::ProjectState;

const PAGE: &str = "approval";

/// The file of a project's choice; it need not exist.
pub fn file(state: &Path, root: &Path) -> PathBuf {
    ProjectState::of(state, root).file(PAGE)
}

/// What was chosen for the project at `root`; none where nothing was.
pub fn load(state: &Path, root: &Path) -> Result<Option<ApprovalPolicy>, Problem> {
    Ok(ProjectState::of(state, root).read::<Option<ApprovalPolicy>>(PAGE)?.flatten())
}

/// Keeps the choice; none forgets it.
pub fn keep(state: &Path, root: &Path, policy: Option<ApprovalPolicy>) -> Result<(), Problem> {
    if policy.is_none() && !file(state, root).exists() {
        return Ok(());
    }
    ProjectState::of(state, root).change(PAGE, |kept: &mut Option<ApprovalPolicy>| *kept = policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_holds_in_its_project_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let (state, a, b) = (folder.path().join("state"), folder.path().join("a"), folder.path().join("b"));
        [&a, &b].iter().for_each(|it| std::fs::create_dir(it).unwrap());
        assert_eq!((keep(&state, &a, None), load(&state, &a)), (Ok(()), Ok(None)));
        keep(&state, &a, Some(ApprovalPolicy::Auto)).unwrap();
        assert_eq!((load(&state, &a), load(&state, &b)), (Ok(Some(ApprovalPolicy::Auto)), Ok(None)));
        keep(&state, &a, None).unwrap();
        assert_eq!(load(&state, &a), Ok(None));
    }
}
