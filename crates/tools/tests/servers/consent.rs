//! Names that no command may make: made once the user consented to exactly that, and never otherwise.

use ox_protocol::{Level, Outcome};
use serde_json::json;

use crate::Test;
use crate::place::Place;

pub const TESTS: &[Test] = &[Test { name: "consent: names that no command may make", needs: Some("git"), run: names }];

/// What a command makes, beside the command: said openly, so that it is asked about, and hidden in a script.
const MADE: [(&str, &str); 5] = [
    ("git init -q", ".git/config"),
    ("printf 'KEY=1\\n' > .env", ".env"),
    ("cp sample .env", ".env"),
    ("mkdir -p .husky && echo 'npm test' > .husky/pre-commit", ".husky/pre-commit"),
    ("echo '{}' > .mcp.json", ".mcp.json"),
];

/// True when the command ended with an error.
fn failed(outcome: &Outcome) -> bool {
    outcome.is_failure() || outcome.output.contains("[exit code")
}

fn names() {
    for (command, made) in MADE {
        let place = Place::real();
        place.file("sample", "KEY=1\n");
        place.file("hidden.sh", &format!("{command}\n"));
        let exists = || place.cx.tree.root().join(made).exists();
        // Nobody is asked about what a script does, and it does not do it.
        let hidden = place.call("run_command", &json!({"command": "sh hidden.sh"}));
        assert_eq!(hidden.facts.level, Level::Shell);
        let outcome = place.run_call(&hidden);
        assert!(failed(&outcome) && !exists(), "{command} made {made} unasked: {}", outcome.output);
        // Consent to something else opens nothing.
        let other = place.call("run_command", &json!({"command": "echo x > .envrc; sh hidden.sh"}));
        assert_eq!(other.facts.level, Level::System);
        place.run_call(&other);
        assert!(!exists(), "{command} made {made} with consent to something else");
        let open = place.call("run_command", &json!({"command": command}));
        assert_eq!(open.facts.level, Level::System, "{command} is not asked about");
        let outcome = place.run_call(&open);
        assert!(!failed(&outcome) && exists(), "{command}: {}", outcome.output);
    }
    // Settings of a repository that is there.
    let place = Place::real();
    place.run_call(&place.call("run_command", &json!({"command": "git init -q"})));
    place.file("hidden.sh", "git config core.pager x\n");
    assert!(failed(&place.run("run_command", &json!({"command": "sh hidden.sh"}))));
    assert!(!failed(&place.run("run_command", &json!({"command": "git config core.pager x"}))));
    assert!(place.read(".git/config").contains("pager = x"));
}
