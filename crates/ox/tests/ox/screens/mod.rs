//! A whole conversation as a person sees it: everything that has scrolled off, the screen, and the caret, at three sizes.

mod settled;
mod streaming;
mod writing;

use expect_test::{ExpectFile, expect_file};

use crate::place::Place;
use crate::terminal::{Size, Terminal};
use settled::settled;

const CONFIG: &str = "[[checks]]\nkind = \"test\"\ncommand = \"sh check.sh\"\n";
const GREETING: &str =
    "NAME = \"world\"\n\n\ndef greet(name=NAME):\n    return \"Hello, \" + name\n\n\nprint(greet())\n";

const SCRIPT: &str = r#"-- model --
@@think The greeting is made in one place, so I read that before I say what I would change.
@read_file
path: greet.py
-- model --
The greeting is made in `greet.py`. There are **two ways** to make it friendlier:

| Way | What changes | Where |
|---|---|---|
| an exclamation mark | the text that is returned, nothing else | greet.py, line 5 |
| 亲切的问候 | the word itself, and so every test that compares it | greet.py, line 5, and the tests |

```python
def greet(name=NAME):
    return f"Hello, {name}!"  # 你好
```

1. The first keeps what callers compare with.
2. The second is [described elsewhere](https://example.com/greetings) at some length, so that this item is wrapped.

> A greeting costs nothing.

@ask_user
question: Which way should the greeting go?
options: = ["an exclamation mark", "another word"]
-- model --
@run_command
command: for n in 1 2 3 4 5 6 7 8 9; do echo "greeting $n of 9"; done | tee greetings.txt
-- model --
@edit_file
path: greet.py
old: |
      return "Hello, " + name
new: |
      return f"Hello, {name}!"
why: a friendlier greeting
-- model --
@attempt_completion
result: |
  The greeting ends in an exclamation mark now.

  - `greet` formats its text instead of adding two strings.
"#;

/// The conversation up to its end, on a terminal of this size.
fn conversation(columns: usize, rows: usize, expected: ExpectFile) {
    let place = Place::within("/tmp"); // Where lines are wrapped depends on how long its name is.
    place.write("greet.py", GREETING);
    place.write("check.sh", "echo '2 passed in 0.01s'\n");
    place.write(".ox/config.toml", CONFIG);
    place.trusts();
    let model = place.script(SCRIPT);
    let args = ["--approval", "ask", "--allow", "run_checks", "--model", &model];
    let mut terminal = Terminal::sized(&place, &args, &[], Size { columns, rows });
    terminal.pictures(&["›"]);
    terminal.types("Make the greeting friendlier, 请.\r");
    terminal.pictures(&["Which way", "2 another word"]);
    terminal.types("1");
    terminal.pictures(&["a always allow", "x explain"]);
    terminal.types("y");
    terminal.pictures(&["Edit greet.py?", "x explain"]);
    terminal.types("y");
    terminal.pictures(&["Done; all checks pass.", "›"]);
    terminal.types("/mode chat\r");
    let picture = terminal.pictures(&["Mode: chat", "›", "chat · "]);
    expected.assert_eq(&settled(&picture));
    terminal.leaves();
}

#[test]
fn a_conversation_at_fifty_columns() {
    conversation(50, 15, expect_file!["conversation-50x15.txt"]);
}

#[test]
fn a_conversation_at_eighty_columns() {
    conversation(80, 24, expect_file!["conversation-80x24.txt"]);
}

#[test]
fn a_conversation_at_a_hundred_and_twenty_columns() {
    conversation(120, 40, expect_file!["conversation-120x40.txt"]);
}
