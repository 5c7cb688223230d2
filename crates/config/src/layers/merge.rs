//! Putting the layers over one another, and what a project's layer may not do.
//!
//! A later layer wins; permission rules and hooks of all layers add up, so that none can take back another's denial.

use std::collections::BTreeMap;

use ox_protocol::Problem;
use toml::{Table, Value};

use super::layer::{Setting, shown};
use super::origin::Origin;
use crate::keys::kind::{Kind, is_relative, texts};
use crate::keys::table::{self, KEYS, ProjectRule};

/// A value after merging, with all its origins in rising precedence.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The path of the key.
    pub path: Vec<String>,
    /// What may be written there.
    pub kind: Kind,
    /// The value.
    pub value: Value,
    /// Where it comes from; several for what adds up. The elements of a list of hooks have one each.
    pub origins: Vec<Origin>,
}

impl Merged {
    /// A value of the key of this name, which has no `*`.
    pub fn new(name: &str, value: Value, origin: Origin) -> Merged {
        let path: Vec<String> = name.split('.').map(str::to_string).collect();
        let kind = table::at(&path).map_or(Kind::Text, |it| it.kind);
        Merged { path, kind, value, origins: vec![origin] }
    }
}

/// All values by name.
pub type Values = BTreeMap<String, Merged>;

/// The values that nobody set.
pub fn defaults() -> Values {
    let known = KEYS.iter().filter(|it| !it.is_pattern());
    let set = known.filter_map(|key| {
        let value = key.kind.parse(key.default).filter(|_| !key.default.is_empty())?;
        Some((key.name.to_string(), Merged::new(key.name, value, Origin::Default)))
    });
    set.collect()
}

/// Puts a layer over the values.
pub fn put(values: &mut Values, layer: Vec<Setting>) {
    for setting in layer {
        let name = setting.name();
        let Setting { key, path, value, origin } = setting;
        let each = if key.kind == Kind::Hooks { value.as_array().map_or(1, Vec::len) } else { 1 };
        let origins = vec![origin; each];
        match values.get_mut(&name) {
            Some(before) if key.kind.adds_up() => {
                if let (Value::Array(all), Value::Array(more)) = (&mut before.value, value) {
                    all.extend(more);
                }
                before.origins.extend(origins);
            }
            _ => {
                values.insert(name, Merged { path, kind: key.kind, value, origins });
            }
        }
    }
}

/// Refuses what a project's file must not set, given the values of the layers below it.
pub fn check_project(values: &Values, layer: &[Setting]) -> Result<(), Problem> {
    let checked = layer.iter().map(|setting| match setting.key.project {
        ProjectRule::May => Ok(()),
        ProjectRule::Never(why) => Err(Problem::new(why).with("place", &setting.origin).with("key", setting.name())),
        ProjectRule::MayTighten => check_tightens(values, setting),
        ProjectRule::Inside => check_inside(setting),
    });
    Problem::all(checked.filter_map(Result::err)).map_or(Ok(()), Err)
}

fn check_inside(setting: &Setting) -> Result<(), Problem> {
    let outside = texts(&setting.value).unwrap_or_default().into_iter().find(|it| !is_relative(it));
    let problem = |it: &str| Problem::new("config.outside").with("place", &setting.origin).with("found", it);
    outside.map_or(Ok(()), |it| Err(problem(it).with("key", setting.name())))
}

fn check_tightens(values: &Values, setting: &Setting) -> Result<(), Problem> {
    let Some(below) = values.get(&setting.name()) else { return Ok(()) };
    let kind = setting.key.kind;
    let stricter = match kind {
        Kind::Globs => lies_within(&setting.value, &below.value),
        _ => kind.looseness(&setting.value) <= kind.looseness(&below.value),
    };
    if stricter {
        return Ok(());
    }
    let origin = below.origins.last().unwrap_or(&Origin::Default);
    let code = if *origin == Origin::Default { "config.looser_than_default" } else { "config.looser" };
    let problem = Problem::new(code).with("place", &setting.origin).with("key", setting.name());
    let problem = problem.with("found", shown(&setting.value)).with("limit", shown(&below.value));
    Err(if code == "config.looser" { problem.with("other", origin) } else { problem })
}

/// True when each glob is one of the outer ones or lies below one that ends in `/**`.
fn lies_within(inner: &Value, outer: &Value) -> bool {
    let (inner, outer) = (texts(inner).unwrap_or_default(), texts(outer).unwrap_or_default());
    let covers = |outer: &str, inner: &str| {
        outer == inner
            || outer == "**"
            || outer.strip_suffix("**").is_some_and(|it| it.ends_with('/') && inner.starts_with(it))
    };
    let climbs = |glob: &str| glob.split('/').any(|it| it == "..");
    inner.iter().all(|inner| !climbs(inner) && outer.iter().any(|outer| covers(outer, inner)))
}

/// The values as one TOML table.
pub fn as_table(values: &Values) -> Table {
    let mut table = Table::new();
    for merged in values.values() {
        let Some((last, parents)) = merged.path.split_last() else { continue };
        let mut at = &mut table;
        for name in parents {
            let below = at.entry(name.clone()).or_insert_with(|| Value::Table(Table::new()));
            let Value::Table(below) = below else { unreachable!("invariant: the keys make a tree") };
            at = below;
        }
        at.insert(last.clone(), merged.value.clone());
    }
    table
}
