//! What the decision about a call covers when it comes to run: never more than what was decided on.
//!
//! The facts about a call are found again just before it runs. Where they have grown, the call is refused; where they
//! reach outside the project, exactly the places and hosts that were decided on are opened for it, and no others.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ox_protocol::{CallFacts, Level, Network, PathUse};

/// What is open to one call beyond the sandbox of its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallConsent {
    /// Everything that was decided on, as permission names it: what is protected or hidden otherwise is open there.
    pub paths: Vec<PathUse>,
    /// Paths outside the project that a command may write.
    pub write: Vec<PathBuf>,
    /// Hosts that it may speak to; `*` for all.
    pub hosts: Vec<String>,
    /// The command was judged as reading: whatever it turns out to do, the project is read-only to it.
    pub reads: bool,
    /// What was made for that, as long as anybody needs it.
    pub made: Arc<CreatedPaths>,
}

/// Files and folders that were made so that a command can write them and nothing beside them. What is still empty at the
/// end is taken away again.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CreatedPaths(Vec<PathBuf>);

impl Drop for CreatedPaths {
    fn drop(&mut self) {
        for path in self.0.iter().rev() {
            // A folder that is not empty stays by itself.
            let _ = match path.symlink_metadata() {
                Ok(it) if it.is_dir() => fs::remove_dir(path),
                Ok(it) if it.len() == 0 => fs::remove_file(path),
                _ => Ok(()),
            };
        }
    }
}

impl CallConsent {
    /// The session's network widened by the hosts.
    pub(crate) fn network(&self, session: Network) -> Network {
        match (session, self.hosts.as_slice()) {
            (session, []) => session,
            (Network::All, _) => Network::All,
            (_, hosts) if hosts.iter().any(|it| it == "*") => Network::All,
            (Network::Hosts(before), hosts) => Network::Hosts(before.into_iter().chain(hosts.to_vec()).collect()),
            (Network::None, hosts) => Network::Hosts(hosts.to_vec()),
        }
    }
}

/// What `now` reaches that was not decided on, in words; none where the decision covers it.
pub(crate) fn exceeds(decided: &CallFacts, now: &CallFacts) -> Option<String> {
    let new = now.effects.iter().filter(|it| it.level > decided.level || it.level == Level::System);
    let new = new.filter(|it| !decided.effects.contains(it)).map(|it| it.what.as_str()).collect::<Vec<_>>();
    if now.level > decided.level {
        let reaches = match now.level {
            Level::System => "it now reaches outside the project or destroys work",
            Level::Shell => "it now runs code",
            Level::Edit | Level::Read => "it now changes files",
        };
        let what = if new.is_empty() { String::new() } else { format!(" ({})", new.join(", ")) };
        return Some(format!("{reaches}{what}"));
    }
    let hosts = now.hosts.iter().filter(|it| !decided.hosts.contains(it)).map(String::as_str);
    let new: Vec<&str> = new.into_iter().chain(hosts).collect();
    (!new.is_empty()).then(|| format!("it now reaches {}", new.join(", ")))
}

/// What is opened so that the command `line` can write `paths`: each itself, made where it does not exist, never the
/// folder that it lies in.
pub(crate) fn opened(mut paths: Vec<PathBuf>, line: &str) -> (Vec<PathBuf>, CreatedPaths) {
    paths.sort();
    paths.dedup();
    let (mut open, mut made) = (Vec::<PathBuf>::new(), CreatedPaths::default());
    for (at, path) in paths.iter().enumerate() {
        if open.iter().any(|it| path.starts_with(it)) {
            continue;
        }
        if path.symlink_metadata().is_err() {
            let holds = paths.get(at + 1).is_some_and(|it| it.starts_with(path));
            if holds || makes_folder(line, path) {
                let missing: Vec<&Path> = path.ancestors().take_while(|it| it.symlink_metadata().is_err()).collect();
                let done = missing.into_iter().rev().take_while(|it| fs::create_dir(it).is_ok());
                made.0.extend(done.map(Path::to_path_buf));
            } else if fs::File::create_new(path).is_ok() {
                made.0.push(path.clone());
            }
        }
        // What could not be made the command cannot make either, and says so.
        if path.exists() {
            open.push(path.clone());
        }
    }
    (open, made)
}

/// Words of a command that makes folders where it is told a path.
const FOLDERS: &str =
    "mkdir clone worktree venv virtualenv new init create rsync --recursive --directory-prefix --prefix";

/// True when the line presumably makes a folder of `path`, and not a file.
fn makes_folder(line: &str, path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|it| it.to_str()) else { return false };
    let ends_word = |c: char| c.is_whitespace() || "<>|&;()".contains(c);
    let redirected = line.match_indices(name).any(|(at, _)| {
        let start = line[..at].rfind(ends_word).map_or(0, |it| it + 1);
        line[..start].trim_end().ends_with('>')
    });
    let copies = |it: &str| it.starts_with('-') && !it.starts_with("--") && it.contains(['r', 'R', 'a']);
    let words = || line.split(ends_word);
    let folders = words().any(|it| FOLDERS.split(' ').any(|word| word == it))
        || words().any(|it| it == "cp") && words().any(copies);
    !redirected && folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use ox_protocol::{Effect, EffectKind};
    use serde_json::json;
    use std::time::Duration;

    fn facts(level: Level, effects: &[(Level, &str)], hosts: &[&str]) -> CallFacts {
        let effect = |(level, what): &(Level, &str)| Effect::new(EffectKind::Write, *level, *what);
        CallFacts {
            level,
            effects: effects.iter().map(effect).collect(),
            hosts: hosts.iter().map(ToString::to_string).collect(),
            ..CallFacts::default()
        }
    }

    #[test]
    fn a_call_that_reaches_further_than_decided_is_distinguished() {
        use Level::{Edit, Shell, System};
        let table: Vec<String> = [
            (facts(Shell, &[], &[]), facts(Shell, &[(Shell, "x")], &[])),
            (facts(Shell, &[], &[]), facts(Edit, &[], &[])),
            (facts(Edit, &[], &[]), facts(Shell, &[(Shell, "make")], &[])),
            (facts(Shell, &[], &[]), facts(System, &[(System, "/etc/x"), (Shell, "make")], &[])),
            (facts(System, &[(System, "/a")], &["a.org"]), facts(System, &[(System, "/a")], &["a.org"])),
            (facts(System, &[(System, "/a")], &["a.org"]), facts(System, &[(System, "/b")], &["b.org"])),
        ]
        .map(|(decided, now)| exceeds(&decided, &now).unwrap_or_else(|| "-".into()))
        .to_vec();
        expect![[r#"
            -
            -
            it now runs code (make)
            it now reaches outside the project or destroys work (/etc/x)
            -
            it now reaches /b, b.org"#]]
        .assert_eq(&table.join("\n"));
    }

    #[test]
    fn a_file_that_became_a_folder_is_not_deleted_as_a_file() {
        let fixture = Fixture::new();
        fixture.file("x", "");
        let call = fixture.call("delete_file", json!({"path": "x"}));
        std::fs::remove_file(fixture.path("x")).unwrap();
        fixture.file("x/precious.txt", "");
        let outcome = fixture.run_call(&call).outcome;
        expect!["Between the decision about this call and its start the situation changed: it now reaches outside the project or destroys work. Nothing was done. Send the call again, so that it is decided on as it is now."]
            .assert_eq(&outcome.output);
        assert!(outcome.is_failure() && fixture.exists("x/precious.txt"));
    }

    #[test]
    fn consent_opens_the_places_and_hosts_decided_on_and_no_others() {
        let (fixture, other) = (Fixture::new(), Fixture::new());
        other.file("read/a", "");
        other.file("write/b", "");
        let at = |rel: &str, write| PathUse { path: format!("{}/{rel}", other.root()), write };
        let decided = CallFacts {
            level: Level::System,
            paths: vec![at("read/a", false), at("write/b", true), at("write/new", true)],
            hosts: vec!["a.org".into()],
            command: Some(format!("sh build.sh > {}/write/new", other.root())),
            ..CallFacts::default()
        };
        let now = CallFacts { paths: [decided.paths.clone(), vec![at("else", true)]].concat(), ..decided.clone() };
        let cx = fixture.cx.consented(&decided, &now);
        let rights = cx.rights(Duration::from_secs(1));
        let writes: Vec<String> = rights
            .write
            .iter()
            .map(|it| it.display().to_string().replace(&other.root(), "OTHER").replace(&fixture.root(), "ROOT"))
            .collect();
        assert_eq!(writes.join(" "), "ROOT OTHER/write/b OTHER/write/new");
        assert_eq!(rights.network, Network::Hosts(vec!["a.org".into()]));
        // Nothing is written with it, so nothing is left of it.
        assert!(other.exists("write/new"));
        drop(cx);
        assert!(!other.exists("write/new"));
        let lower = CallFacts { level: Level::Shell, ..decided };
        let rights = fixture.cx.consented(&lower, &now).rights(Duration::from_secs(1));
        assert_eq!((rights.write.len(), rights.network), (1, Network::None));
    }

    #[test]
    fn a_new_place_is_made_and_opened_alone() {
        let table: Vec<String> = [
            ("sh build.sh > H/build.log", &["build.log"][..]),
            ("mkdir -p H/new/dir && echo x > H/new/dir/x", &["new/dir", "new/dir/x"]),
            ("mkdir H/logs; make > H/out.txt", &["logs", "out.txt"]),
            ("git clone https://a.org/x H/x", &["x"]),
            ("cp -r src H/copy", &["copy"]),
            ("cp a H/a", &["a"]),
            ("echo x > H/no/where", &["no/where"]),
        ]
        .iter()
        .map(|(line, paths)| {
            let home = Fixture::new();
            let root = home.root();
            let paths = paths.iter().map(|it| PathBuf::from(format!("{root}/{it}"))).collect();
            let (open, made) = opened(paths, &line.replace('H', &root));
            let shown = |it: &PathBuf| {
                let kind = if it.is_dir() { "/" } else { "" };
                format!("{}{kind}", it.display()).replace(&format!("{root}/"), "")
            };
            let text = open.iter().map(shown).collect::<Vec<_>>().join(" ");
            drop(made);
            assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "{line}");
            format!("{line}: {text}")
        })
        .collect();
        expect![[r#"
            sh build.sh > H/build.log: build.log
            mkdir -p H/new/dir && echo x > H/new/dir/x: new/dir/
            mkdir H/logs; make > H/out.txt: logs/ out.txt
            git clone https://a.org/x H/x: x/
            cp -r src H/copy: copy/
            cp a H/a: a
            echo x > H/no/where: "#]]
        .assert_eq(&table.join("\n"));
    }

    #[test]
    fn the_network_is_widened_and_never_narrowed() {
        let with = |hosts: &[&str], session| {
            let hosts = hosts.iter().map(ToString::to_string).collect();
            CallConsent { hosts, ..CallConsent::default() }.network(session)
        };
        let hosts = |list: &[&str]| Network::Hosts(list.iter().map(ToString::to_string).collect());
        assert_eq!(with(&[], Network::None), Network::None);
        assert_eq!(with(&["a"], Network::None), hosts(&["a"]));
        assert_eq!(with(&["a"], hosts(&["b"])), hosts(&["b", "a"]));
        assert_eq!(with(&["a"], Network::All), Network::All);
        assert_eq!(with(&["a", "*"], hosts(&["b"])), Network::All);
    }

    #[test]
    fn output_that_was_kept_is_read_unasked_and_nothing_beside_it() {
        let mut fixture = Fixture::new();
        let (kept, other) = (Fixture::new(), Fixture::new());
        kept.file("1.txt", "all of it\n");
        other.file("secret.txt", "");
        std::os::unix::fs::symlink(other.root(), kept.path("link")).unwrap();
        fixture.cx.sandbox_policy = std::sync::Arc::new(crate::session::sandbox_policy::SandboxPolicy {
            output: kept.path(""),
            ..crate::session::sandbox_policy::SandboxPolicy::default()
        });
        let path = format!("{}/1.txt", kept.root());
        let call = fixture.call("read_file", json!({"path": path}));
        assert_eq!((call.facts.level, call.facts.rejected), (Level::Read, None));
        assert_eq!(fixture.ok("read_file", json!({"path": path})), format!("all of it\n[{path}: 1 line]"));
        assert!(fixture.ok("search_code", json!({"path": path, "pattern": "of"})).contains("all of it"));
        for outside in
            [format!("{}/link/secret.txt", kept.root()), format!("{}/../{}/secret.txt", kept.root(), other.name())]
        {
            assert_eq!(fixture.call("read_file", json!({"path": outside})).facts.level, Level::System);
        }
        assert_eq!(fixture.call("delete_file", json!({"path": path})).facts.level, Level::System);
    }
}
