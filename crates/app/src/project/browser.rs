//! Opening an address in the user's browser.

use std::path::Path;
use std::time::Duration;

use ox_protocol::{Problem, Runner};
use ox_sandbox::Plain;

use super::own_program::job;

/// How long the desktop may take to hand the address over.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the desktop's programs need to know.
const VARIABLES: [&str; 7] =
    ["HOME", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "BROWSER"];

/// Opens `address`. `root`: programs below it are not run. A problem: no program of the desktop could be started.
pub async fn open(root: &Path, address: &str) -> Result<(), Problem> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let job = job(root, vec![program.to_owned(), address.to_owned()], &VARIABLES, PATIENCE);
    let opened = Plain.run(job, None).await;
    opened.map(drop).map_err(|error| Problem::new("server.no_browser").with("why", error))
}
