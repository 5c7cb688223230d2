//! The HTTP interface against its own description: what a property-based tester makes of it is answered as it says.

use std::process::Command;

use crate::server::Server;
use crate::{Missing, Outcome, Place, root, run};

pub fn is_what_its_description_says(place: &Place) -> Outcome {
    let has = |it: &mut Command| it.arg("--version").output().is_ok_and(|it| it.status.success());
    if !has(&mut Command::new("schemathesis")) {
        return Err(Missing::Tool("schemathesis"));
    }
    let server = Server::start();
    let (project, conversation) = server.conversation();
    let folder = root().join("crates/ox/tests/web");
    let config = folder.join("schemathesis.toml").display().to_string();
    let folder = folder.display().to_string();
    let variables = [
        ("OX_TOKEN", server.token.as_str()),
        ("OX_PROJECT", &project),
        ("OX_CONVERSATION", &conversation),
        ("PYTHONPATH", &folder),
        ("PYTHONDONTWRITEBYTECODE", "1"),
    ];
    let description = format!("{}/openapi.json", server.url);
    let args = ["--no-color", "--config-file", &config, "run", &description, "--url", &server.url];
    run(&place.at(""), "schemathesis", &args, &variables)
}
