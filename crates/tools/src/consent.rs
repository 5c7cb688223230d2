//! What the decision about a call covers when it comes to run: never more than what was decided on.
//!
//! The facts about a call are found again just before it runs. Where they have grown, the call is refused; where they
//! reach outside the project, exactly the places and hosts that were decided on are opened for it, and no others.

use std::path::{Path, PathBuf};

use ox_protocol::{CallFacts, Level, Network, PathUse};

use crate::Cx;

/// What is open to one call beyond the walls of its session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Consent {
    /// Everything that was decided on, as permission names it: what is protected or hidden otherwise is open there.
    pub paths: Vec<PathUse>,
    /// Paths outside the project that a command may write.
    pub write: Vec<PathBuf>,
    /// Hosts that it may speak to; `*` for all.
    pub hosts: Vec<String>,
    /// The command was judged as reading: whatever it turns out to do, the project is read-only to it.
    pub reads: bool,
}

impl Consent {
    /// The session's network widened by the hosts.
    pub fn network(&self, session: Network) -> Network {
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
pub(crate) fn grown(decided: &CallFacts, now: &CallFacts) -> Option<String> {
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

/// The world of a call that was decided on: of what needs consent it holds the places that were decided on, by where
/// they led then, and no others.
pub(crate) fn given(cx: &Cx, decided: &CallFacts, now: &CallFacts) -> Cx {
    // What the walls make harmless may have run unasked: it opens nothing.
    let far = if cx.asked { decided.level } else { decided.level_behind_walls() };
    let asked = far == Level::System;
    let consented = |it: &&PathUse| asked && decided.paths.contains(it);
    let open = |it: &&PathUse| consented(it) || cx.walls.kept(&it.path).is_some();
    let places: Vec<PathUse> = now.paths.iter().filter(open).cloned().collect();
    let reads = decided.command.is_some() && decided.level == Level::Read;
    let mut consent = Consent { reads, ..Consent::default() };
    if asked {
        consent.hosts.clone_from(&now.hosts);
        consent.paths.clone_from(&places);
        let outside = places.iter().filter(|it| it.write && it.path.starts_with('/'));
        consent.write = outside.filter_map(|it| writable(Path::new(&it.path))).collect();
    }
    Cx { tree: cx.tree.consenting(&places), consent, ..cx.clone() }
}

/// The path itself where it exists, otherwise the folder in which it can be made.
fn writable(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|it| it.exists()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::World;
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
    fn a_call_that_reaches_further_than_decided_is_told_apart() {
        use Level::{Edit, Shell, System};
        let table: Vec<String> = [
            (facts(Shell, &[], &[]), facts(Shell, &[(Shell, "x")], &[])),
            (facts(Shell, &[], &[]), facts(Edit, &[], &[])),
            (facts(Edit, &[], &[]), facts(Shell, &[(Shell, "make")], &[])),
            (facts(Shell, &[], &[]), facts(System, &[(System, "/etc/x"), (Shell, "make")], &[])),
            (facts(System, &[(System, "/a")], &["a.org"]), facts(System, &[(System, "/a")], &["a.org"])),
            (facts(System, &[(System, "/a")], &["a.org"]), facts(System, &[(System, "/b")], &["b.org"])),
        ]
        .map(|(decided, now)| grown(&decided, &now).unwrap_or_else(|| "-".into()))
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
        let world = World::new();
        world.file("x", "");
        let call = world.call("delete_file", json!({"path": "x"}));
        std::fs::remove_file(world.path("x")).unwrap();
        world.file("x/precious.txt", "");
        let outcome = world.run_call(&call).outcome;
        expect!["Between the decision about this call and its start the situation changed: it now reaches outside the project or destroys work. Nothing was done. Send the call again, so that it is decided on as it is now."]
            .assert_eq(&outcome.output);
        assert!(outcome.is_failure() && world.exists("x/precious.txt"));
    }

    #[test]
    fn consent_opens_the_places_and_hosts_decided_on_and_no_others() {
        let (world, other) = (World::new(), World::new());
        other.file("read/a", "");
        other.file("write/b", "");
        let at = |rel: &str, write| PathUse { path: format!("{}/{rel}", other.root()), write };
        let decided = CallFacts {
            level: Level::System,
            paths: vec![at("read/a", false), at("write/b", true), at("write/new", true)],
            hosts: vec!["a.org".into()],
            ..CallFacts::default()
        };
        let now = CallFacts { paths: [decided.paths.clone(), vec![at("else", true)]].concat(), ..decided.clone() };
        let cx = given(&world.cx, &decided, &now);
        let rights = cx.rights(Duration::from_secs(1));
        let writes: Vec<String> = rights
            .write
            .iter()
            .map(|it| it.display().to_string().replace(&other.root(), "OTHER").replace(&world.root(), "ROOT"))
            .collect();
        assert_eq!(writes.join(" "), "ROOT OTHER/write/b OTHER/write");
        assert_eq!(rights.network, Network::Hosts(vec!["a.org".into()]));
        let lower = CallFacts { level: Level::Shell, ..decided };
        let rights = given(&world.cx, &lower, &now).rights(Duration::from_secs(1));
        assert_eq!((rights.write.len(), rights.network), (1, Network::None));
    }

    #[test]
    fn the_network_is_widened_and_never_narrowed() {
        let with = |hosts: &[&str], session| {
            let hosts = hosts.iter().map(ToString::to_string).collect();
            Consent { hosts, ..Consent::default() }.network(session)
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
        let mut world = World::new();
        let (kept, other) = (World::new(), World::new());
        kept.file("1.txt", "all of it\n");
        other.file("secret.txt", "");
        std::os::unix::fs::symlink(other.root(), kept.path("link")).unwrap();
        world.cx.walls = std::sync::Arc::new(crate::Walls { output: kept.path(""), ..crate::Walls::default() });
        let path = format!("{}/1.txt", kept.root());
        let call = world.call("read_file", json!({"path": path}));
        assert_eq!((call.facts.level, call.facts.rejected), (Level::Read, None));
        assert_eq!(world.ok("read_file", json!({"path": path})), format!("all of it\n[{path}: 1 line]"));
        assert!(world.ok("search_code", json!({"path": path, "pattern": "of"})).contains("all of it"));
        for outside in
            [format!("{}/link/secret.txt", kept.root()), format!("{}/../{}/secret.txt", kept.root(), other.name())]
        {
            assert_eq!(world.call("read_file", json!({"path": outside})).facts.level, Level::System);
        }
        assert_eq!(world.call("delete_file", json!({"path": path})).facts.level, Level::System);
    }
}
