//! What is worth knowing although nothing failed, such as stored keys that cannot be used.

use std::sync::OnceLock;

use ox_protocol::Problem;

static LISTENER: OnceLock<fn(&Problem)> = OnceLock::new();

/// Has `listener` told of every notice from now on. The first listener stays; without one nobody is told.
pub fn listen(listener: fn(&Problem)) {
    let _ = LISTENER.set(listener);
}

pub(crate) fn tell(problem: &Problem) {
    if let Some(listener) = LISTENER.get() {
        listener(problem);
    }
}
