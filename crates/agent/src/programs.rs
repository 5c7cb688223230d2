//! The programs that commands find, asked beside whatever comes before the first request.

mod environment;

use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_repo::Hash;
use tokio::task::JoinHandle;

pub use environment::{Environment, Interpreter, environment};

use crate::SessionEnv;

/// How long a turn waits for the answer: once, for it is kept until a program changes. A first request has 30 ms.
const PATIENCE: Duration = Duration::from_millis(4);
/// The same in a project that is new and no small one: the turn has waited for its index.
const FIRST_PATIENCE: Duration = Duration::from_secs(1);

/// What is known of the programs that commands find in this project.
pub(crate) enum Programs {
    /// Asked for, and to be kept in this file.
    Asked(JoinHandle<Environment>, PathBuf),
    Known(String),
}

impl Programs {
    /// Asks, in the sandbox; nothing where there are none.
    pub(crate) fn ask(env: &SessionEnv, state: &Path) -> Programs {
        if !env.tools.runner.isolated() {
            return Programs::Known(String::new());
        }
        let (runner, sandbox_policy, root) =
            (env.tools.runner.clone(), env.tools.sandbox_policy.clone(), env.tree.root().to_owned());
        let kept = state.join("environment").join(Hash::of(root.as_os_str().as_encoded_bytes()).to_string());
        let place = root.clone();
        let asked = tokio::spawn(async move { environment(&*runner, &sandbox_policy, &place, Some(&kept)).await });
        Programs::Asked(asked, root)
    }

    /// Lines for the model: without versions where those were not found out in time. `is_first` says that the project is new.
    pub(crate) async fn words(&mut self, is_first: bool) -> String {
        let patience = if is_first { FIRST_PATIENCE } else { PATIENCE };
        if let Programs::Asked(asked, _) = self
            && let Ok(found) = tokio::time::timeout(patience, asked).await
        {
            *self = Programs::Known(found.unwrap_or_default().words());
        }
        match self {
            Programs::Asked(_, root) => Environment::seen(root).words(),
            Programs::Known(words) => words.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_answer_is_for_the_next_turn() {
        let (tell, reported) = tokio::sync::oneshot::channel();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(".venv/bin")).unwrap();
        ["setup.py", ".venv/bin/python"].iter().for_each(|it| std::fs::write(folder.path().join(it), "").unwrap());
        let asked = tokio::spawn(async { reported.await.unwrap() });
        let mut programs = Programs::Asked(asked, folder.path().to_owned());
        let seen = programs.words(false).await;
        assert!(seen.contains(".venv/bin/python (.venv/bin/python)"), "{seen}");
        let python = Interpreter { name: "python".into(), version: "Python 3.1".into(), path: "/p".into() };
        tell.send(Environment { interpreters: vec![python], ..Environment::default() }).unwrap();
        for _ in 0..2 {
            assert_eq!(programs.words(true).await, "Programs that commands find: python 3.1 (/p).");
        }
    }
}
