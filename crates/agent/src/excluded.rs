//! What a user leaves out of a conversation: tools find it neither by name nor through the index.

use std::sync::Arc;

use ox_tools::{CallContext, CodeIndex};

/// Has a call neither read nor list what these globs match; the index shows no text of it.
pub(crate) fn leave_out(cx: &mut CallContext, globs: &[String]) {
    if globs.is_empty() {
        return;
    }
    // A glob that cannot be read was refused when it was given.
    let Ok(tree) = cx.tree.without(globs) else { return };
    cx.tree = tree.clone();
    let Some(code) = cx.code.clone() else { return };
    let read = code.read.clone();
    let read = move |path: &str| match tree.leaves_out(path) {
        true => Err(std::io::ErrorKind::NotFound.into()),
        false => read(path),
    };
    cx.code = Some(CodeIndex { read: Arc::new(read), ..code });
}
