//! The picture that the user's clipboard holds.

use std::path::Path;
use std::time::Duration;

use ox_protocol::{Problem, Runner};
use ox_sandbox::Plain;
use tempfile::NamedTempFile;

use super::own_program::job;

/// How long the desktop may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Writes the picture to the file that it is given. The desktop decides which program knows its clipboard.
const SCRIPT: &str = "if [ -n \"$WAYLAND_DISPLAY\" ]; then wl-paste --type image/png; \
     elif [ -n \"$DISPLAY\" ]; then xclip -selection clipboard -target image/png -out; \
     else pngpaste -; fi >\"$1\" 2>/dev/null";

/// What the desktop's programs need to know.
const VARIABLES: [&str; 5] = ["HOME", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DISPLAY", "XAUTHORITY"];

/// A file with the picture in the clipboard, removed when it is dropped; none where there is no picture, or no program
/// (`wl-paste`, `xclip`, on macOS `pngpaste`) that could tell. `root`: programs below it are not run.
pub async fn picture(root: &Path) -> Result<Option<NamedTempFile>, Problem> {
    let failed = |why: String| Problem::new("usage.clipboard").with("why", why);
    let file = tempfile::Builder::new().prefix("ox-").suffix(".png").tempfile().map_err(|it| failed(it.to_string()))?;
    let argv = ["sh", "-c", SCRIPT, "sh", &file.path().display().to_string()].map(str::to_string).to_vec();
    let exit = Plain.run(job(root, argv, &VARIABLES, PATIENCE), None).await.map_err(|it| failed(it.to_string()))?;
    let length = file.as_file().metadata().map_err(|it| failed(it.to_string()))?.len();
    Ok((exit.code == Some(0) && length > 0).then_some(file))
}
