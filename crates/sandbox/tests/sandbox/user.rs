//! The same once more as a normal user, where this is root.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The identity of a user that owns nothing.
const NOBODY: u32 = 65534;

#[test]
fn everything_holds_for_a_normal_user() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    // The build's own folder may be closed to others.
    let folder = tempfile::Builder::new().prefix("sandbox-").tempdir_in("/var/tmp").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let own = std::env::current_exe().unwrap();
    let helper =
        own.ancestors().skip(1).take(2).map(|it| it.join("ox-sandbox-helper")).find(|it| it.is_file()).unwrap();
    for (from, name) in [(own.as_path(), "sandbox"), (helper.as_path(), "ox-sandbox-helper")] {
        fs::copy(from, folder.path().join(name)).unwrap();
    }
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    std::os::unix::fs::chown(&home, Some(NOBODY), Some(NOBODY)).unwrap();
    let mut again = Command::new(folder.path().join("sandbox"));
    again.args(["--skip", "tools::", "--skip", "user::"]).env("HOME", &home).env("TMPDIR", &home).current_dir(&home);
    again.env("PATH", "/usr/local/bin:/usr/bin:/bin").env_remove("CARGO_HOME").uid(NOBODY).gid(NOBODY);
    let output = again.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
