//! Git, as `ox commit` and pull requests use it: the words come from `ox-repo`, the process from `ox-sandbox`.
//!
//! By default nothing of the repository runs: no hooks, no signing program. `--hooks` runs git as the user has set it up.
//! A token for a remote is in no argument, where others could see it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_githost::{HostKind, credentials};
use ox_protocol::{Exit, Problem, Runner};
use ox_sandbox::Plain;

use crate::project::sandbox::safe_path;
use crate::project::wait;

/// How long git may take when its hooks run too, when it writes a whole tree, or speaks to a remote.
pub(crate) const PATIENT: Duration = Duration::from_secs(600);
/// Settings of the hardened command line that `--hooks` leaves to the user.
const LEFT: [&str; 3] = ["core.hooksPath=/dev/null", "commit.gpgSign=false", "core.fsmonitor=false"];

/// A repository.
pub struct Git {
    root: PathBuf,
    hooks: bool,
    patient: bool,
    /// Variables for this git alone.
    env: Vec<(String, String)>,
}

/// What git said.
pub struct Said {
    /// True when it succeeded.
    pub ok: bool,
    /// Its output, trimmed at the end.
    pub text: String,
}

impl Git {
    /// The repository around `root`. With `hooks` git runs as the user has set it up.
    pub fn new(root: &Path, hooks: bool) -> Git {
        Git { root: root.to_path_buf(), hooks, patient: hooks, env: Vec::new() }
    }

    /// The same for what may take long.
    pub fn patient(self) -> Git {
        Git { patient: true, ..self }
    }

    /// The same with another index than the user's.
    pub fn with_index(&self, index: &str) -> Git {
        let env = vec![("GIT_INDEX_FILE".to_string(), index.to_string())];
        Git { root: self.root.clone(), hooks: self.hooks, patient: self.patient, env }
    }

    /// The same with a token for the host of `url`, and for no other.
    pub fn with_token(self, url: &str, kind: HostKind, token: &str) -> Git {
        let Some((variables, secret)) = credentials(url, kind, token) else { return self };
        ox_model::keys::know(&secret);
        Git { env: variables.to_vec(), ..self }
    }

    /// Runs git and gives what it said.
    pub fn ask(&self, args: &[&str]) -> Result<Said, Problem> {
        self.feed(args, "")
    }

    /// The same with something on its standard input.
    pub fn feed(&self, args: &[&str], input: &str) -> Result<Said, Problem> {
        let exit = self.exit(args, input)?;
        let text = exit.output.text(|_| "[…]".to_string()).trim_end_matches('\n').to_string();
        if exit.timed_out {
            return Err(failed(text));
        }
        Ok(Said { ok: exit.code == Some(0), text })
    }

    /// A text that git prints, to the byte; none where it fails, or prints what is no text or more than is taken.
    pub fn exact(&self, args: &[&str]) -> Result<Option<String>, Problem> {
        let exit = self.exit(args, "")?;
        let whole = exit.code == Some(0) && exit.output.dropped == 0;
        let bytes = [exit.output.head, exit.output.tail].concat();
        Ok(String::from_utf8(bytes).ok().filter(|_| whole))
    }

    fn exit(&self, args: &[&str], input: &str) -> Result<Exit, Problem> {
        let mut job = ox_repo::git::job(&self.root, args);
        job.env.push(("PATH".to_string(), safe_path(&self.root)));
        job.env.extend(self.env.iter().cloned());
        job.stdin = input.as_bytes().to_vec();
        job.rights.output = 4 << 20;
        if self.patient {
            job.rights.time = PATIENT;
        }
        if self.hooks {
            let mut argv = Vec::new();
            for word in job.argv {
                match LEFT.contains(&word.as_str()) {
                    // Its `-c` goes too.
                    true => drop(argv.pop()),
                    false => argv.push(word),
                }
            }
            job.argv = argv;
        }
        wait(Plain.run(job, None))?.map_err(|it| failed(it.to_string()))
    }

    /// The same where a failure is a problem for the user.
    pub fn must(&self, args: &[&str], input: &str) -> Result<String, Problem> {
        let said = self.feed(args, input)?;
        match said.ok {
            true => Ok(said.text),
            false => Err(Problem::new("commit.git").with("why", said.text)),
        }
    }

    /// Names that git separates by NUL.
    pub fn names(&self, args: &[&str]) -> Result<Vec<String>, Problem> {
        let text = self.must(args, "")?;
        Ok(text.split('\0').filter(|it| !it.is_empty()).map(str::to_string).collect())
    }
}

fn failed(why: String) -> Problem {
    Problem::new("commit.git").with("why", why)
}
