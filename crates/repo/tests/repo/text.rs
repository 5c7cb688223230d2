//! Reading and writing text: what was not edited comes back byte for byte.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use ox_repo::{Hash, RepoError, Tree};
use tempfile::TempDir;

fn tree() -> (TempDir, Tree) {
    let dir = tempfile::tempdir().unwrap();
    let tree = Tree::open(dir.path(), &[]).unwrap();
    (dir, tree)
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|it| it.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn encodings_survive_an_edit() {
    let (dir, tree) = tree();
    let utf16 = |text: &str, big: bool| -> Vec<u8> {
        text.encode_utf16().flat_map(|it| if big { it.to_be_bytes() } else { it.to_le_bytes() }).collect()
    };
    let (sjis, _, _) = encoding_rs::SHIFT_JIS.encode("日本語のテキストです。これはテストです。old\n");
    let (gbk, _, _) = encoding_rs::GBK.encode("这是一个测试文件，内容是中文。old\n");
    let table: Vec<(&str, Vec<u8>, &str, bool)> = vec![
        ("plain", b"old\n".to_vec(), "UTF-8", false),
        ("empty", b"".to_vec(), "UTF-8", false),
        ("no newline", b"a\nold".to_vec(), "UTF-8", false),
        ("crlf", b"a\r\nold\r\nb\n".to_vec(), "UTF-8", false),
        ("utf8", "é → old\n".as_bytes().to_vec(), "UTF-8", false),
        ("utf8 bom", b"\xEF\xBB\xBFold\n".to_vec(), "UTF-8", true),
        ("utf16le bom", [&b"\xFF\xFE"[..], &utf16("é old\r\n", false)].concat(), "UTF-16LE", true),
        ("utf16be bom", [&b"\xFE\xFF"[..], &utf16("é old\n", true)].concat(), "UTF-16BE", true),
        ("utf16le", utf16("some old text\n", false), "UTF-16LE", false),
        ("utf16be", utf16("some old text\n", true), "UTF-16BE", false),
        ("latin1", b"Der K\xF6nig isst \xC4pfel. old\n".to_vec(), "windows-1252", false),
        ("shift_jis", sjis.into_owned(), "Shift_JIS", false),
        ("gbk", gbk.into_owned(), "GBK", false),
        ("invalid", b"ok \xFF\x81 \xC3( old\n".to_vec(), "windows-1256", false),
    ];
    for (name, bytes, encoding, bom) in table {
        fs::write(dir.path().join(name), &bytes).unwrap();
        let old = tree.read(name).unwrap();
        assert_eq!((old.encoding.name(), old.bom, old.hash), (encoding, bom, Hash::of(&bytes)), "{name}");
        assert!(!old.text.starts_with('\u{FEFF}'), "{name}");
        // The same text gives the same bytes, and an edit changes nothing but itself.
        tree.write(name, &old, &old.text).unwrap();
        assert_eq!(fs::read(dir.path().join(name)).unwrap(), bytes, "{name}");
        let hash = tree.write(name, &old, &old.text.replace("old", "newer")).unwrap();
        let new = tree.read(name).unwrap();
        assert_eq!((&new.text, new.hash, new.bom), (&old.text.replace("old", "newer"), hash, bom), "{name}");
        assert_eq!(new.encoding, old.encoding, "{name}");
    }
}

#[test]
fn a_character_that_the_encoding_lacks_is_named() {
    let (dir, tree) = tree();
    fs::write(dir.path().join("a.txt"), b"Der K\xF6nig isst \xC4pfel.\n").unwrap();
    let old = tree.read("a.txt").unwrap();
    let error = tree.write("a.txt", &old, "König → Äpfel").unwrap_err();
    assert!(matches!(error, RepoError::Encoding { character: '→', encoding: "windows-1252", .. }), "{error}");
    assert_eq!(tree.read("a.txt").unwrap(), old);
}

#[test]
fn mode_and_links_survive() {
    let (dir, tree) = tree();
    let at = |it: &str| dir.path().join(it);
    fs::create_dir(at("real")).unwrap();
    fs::write(at("real/script.sh"), "old").unwrap();
    fs::set_permissions(at("real/script.sh"), fs::Permissions::from_mode(0o2751)).unwrap();
    symlink("real/script.sh", at("link")).unwrap();
    symlink("real", at("folder")).unwrap();
    for path in ["real/script.sh", "link", "folder/script.sh"] {
        let old = tree.read(path).unwrap();
        assert_eq!(old.rel, "real/script.sh");
        tree.write(path, &old, &format!("{path} new")).unwrap();
        assert_eq!(fs::read_to_string(at("real/script.sh")).unwrap(), format!("{path} new"));
        assert_eq!(fs::metadata(at("real/script.sh")).unwrap().permissions().mode() & 0o7777, 0o2751);
    }
    assert!(
        at("link").symlink_metadata().unwrap().is_symlink() && at("folder").symlink_metadata().unwrap().is_symlink()
    );
    assert_eq!(names(&at("real")), ["script.sh"], "no temporary file is left");
}

#[test]
fn strange_names_work() {
    let (dir, tree) = tree();
    for name in ["a b.txt", " lead", "trail ", "new\nline", "quote'\"", "tab\t", "-dash", "ünï", "a\\b", "*?[x]"] {
        // What deceives or is easily mistaken is not made, and used like any other where it is.
        match name.contains(['\n', '\t', '\\']) {
            true => {
                assert!(matches!(tree.create(name, "one\n"), Err(RepoError::Spelling { .. })), "{name:?}");
                fs::write(dir.path().join(name), "one\n").unwrap();
            }
            false => drop(tree.create(name, "one\n").unwrap()),
        }
        let old = tree.read(name).unwrap();
        tree.write(name, &old, "two\n").unwrap();
        assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), "two\n");
        let listed = tree.walk(&Default::default()).unwrap();
        assert!(listed.iter().any(|it| it.rel == name), "{name:?}");
        assert_eq!(tree.delete(name).unwrap(), [name]);
    }
}

#[test]
fn a_file_that_changed_is_not_replaced() {
    let (dir, tree) = tree();
    let path = dir.path().join("a.txt");
    fs::write(&path, "one").unwrap();
    let old = tree.read("a.txt").unwrap();
    fs::write(&path, "two").unwrap();
    assert!(matches!(tree.write("a.txt", &old, "three"), Err(RepoError::Changed { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    fs::remove_file(&path).unwrap();
    assert!(matches!(tree.write("a.txt", &old, "three"), Err(RepoError::NotFound { .. })));
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
fn creating_moving_deleting() {
    let (dir, tree) = tree();
    let at = |it: &str| dir.path().join(it);
    tree.create("a/b/c.txt", "c").unwrap();
    assert!(matches!(tree.create("a/b/c.txt", "d"), Err(RepoError::Exists { .. })));
    assert!(matches!(tree.create("a/b", "d"), Err(RepoError::Exists { .. })));
    assert!(matches!(tree.create("a/b/c.txt/d/e", "d"), Err(RepoError::NotDirectory { .. })));
    assert_eq!(fs::read_to_string(at("a/b/c.txt")).unwrap(), "c");

    tree.create("other", "o").unwrap();
    assert!(matches!(tree.rename("a/b/c.txt", "other"), Err(RepoError::Exists { .. })));
    assert!(matches!(tree.rename("missing", "x"), Err(RepoError::NotFound { .. })));
    assert!(tree.rename("a", "a/b/inside").is_err());
    tree.rename("a/b/c.txt", "x/y/d.txt").unwrap();
    assert_eq!((at("a/b/c.txt").exists(), fs::read_to_string(at("x/y/d.txt")).unwrap()), (false, "c".to_owned()));
    tree.rename("x", "z").unwrap();

    // A link goes, its target stays.
    symlink("../other", at("z/link")).unwrap();
    symlink("/nonexistent", at("z/dangling")).unwrap();
    tree.rename("z/link", "z/moved").unwrap();
    assert_eq!(tree.delete("z/moved").unwrap(), ["z/moved"]);
    assert_eq!(tree.delete("z/dangling").unwrap(), ["z/dangling"]);
    assert!(at("other").exists());
    symlink(at("other"), at("z/again")).unwrap();
    assert_eq!(tree.delete("z").unwrap(), ["z/again", "z/y/d.txt"]);
    assert!(at("other").exists() && !at("z").exists());
    assert!(matches!(tree.delete("z"), Err(RepoError::NotFound { .. })));
}

#[test]
fn what_is_no_text_file_is_refused_in_words() {
    let (dir, tree) = tree();
    let at = |it: &str| dir.path().join(it);
    fs::write(at("bin"), b"\x7FELF\0\0\0").unwrap();
    fs::write(at("late"), [vec![b'a'; 8 << 10], vec![0]].concat()).unwrap();
    fs::File::create(at("big")).unwrap().set_len((8 << 20) + 1).unwrap();
    fs::create_dir(at("folder")).unwrap();
    symlink("loop", at("loop")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
    let words = |path: &str| tree.read(path).unwrap_err().to_string();
    assert!(words("bin").contains("binary file (7 bytes)"));
    assert!(words("big").contains("8388609 bytes, more than the 8388608"));
    assert!(words("folder").contains("list it instead"));
    assert!(words(".").contains("list it instead"));
    assert!(words("fifo").contains("a pipe, socket or device"));
    assert!(words("bin/x").contains("`bin/x` is not a folder") || words("bin/x").contains("not a folder"));
    assert!(words("loop").contains("loop"));
    assert!(tree.read("late").is_ok(), "only the start decides");
    assert!(matches!(tree.read_bytes("bin", 6), Err(RepoError::TooLarge { size: 7, limit: 6, .. })));
    assert_eq!(tree.read_bytes("bin", 7).unwrap(), b"\x7FELF\0\0\0");
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let (dir, tree) = tree();
    let path = dir.path().join("a.txt");
    fs::write(&path, "one").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let old = tree.read("a.txt").unwrap();
    assert!(matches!(tree.write("a.txt", &old, "two"), Err(RepoError::ReadOnly { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "one");
}

#[test]
fn missing_files_come_with_suggestions() {
    let (_dir, tree) = tree();
    let files = ["src/parser/lexer.rs", "src/main.rs", "src/utils.ts", "docs/guide.md", "README.md"];
    for path in files.into_iter().chain(["tests/apiAsyncComponent.spec.ts", "tests/apiInject.spec.ts"]) {
        tree.create(path, "").unwrap();
    }
    let table = [
        ("src/lexer.rs", "src/parser/lexer.rs"),
        ("src/mian.rs", "src/main.rs"),
        ("src/utils.js", "src/utils.ts"),
        ("readme.md", "README.md"),
        ("doc/guide.md", "docs/guide.md"),
        ("tests/apiAsync.spec.ts", "tests/apiAsyncComponent.spec.ts"),
    ];
    for (asked, wanted) in table {
        match tree.read(asked).unwrap_err() {
            RepoError::NotFound { path, similar } => {
                assert_eq!((path.as_str(), similar.first().map(String::as_str)), (asked, Some(wanted)), "{similar:?}");
            }
            other => panic!("{other}"),
        }
    }
    let error = tree.read("completely/else.zig").unwrap_err().to_string();
    assert_eq!(error, "`completely/else.zig` does not exist; list the folder or search to find the right path");
}

#[test]
fn line_ranges() {
    let (dir, tree) = tree();
    fs::write(dir.path().join("a"), "one\ntwo\r\nthrée\nfour").unwrap();
    fs::write(dir.path().join("empty"), "").unwrap();
    let wide: Vec<u8> = "one\ntwö\nthree\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(dir.path().join("wide"), [&b"\xFF\xFE"[..], &wide].concat()).unwrap();
    fs::write(dir.path().join("latin"), b"K\xF6nig\n\xC4pfel essen\n").unwrap();
    let table = [
        ("a", 1, None, 100, "one\ntwo\r\nthrée\nfour", 1, 4, 4, false),
        ("a", 2, Some(3), 100, "two\r\nthrée\n", 2, 3, 4, false),
        ("a", 4, Some(9), 100, "four", 4, 4, 4, false),
        ("a", 5, None, 100, "", 5, 4, 4, false),
        ("a", 0, Some(1), 100, "one\n", 1, 1, 4, false),
        ("a", 3, Some(2), 100, "", 3, 2, 4, false),
        ("a", 1, None, 6, "one\ntw", 1, 2, 4, true),
        ("a", 1, None, 4, "one\n", 1, 1, 4, true),
        ("a", 3, None, 4, "thr", 3, 3, 4, true),
        ("empty", 1, None, 100, "", 1, 0, 0, false),
        ("wide", 2, Some(2), 100, "twö\n", 2, 2, 3, false),
        ("latin", 2, None, 100, "Äpfel essen\n", 2, 2, 2, false),
    ];
    for (path, from, to, limit, text, first, last, total, truncated) in table {
        let got = tree.read_lines(path, from, to, limit).unwrap();
        let wanted = (text, first, last, Some(total), truncated);
        assert_eq!((got.text.as_str(), got.from, got.to, got.total_lines, got.truncated), wanted, "{path} {from}");
        assert_eq!(got.hash, Some(tree.read(path).unwrap().hash));
    }
}

#[test]
fn five_gigabytes_are_read_in_part() {
    let (dir, tree) = tree();
    let mut file = fs::File::create(dir.path().join("huge")).unwrap();
    let mut start = String::new();
    (1..=60_000).for_each(|it| start.push_str(&format!("line number {it}\n")));
    file.write_all(start.as_bytes()).unwrap();
    // A hole: it takes no room on the disk, and reading it all would take seconds.
    file.seek(SeekFrom::Start(5 << 30)).unwrap();
    file.write_all(b"\nend\n").unwrap();
    let started = std::time::Instant::now();
    let lines = tree.read_lines("huge", 50_000, Some(50_001), 1 << 20).unwrap();
    assert_eq!(lines.text, "line number 50000\nline number 50001\n");
    assert_eq!((lines.total_lines, lines.hash, lines.size), (None, None, (5 << 30) + 5));
    assert!(matches!(tree.read("huge"), Err(RepoError::TooLarge { .. })));
    let old = ox_repo::FileText { hash: Hash::of(b""), size: 0, ..tree_text(&tree) };
    assert!(matches!(tree.write("huge", &old, "x"), Err(RepoError::Changed { .. })));
    assert!(started.elapsed().as_secs() < 2, "{:?}", started.elapsed());
}

fn tree_text(tree: &Tree) -> ox_repo::FileText {
    tree.create("small", "").unwrap();
    tree.read("small").unwrap()
}
