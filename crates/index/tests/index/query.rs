//! What a question finds in small projects: what a text says by name stands before what is merely changed often.

use ox_index::{Commit, FileState, Index, Options, query};

/// The files of an answer, best first.
fn ranked(texts: &[(&str, &str)], history: &[(&str, &str, &[&str])], task: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path(), "project").unwrap();
    let state = |it: &(&str, &str)| FileState { path: it.0.into(), size: it.1.len() as u64, ..FileState::default() };
    let states: Vec<FileState> = texts.iter().map(state).collect();
    let read = |path: &str| texts.iter().find(|it| it.0 == path).map(|it| it.1.as_bytes().to_vec());
    let read = |path: &str| read(path).ok_or_else(|| std::io::ErrorKind::NotFound.into());
    index.update(&states, &read, &|_| {}).unwrap();
    let commit = |(at, it): (usize, &(&str, &str, &[&str]))| Commit {
        id: it.0.into(),
        time: 2_000_000_000 - at as i64 * 86_400,
        message: it.1.into(),
        files: it.2.iter().map(|it| (*it).to_owned()).collect(),
    };
    index.history("head", &history.iter().enumerate().map(commit).collect::<Vec<_>>());
    let answer = query(&index.snapshot(), &read, task, &Options::default());
    answer.files.into_iter().map(|it| it.path).collect()
}

const HUB: (&str, &str) =
    ("app/core.py", "def run(value):\n    \"run the value of the field\"\n    return field(value)\n");

#[test]
fn a_message_is_found_where_it_is_written() {
    let texts = [
        HUB,
        ("app/fields.py", "def check(it):\n    raise ValueError(\"cannot resolve keyword %s into field\" % it)\n"),
        ("app/keyword.py", "def keyword(field):\n    return resolve(keyword, field, into=field)\n"),
    ];
    let task = "Query breaks\n\n```\nValueError: cannot resolve keyword 'abc' into field\n```\n";
    assert_eq!(ranked(&texts, &[], task)[0], "app/fields.py");
}

#[test]
fn an_import_line_tells_the_module_of_a_short_name() {
    let texts = [
        ("app/a/q.py", "class Q:\n    def join(self): pass\n"),
        ("app/db/models.py", "class Q:\n    def join(self): pass\n"),
        ("app/c/q.py", "class Q:\n    def join(self): pass\n"),
    ];
    let task = "It raises\n\n```python\nfrom app.db.models import Q\nQ()\n```\n";
    assert_eq!(ranked(&texts, &[], task)[0], "app/db/models.py");
}

#[test]
fn a_method_is_found_up_the_chain_of_its_type() {
    let texts = [
        ("a/base.py", "class Base:\n    def render(self):\n        return 1\n"),
        ("a/other.py", "class Other:\n    def render(self):\n        return 2\n"),
        ("a/third.py", "class Third:\n    def render(self):\n        return 3\n"),
        ("a/view.py", "class View(Base):\n    pass\n"),
    ];
    let files = ranked(&texts, &[], "`View.render` returns nothing");
    let place = |path: &str| files.iter().position(|it| it == path);
    assert!(place("a/base.py") < place("a/other.py") && place("a/base.py") < place("a/third.py"), "{files:?}");
}

#[test]
fn the_files_of_a_named_commit_come_first() {
    let texts = [("a.py", "def one(): pass\n"), ("b.py", "def two(): pass\n"), ("c.py", "def one(): pass\n")];
    let history: [(&str, &str, &[&str]); 2] = [
        ("0123abcdef4567890123", "Change it", &["a.py"]),
        ("f00dfeed0123456789ab", "Change it back (#4711)", &["c.py"]),
    ];
    for (task, first) in [("one is broken since 0123abcdef", "a.py"), ("one is broken since #4711", "c.py")] {
        assert_eq!(ranked(&texts, &history, task)[0], first, "{task}");
    }
}

#[test]
fn what_changes_often_comes_no_further_for_it() {
    let texts = [HUB, ("app/field.py", "def other(field):\n    \"lost value\"\n")];
    let history: Vec<(&str, &str, &[&str])> = vec![("1", "Tidy up", &["app/core.py"]); 200];
    for task in ["The value of the field is lost", "run loses a lost value", "field"] {
        assert_eq!(ranked(&texts, &history, task), ranked(&texts, &[], task), "{task}");
    }
}

#[test]
fn what_is_put_together_from_others_comes_behind_them() {
    let part = |at: usize| -> String {
        (0..20).map(|it| format!("inline int part{at}_value{it}(int given) {{ return given + {it}; }}\n\n")).collect()
    };
    let parts: Vec<(String, String)> = (0..5).map(|at| (format!("src/part{at}.hpp"), part(at))).collect();
    let all: String = parts.iter().map(|it| it.1.as_str()).collect();
    let mut texts: Vec<(&str, &str)> = parts.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
    texts.push(("all.hpp", &all));
    assert_eq!(ranked(&texts, &[], "part3_value7 and part3_value8 of part3 return too much")[0], "src/part3.hpp");
}
