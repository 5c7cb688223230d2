//! The keys about roles, presets, patience and the index: what they mean, and whose word counts.

use std::path::PathBuf;
use std::time::Duration;

use ox_model::Timeouts;
use ox_protocol::{Preset, RolesLayer};

use super::tests::Case;
use super::*;

#[test]
fn without_any_layer_nothing_is_said() {
    let settings = Case::new("", "").load(Flags::default()).unwrap();
    assert_eq!((settings.preset, settings.fallback.len(), settings.timeouts), (None, 0, Timeouts::default()));
    assert_eq!((settings.keep_iterations, settings.memory_tasks, settings.roles), (2, 10, RolesLayer::default()));
    assert_eq!((settings.index.cache, settings.index.embeddings.as_str()), (None, "auto"));
    assert!(settings.index.docs.is_empty() && settings.index.rag.is_empty());
}

#[test]
fn every_key_reaches_the_settings() {
    let user = "fallback = [\"openai/b\", \"ollama/c\"]\npreset = \"pro\"\n[roles]\nplanner = \"a/plan\"\nimage = \"a/draw\"\n\
                [timeouts]\nconnect = \"3s\"\nidle = \"1m 30s\"\n[index]\ncache = \"~/ix\"\nembeddings = \"off\"\n\
                docs = [\"~/notes\", \"handbook\"]\nrag.wiki = \"http://localhost:9/q\"\n[context]\nkeep_iterations = 0\n";
    let project = "index.docs = [\"more/docs\"]\nlimits.memory_tasks = 3\n";
    let case =
        Case::new(user, project).with("HOME", "/h").with("OX_PLANNER_MODEL", "b/plan").with("OX_TIMEOUT_IDLE", "5s");
    let settings = case.load(Flags::default()).unwrap();
    assert_eq!((settings.preset, settings.fallback), (Some(Preset::Pro), vec!["openai/b".into(), "ollama/c".into()]));
    assert_eq!((settings.roles.planner.as_deref(), settings.roles.image.as_deref()), (Some("b/plan"), Some("a/draw")));
    let seconds = |it| Some(Duration::from_secs(it));
    assert_eq!(settings.timeouts, Timeouts { connect: seconds(3), first_byte: None, idle: seconds(5) });
    let index = settings.index;
    assert_eq!((index.cache, index.embeddings.as_str()), (Some(PathBuf::from("/h/ix")), "off"));
    assert_eq!(index.docs, ["/h/notes", "handbook", "more/docs"]);
    assert_eq!(index.rag["wiki"], "http://localhost:9/q");
    assert_eq!((settings.keep_iterations, settings.memory_tasks), (0, 3));
}

#[test]
fn a_preset_moves_the_budgets_and_every_layer_wins_over_it() {
    let case = Case::new("preset = \"pro\"\nlimits.check_rounds = 7\n", "limits.max_iterations = 40\n");
    let limits = |preset| case.load(Flags::default().with_word("preset", preset)).unwrap();
    let (pro, lite) = (limits(None), limits(Some(Preset::Lite)));
    assert_eq!((pro.limits.iterations, pro.limits.check_rounds, pro.keep_iterations), (40, 7, 4));
    assert_eq!(
        (lite.limits.iterations, lite.limits.check_rounds, lite.memory_tasks, lite.keep_iterations),
        (40, 7, 5, 2)
    );
    assert_eq!(lite.origins_of("limits.memory_tasks"), [Origin::Preset { name: "lite" }]);
    assert_eq!(lite.origins_of("preset"), [Origin::Flag { flag: "--preset" }]);
    let loose = Case::new("preset = \"lite\"", "limits.max_iterations = 60\n").load(Flags::default());
    assert_eq!(loose.err().map(|it| it.code).as_deref(), Some("config.looser"));
}

#[test]
fn former_names_of_keys_are_still_read_shown_and_replaced() {
    let old = "[limits]\nmax_turns = 40\nmemory_turns = 3\n[context]\nkeep_turns = 1\n";
    let settings = Case::new(old, "").with("OX_KEEP_TURNS", "5").load(Flags::default()).unwrap();
    assert_eq!((settings.limits.iterations, settings.memory_tasks, settings.keep_iterations), (40, 3, 5));
    assert_eq!(settings.value("limits.max_turns").as_deref(), Some("40"));
    assert_eq!(settings.value("limits.max_iterations").as_deref(), Some("40"));
    assert_eq!(settings.origins_of("context.keep_turns"), [Origin::Environment { variable: "OX_KEEP_TURNS" }]);
    let both = Case::new(old, "").with("OX_KEEP_TURNS", "5").with("OX_KEEP_ITERATIONS", "6");
    assert_eq!(both.load(Flags::default()).unwrap().keep_iterations, 6);
    let looser = Case::new(old, "limits.max_turns = 41").load(Flags::default());
    assert_eq!(looser.err().map(|it| it.code).as_deref(), Some("config.looser"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, old).unwrap();
    set(&file, "limits.max_iterations", "7").unwrap();
    assert_eq!(unset(&file, "context.keep_turns"), Ok(true));
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, "[limits]\nmemory_turns = 3\nmax_iterations = 7\n[context]\n");
}
