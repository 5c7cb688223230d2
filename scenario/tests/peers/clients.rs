//! The official Python clients against our mock servers: what they make of a stream is what the script says, their strictest
//! reading of each event finds nothing wrong, errors are raised as their own classes, and the mock finds nothing wrong with
//! what they ask.

use std::process::Command;

use ox_model::scripted::{Step, parse_script};
use ox_scenario::wire::{self, KEY, Mock};

use crate::{TALK, python};

/// What every format serves after the talk; each program asks in this order.
const ENDS: &str = "\
-- model --
@@finish filter
No.
-- model: fail 429 retry-after=7 slow down --
-- model: fail 500 broken --
-- model: fail 529 overloaded --
-- model: fail 401 who are you --
-- model: fail 404 no such model --
-- model: fail context_too_long too long --
-- model: cut --
Half of it
";

fn play(start: impl AsyncFnOnce(Vec<Step>) -> std::io::Result<Mock>, program: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mock = runtime.block_on(start(parse_script(&[TALK, ENDS].concat()))).unwrap();
    let ran = Command::new(python::interpreter())
        .arg(python::program(program))
        .args([&mock.base_url, KEY])
        .env_remove("HTTP_PROXY")
        .env_remove("http_proxy")
        .env("NO_PROXY", "127.0.0.1")
        // Nothing is left beside the programs.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{program}:\n{said}\nviolations: {:#?}", mock.violations());
    assert_eq!(mock.violations(), Vec::<String>::new(), "{program}");
    assert_eq!(mock.left(), 0, "{program} did not ask for all of the script");
}

pub fn openai_chat() {
    play(wire::openai, "openai_chat.py");
}

pub fn openai_responses() {
    play(wire::responses, "openai_responses.py");
}

pub fn anthropic() {
    play(wire::anthropic, "anthropic_messages.py");
}

pub fn gemini() {
    play(wire::gemini, "gemini.py");
}
