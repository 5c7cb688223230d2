//! The transactions that are cut short: what is there before, the changes, and what is there after.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use expect_test::{Expect, expect};

use crate::{Change, Tree};

/// One transaction.
pub(super) struct Case {
    pub name: &'static str,
    pub before: fn(&Path),
    pub changes: fn(&Tree) -> Vec<Change>,
    pub after: Expect,
}

fn file(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o640)).unwrap();
}

fn create(path: &str, text: &str) -> Change {
    Change::Create { path: path.to_owned(), text: text.to_owned() }
}

/// Every `old` becomes `new`.
fn edit(tree: &Tree, path: &str) -> Change {
    let old = tree.read(path).unwrap();
    let text = old.text.replace("old", "new");
    Change::Write { path: path.to_owned(), old, text }
}

fn rename(from: &str, to: &str) -> Change {
    Change::Rename { from: from.to_owned(), to: to.to_owned(), expected: None }
}

fn delete(path: &str) -> Change {
    Change::Delete { path: path.to_owned(), expected: None }
}

pub(super) fn all() -> Vec<Case> {
    [singles(), several(), folders(), links_and_text()].into_iter().flatten().collect()
}

fn singles() -> Vec<Case> {
    vec![
        Case {
            name: "one edit",
            before: |root| file(root, "a", "old a"),
            changes: |tree| vec![edit(tree, "a")],
            after: expect![[r#"
                a 640 "new a"
            "#]],
        },
        Case {
            name: "one new file in new folders",
            before: |root| file(root, "a", "old a"),
            changes: |_| vec![create("x/y/z/b", "b")],
            after: expect![[r#"
                a 640 "old a"
                x/
                x/y/
                x/y/z/
                x/y/z/b 644 "b"
            "#]],
        },
        Case {
            name: "one rename into a new folder",
            before: |root| file(root, "a", "old a"),
            changes: |_| vec![rename("a", "x/b")],
            after: expect![[r#"
                x/
                x/b 640 "old a"
            "#]],
        },
        Case {
            name: "one deletion",
            before: |root| file(root, "a", "old a"),
            changes: |_| vec![delete("a")],
            after: expect![""],
        },
    ]
}

fn several() -> Vec<Case> {
    vec![
        Case {
            name: "five edits",
            before: |root| {
                for path in ["a", "b", "src/c", "src/d", "src/deep/e"] {
                    file(root, path, &format!("old {path}"));
                }
            },
            changes: |tree| ["a", "b", "src/c", "src/d", "src/deep/e"].map(|it| edit(tree, it)).into(),
            after: expect![[r#"
                a 640 "new a"
                b 640 "new b"
                src/
                src/c 640 "new src/c"
                src/d 640 "new src/d"
                src/deep/
                src/deep/e 640 "new src/deep/e"
            "#]],
        },
        Case {
            name: "one of each kind",
            before: |root| ["edited", "gone", "moved"].iter().for_each(|it| file(root, it, &format!("old {it}"))),
            changes: |tree| {
                vec![delete("gone"), rename("moved", "there"), edit(tree, "edited"), create("made", "made")]
            },
            after: expect![[r#"
                edited 640 "new edited"
                made 644 "made"
                there 640 "old moved"
            "#]],
        },
        Case {
            name: "a file that is edited and moved",
            before: |root| ["a", "b"].iter().for_each(|it| file(root, it, &format!("old {it}"))),
            changes: |tree| vec![rename("a", "deep/er/a"), edit(tree, "a"), edit(tree, "b")],
            after: expect![[r#"
                b 640 "new b"
                deep/
                deep/er/
                deep/er/a 640 "new a"
            "#]],
        },
        Case {
            name: "several in new folders",
            before: |root| file(root, "kept", "old"),
            changes: |tree| {
                vec![
                    create("x/y/a", "a"),
                    create("x/y/b", ""),
                    create("x/z/c", "c"),
                    create("w/d", "d"),
                    edit(tree, "kept"),
                ]
            },
            after: expect![[r#"
                kept 640 "new"
                w/
                w/d 644 "d"
                x/
                x/y/
                x/y/a 644 "a"
                x/y/b 644 ""
                x/z/
                x/z/c 644 "c"
            "#]],
        },
        Case {
            name: "edits that change nothing, and a large one",
            before: |root| {
                file(root, "same", "the same");
                file(root, "large", &"old line\n".repeat(20_000));
            },
            changes: |tree| vec![edit(tree, "same"), edit(tree, "large")],
            after: expect![[r#"
                large 640 180000 bytes LARGE
                same 640 "the same"
            "#]],
        },
    ]
}

fn folders() -> Vec<Case> {
    vec![
        Case {
            name: "a folder that goes",
            before: |root| {
                ["f/a", "f/g/b", "f/g/h/c"].iter().for_each(|it| file(root, it, it));
                symlink("../outside", root.join("f/link")).unwrap();
                file(root, "outside", "o");
            },
            changes: |_| vec![delete("f")],
            after: expect![[r#"
                outside 640 "o"
            "#]],
        },
        Case {
            name: "folders that move and go beside an edit",
            before: |root| ["f/a", "f/g/b", "h/c", "old"].iter().for_each(|it| file(root, it, &format!("old {it}"))),
            changes: |tree| vec![edit(tree, "old"), rename("f", "n/m"), delete("h"), create("h2/c", "c")],
            after: expect![[r#"
                h2/
                h2/c 644 "c"
                n/
                n/m/
                n/m/a 640 "old f/a"
                n/m/g/
                n/m/g/b 640 "old f/g/b"
                old 640 "new new"
            "#]],
        },
        Case {
            name: "deep folders",
            before: |root| ["1/2/3/4/5/6/7/8/a", "1/2/b"].iter().for_each(|it| file(root, it, "old")),
            changes: |tree| {
                vec![edit(tree, "1/2/3/4/5/6/7/8/a"), create("1/2/3/x/y/z/c", "c"), rename("1/2/b", "1/2/3/4/5/b")]
            },
            after: expect![[r#"
                1/
                1/2/
                1/2/3/
                1/2/3/4/
                1/2/3/4/5/
                1/2/3/4/5/6/
                1/2/3/4/5/6/7/
                1/2/3/4/5/6/7/8/
                1/2/3/4/5/6/7/8/a 640 "new"
                1/2/3/4/5/b 640 "old"
                1/2/3/x/
                1/2/3/x/y/
                1/2/3/x/y/z/
                1/2/3/x/y/z/c 644 "c"
            "#]],
        },
    ]
}

fn links_and_text() -> Vec<Case> {
    vec![
        Case {
            name: "links, modes and attributes",
            before: |root| {
                file(root, "real/script", "old script");
                fs::set_permissions(root.join("real/script"), fs::Permissions::from_mode(0o2751)).unwrap();
                let name = root.join("real/script");
                let _ = rustix::fs::setxattr(&name, "user.note", b"noted ", rustix::fs::XattrFlags::empty());
                file(root, "other", "old other");
                symlink("real/script", root.join("link")).unwrap();
                symlink("nowhere", root.join("dangling")).unwrap();
                symlink("other", root.join("moving")).unwrap();
            },
            changes: |tree| {
                vec![edit(tree, "link"), edit(tree, "other"), delete("dangling"), rename("moving", "moved")]
            },
            after: expect![[r#"
                link -> real/script
                moved -> other
                other 640 "new other"
                real/
                real/script 2751 noted "new script"
            "#]],
        },
        Case {
            name: "line endings, marks, encodings",
            before: |root| {
                file(root, "crlf", "one\r\nold\r\nlast");
                file(root, "mark", "\u{feff}old\r\n");
                fs::write(root.join("wide"), b"\xFF\xFEo\0l\0d\0\r\0\n\0").unwrap();
                fs::write(root.join("latin"), b"caf\xe9 old\n").unwrap();
            },
            changes: |tree| ["crlf", "mark", "wide", "latin"].map(|it| edit(tree, it)).into(),
            after: expect![[r#"
                crlf 640 "one\r\nnew\r\nlast"
                latin 644 "caf� new\n"
                mark 640 "\u{feff}new\r\n"
                wide 644 "��n\0e\0w\0\r\0\n\0"
            "#]],
        },
    ]
}
