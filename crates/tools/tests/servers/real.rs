//! The servers that a fresh machine gets from the set-up, over small projects with wide characters in them.

use ox_lsp::Servers;
use serde_json::json;

use crate::Test;
use crate::place::Place;

pub const TESTS: &[Test] = &[
    Test { name: "real: pyright", needs: Some("pyright-langserver"), run: pyright },
    Test { name: "real: typescript-language-server", needs: Some("typescript-language-server"), run: typescript },
    Test { name: "real: clangd", needs: Some("clangd"), run: clangd },
    Test { name: "real: gopls", needs: Some("gopls"), run: go },
];

/// With `OX_EXTENDED` alone.
pub const EXTENDED: &[Test] = &[Test { name: "real: rust-analyzer", needs: Some("rust-analyzer"), run: rust }];

/// What every server has to know about `greet`, which `first` defines on line 2 and `second` calls on line 3, behind
/// wide characters in the same line.
fn knows(place: &Place, first: &str, second: &str, defined: &str, called: &str) {
    let definition = place.ask("definition", second, "greet");
    assert!(definition.starts_with(&format!("{first}:2: {defined}")), "{definition}");
    let references = place.ask("references", first, "greet");
    let has = |line: &str| references.lines().any(|it| it.starts_with(line));
    assert!(has(&format!("{first}:2: {defined}")) && has(&format!("{second}:3: {called}")), "{references}");
    let hover = place.ask("hover", second, "greet");
    assert!(hover.contains("greet"), "{hover}");
    let symbols = place.run("language_server", &json!({"query": "symbols", "symbol": "greet"}));
    assert!(symbols.output.contains(&format!("{first}:2: function greet")), "{}", symbols.output);
}

fn renames(place: &Place, path: &str, files: [&str; 2]) {
    let outcome = place.run("rename_symbol", &json!({"path": path, "symbol": "greet", "new_name": "welcome"}));
    assert!(!outcome.is_failure(), "{}", outcome.output);
    for file in files {
        let text = place.read(file);
        assert!(text.contains("welcome") && !text.contains("greet"), "{text}\n{}", outcome.output);
    }
    assert!(place.ask("definition", path, "greet").contains("does not occur"));
}

fn pyright() {
    let place = Place::real();
    place.file("a.py", "\"\"\"\u{65e5}\u{672c}\"\"\"\ndef greet(name: str) -> str: return \"\u{1f680}\" + name\n");
    place.file("b.py", "from a import greet\n\nx = (\"\u{1f680}\u{65e5}\u{672c}\", greet(\"a\"))\n");
    knows(&place, "a.py", "b.py", "def greet", "x = (");
    assert_eq!(place.ask("diagnostics", "b.py", ""), "no problems in b.py [pyright]");
    // Somebody changes what the open file uses.
    place.file("a.py", "\"\"\"\"\"\"\ndef greet(name: int) -> str: return \"\u{1f680}\" * name\n");
    let reported = place.ask("diagnostics", "b.py", "");
    assert!(reported.starts_with("b.py:3:19: error: ") && reported.contains("[reportArgumentType]"), "{reported}");
    renames(&place, "b.py", ["a.py", "b.py"]);
    let edit = json!({"path": "b.py", "old": "welcome(\"a\")", "new": "welcome(1, 2)"});
    let outcome = place.run("edit_file", &edit);
    assert!(
        outcome.output.contains("[pyright finds 1 error that was not there before]\nb.py:3:"),
        "{}",
        outcome.output
    );
    place.close();
}

fn typescript() {
    let place = Place::real();
    place.file("tsconfig.json", "{\"compilerOptions\": {\"strict\": true}}\n");
    let line = "export function greet(name: string): string { return \"\u{1f680}\" + name; }\n";
    place.file("a.ts", &format!("// \u{65e5}\u{672c}\n{line}"));
    place.file(
        "b.ts",
        "import { greet } from \"./a\";\n\nexport const x = [\"\u{1f680}\u{65e5}\u{672c}\", greet(\"a\")];\n",
    );
    knows(&place, "a.ts", "b.ts", "export function greet", "export const x");
    assert!(place.ask("diagnostics", "b.ts", "").contains("in b.ts [typescript-language-server"));
    place.file("a.ts", &format!("\n{}", line.replace("name: string", "name: number")));
    let reported = place.ask("diagnostics", "b.ts", "");
    assert!(reported.starts_with("b.ts:3:32: error: ") && reported.contains("[TS2345]"), "{reported}");
    renames(&place, "b.ts", ["a.ts", "b.ts"]);
    place.close();
    // The compiler of a project that nobody trusted is not run, whatever it is.
    let mut place = Place::real();
    place.file("a.ts", "export const x = 1;\n");
    place.file("node_modules/typescript/lib/tsserver.js", "throw new Error(\"run\");\n");
    place.program("node_modules/.bin/typescript-language-server", "#!/bin/sh\nexit 1\n");
    let reported = place.ask("hover", "a.ts", "x");
    assert!(reported.contains("const x: 1"), "{reported}");
    place.close();
    // In one that somebody trusted its own server comes first, and this one does nothing.
    place.cx.servers = std::sync::Arc::new(Servers::new(true).searching(crate::place::search_path()));
    let reported = place.ask("hover", "a.ts", "x");
    assert!(reported.contains("could not be started"), "{reported}");
}

fn clangd() {
    let place = Place::real();
    let root = place.cx.tree.root().display().to_string();
    let entry = |file: &str| json!({"directory": root, "file": file, "command": format!("c++ -c {file}")});
    place.file("compile_commands.json", &json!([entry("a.cpp"), entry("b.cpp")]).to_string());
    place.file("a.h", "int greet(const char *name);\n");
    place.file("a.cpp", "#include \"a.h\"\nint greet(const char *name) { return name[0]; }\n");
    place.file(
        "b.cpp",
        "#include \"a.h\"\n\nint main() { const char *x = \"\u{1f680}\u{65e5}\u{672c}\"; return greet(x); }\n",
    );
    let references = place.ask("references", "b.cpp", "greet");
    let lines: Vec<&str> = references.lines().map(|it| it.split(": ").next().unwrap()).collect();
    assert_eq!(lines, ["a.cpp:2", "a.h:1", "b.cpp:3"], "{references}");
    assert!(place.ask("definition", "b.cpp", "greet").starts_with("a.cpp:2: int greet"));
    assert!(place.ask("hover", "b.cpp", "greet").contains("greet"));
    assert_eq!(place.ask("diagnostics", "b.cpp", ""), "no problems in b.cpp [clangd]");
    place.file("a.h", "int greet(int name);\n");
    let reported = place.ask("diagnostics", "b.cpp", "");
    assert!(reported.starts_with("b.cpp:3:44: error: No matching function"), "{reported}");
    place.file("a.h", "int greet(const char *name);\n");
    renames(&place, "b.cpp", ["a.cpp", "b.cpp"]);
    place.close();
    // Without the command lines it would rename in the files that it happens to know.
    let place = Place::real();
    place.file("include/a.h", "int greet(int name);\n");
    place.file("src/a.cpp", "#include \"a.h\"\nint greet(int name) { return name; }\n");
    let reported = place.ask("diagnostics", "src/a.cpp", "");
    assert!(reported.contains("'a.h' file not found") && reported.contains("no compile_commands.json"), "{reported}");
    let args = json!({"path": "include/a.h", "symbol": "greet", "new_name": "welcome"});
    let outcome = place.run("rename_symbol", &args);
    assert!(outcome.is_failure() && outcome.output.contains("no compile_commands.json"), "{}", outcome.output);
    assert!(place.read("include/a.h").contains("greet"));
    place.close();
}

fn rust() {
    let place = Place::real();
    place.file("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    place.file("src/lib.rs", "mod a;\nmod b;\n");
    let line = "pub fn greet(name: &str) -> String { format!(\"\u{1f680}{name}\") }\n";
    place.file("src/a.rs", &format!("// \u{65e5}\u{672c}\n{line}"));
    place.file(
        "src/b.rs",
        "use crate::a::greet;\n\npub fn x() -> (char, String) { ('\u{1f680}', greet(\"\u{65e5}\u{672c}\")) }\n",
    );
    knows(&place, "src/a.rs", "src/b.rs", "pub fn greet", "pub fn x");
    assert_eq!(place.ask("diagnostics", "src/b.rs", ""), "no problems in src/b.rs [rust-analyzer]");
    // Somebody changes what the open file uses.
    place.file("src/a.rs", "// one line\npub fn greet(name: &str, often: usize) -> String { name.repeat(often) }\n");
    let reported = place.ask("diagnostics", "src/b.rs", "");
    assert!(
        reported.starts_with("src/b.rs:3:") && reported.contains("error: expected 2 arguments, found 1"),
        "{reported}"
    );
    place.file("src/a.rs", &format!("// \u{65e5}\u{672c}\n{line}"));
    renames(&place, "src/b.rs", ["src/a.rs", "src/b.rs"]);
    place.close();
    // A wrapper that the project's settings name would be run for every compiler.
    let place = Place::real();
    place.file("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    place.file("src/lib.rs", "pub fn greet() {}\n");
    place.file(".cargo/config.toml", "[build]\nrustc-wrapper = \"./evil\"\n");
    let reported = place.ask("hover", "src/lib.rs", "greet");
    assert!(
        reported.contains("rust-analyzer obeys `.cargo/config.toml`") && reported.contains("ox trust"),
        "{reported}"
    );
}

/// The problems of `path`: a server that reads the standard library for the first time may have to be asked again, as it says.
fn problems(place: &Place, path: &str) -> String {
    let mut reported = place.ask("diagnostics", path, "");
    for _ in 0..5 {
        if !reported.ends_with("ask again") {
            break;
        }
        reported = place.ask("diagnostics", path, "");
    }
    reported
}

fn go() {
    let place = Place::real();
    place.file("go.mod", "module example.com/x\n\ngo 1.19\n");
    let line = "func greet(name string) string { return \"\u{1f680}\" + name }\n";
    place.file("a.go", &format!("package main // \u{65e5}\u{672c}\n{line}"));
    place.file(
        "b.go",
        "package main\n\nfunc main() { x := []string{\"\u{1f680}\u{65e5}\u{672c}\", greet(\"a\")}; _ = x }\n",
    );
    knows(&place, "a.go", "b.go", "func greet", "func main");
    assert_eq!(problems(&place, "b.go"), "no problems in b.go [gopls]");
    // Somebody changes what the open file uses.
    place.file("a.go", &format!("package main\n{}", line.replace("name string", "name int").replace("+ name", "")));
    let reported = problems(&place, "b.go");
    assert!(
        reported.starts_with("b.go:3:") && reported.contains("error: ") && reported.contains("greet"),
        "{reported}"
    );
    place.file("a.go", &format!("package main\n{line}"));
    renames(&place, "b.go", ["a.go", "b.go"]);
    place.close();
}
