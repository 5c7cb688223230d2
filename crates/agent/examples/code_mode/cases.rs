//! The tasks: what is there, what has to come out, and the ways to do it. Each way is what a good model would send: calls side by
//! side where they can be, the tool that fits best, the shortest shell command, the shortest script.

use std::fmt::Write as _;
use std::sync::Arc;

use ox_protocol::Outcome;
use ox_tools::{Run, Tool, object};
use serde_json::{Value, json};

/// The calls of one reply.
pub type Round = Vec<(&'static str, Value)>;

/// One task.
#[derive(Default)]
pub struct Case {
    pub name: &'static str,
    pub task: &'static str,
    pub files: Vec<(String, String)>,
    /// The answer.
    pub expected: String,
    /// By plain calls without a shell.
    pub calls: Vec<Round>,
    /// What the model has to work out itself from the results of the plain calls.
    pub derive: Derive,
    /// By a shell command; none where the shell does not reach.
    pub shell: Vec<Round>,
    /// By one script.
    pub script: Vec<Round>,
}

/// How an answer follows from results.
pub struct Derive(Box<Work>);

type Work = dyn Fn(&[String]) -> String;

impl Default for Derive {
    fn default() -> Derive {
        Derive(Box::new(|_| String::new()))
    }
}

impl std::ops::Deref for Derive {
    type Target = Work;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

fn derive(by: impl Fn(&[String]) -> String + 'static) -> Derive {
    Derive(Box::new(by))
}

/// All tasks.
pub fn all() -> Vec<Case> {
    vec![count(), rename(), figures(), lists(), packages(), call_sites(), tracker_issues()]
}

fn shell(command: &str) -> Vec<Round> {
    vec![vec![("run_command", json!({"command": command}))]]
}

fn script(script: &str) -> Vec<Round> {
    vec![vec![("run_script", json!({"script": script}))]]
}

/// The number of `unwrap()` in each of 30 files.
fn count() -> Case {
    let unwraps = |at: usize| (at * 7) % 5;
    let text = |at: usize| {
        let mut text = format!("//! Part {at}.\n\npub fn part_{at}(text: &str) -> u32 {{\n    let mut sum = 0;\n");
        for line in 0..8 {
            let end = if line < unwraps(at) { ".unwrap()" } else { ".unwrap_or(0)" };
            let _ = writeln!(text, "    sum += text[{line}..{}].parse::<u32>(){end};", line + 1);
        }
        text + "    sum\n}\n"
    };
    let files: Vec<_> = (0..30).map(|at| (format!("src/part_{at:02}.rs"), text(at))).collect();
    let mut all: Vec<(usize, String)> = (0..30).map(|at| (unwraps(at), format!("src/part_{at:02}.rs"))).collect();
    let total: usize = all.iter().map(|it| it.0).sum();
    all.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let worst: Vec<String> = all.iter().take(5).map(|it| format!("{} {}", it.0, it.1)).collect();
    let expected = format!("total {total}\n{}", worst.join("\n"));
    Case {
        name: "count over 30 files",
        task: "How many `.unwrap()` are there in src, and which five files have most of them?",
        files,
        expected: expected.clone(),
        calls: vec![vec![(
            "search_code",
            json!({"pattern": ".unwrap()", "literal": true, "path": "src", "limit": 200}),
        )]],
        derive: derive(move |all| {
            assert_eq!(all[0].matches(".unwrap()").count(), total);
            expected.clone()
        }),
        shell: shell(
            "grep -oF '.unwrap()' src/*.rs | cut -d: -f1 | sort | uniq -c | sort -k1,1nr -k2 | awk '{t+=$1; if (NR<6) l=l \"\\n\" $1 \" \" $2} END {print \"total \" t l}'",
        ),
        script: script(
            r#"let n = 0; let all = [];
for path in tool("list_files", #{path: "src"}).split("\n") {
    let c = tool("read_file", #{path: path}).split(".unwrap()").len() - 1;
    n += c; all.push([c, path]);
}
all.sort(|a, b| if a[0] != b[0] { b[0] - a[0] } else if a[1] < b[1] { -1 } else { 1 });
print("total " + n);
for it in all.extract(0, 5) { print(it[0] + " " + it[1]); }"#,
        ),
    }
}

/// A function renamed in the files that import it, and not in those that have one of the same name.
fn rename() -> Case {
    let imports = |at: usize| !at.is_multiple_of(5);
    let text = |at: usize| {
        let head = if imports(at) { "use crate::config::load;\n" } else { "fn load(_: &str) -> u32 {\n    0\n}\n" };
        format!(
            "//! Step {at}.\n\n{head}\npub fn step_{at}() -> u32 {{\n    let first = load(\"a{at}\");\n    first + load(\"b\") + reload({at})\n}}\n\nfn reload(it: u32) -> u32 {{\n    it\n}}\n"
        )
    };
    let files: Vec<_> = (0..20).map(|at| (format!("src/step_{at:02}.rs"), text(at))).collect();
    let edit = |at: usize| {
        let path = format!("src/step_{at:02}.rs");
        let one = |old: String, new: String| json!({"path": path, "old": old, "new": new});
        [
            one("::load;".into(), "::load_config;".into()),
            one(format!("= load(\"a{at}"), format!("= load_config(\"a{at}")),
            one("+ load(".into(), "+ load_config(".into()),
        ]
    };
    let edits: Vec<Value> = (0..20).filter(|at| imports(*at)).flat_map(edit).collect();
    Case {
        name: "rename in 16 of 20 files",
        task: "Rename `load` of crate::config to `load_config` in all files of src that import it; others have a function of the same name of their own.",
        files,
        expected: "16 files".into(),
        calls: vec![
            vec![("search_code", json!({"pattern": r"\bload\b", "path": "src", "limit": 200}))],
            vec![("edit_file", json!({"edits": edits}))],
        ],
        derive: derive(|all| format!("{} files", all[0].matches("config::load;").count())),
        shell: shell(
            r"f=$(grep -l 'use crate::config::load;' src/*.rs); sed -i 's/\bload\b/load_config/g' $f; echo $(echo $f | wc -w) files",
        ),
        script: script(
            r#"let n = 0;
for path in tool("list_files", #{path: "src"}).split("\n") {
    let text = tool("read_file", #{path: path});
    if text.contains("use crate::config::load;") {
        let edits = [];
        for line in text.split("\n") {
            let to = line; to.replace("::load;", "::load_config;"); to.replace(" load(", " load_config(");
            if to != line { edits.push(#{old: line, "new": to}); }
        }
        tool("edit_file", #{path: path, edits: edits}); n += 1;
    }
}
n + " files""#,
        ),
    }
}

/// Sums over 24 JSON files.
fn figures() -> Case {
    let (suites, mut totals) = (["api", "core", "web"], [0; 3]);
    let mut files = Vec::new();
    for at in 0..24 {
        let tests: Vec<Value> = (0..6)
            .map(|it| json!({"name": format!("case_{at}_{it}"), "ms": (at * 37 + it * 91) % 400, "status": if (at + it) % 9 == 0 { "failed" } else { "passed" }, "file": format!("tests/{}/case_{it}.rs", suites[at % 3])}))
            .collect();
        totals[at % 3] += tests.iter().filter_map(|it| it["ms"].as_u64()).sum::<u64>();
        let text = serde_json::to_string_pretty(&json!({"suite": suites[at % 3], "run": at, "tests": tests}));
        files.push((format!("reports/run_{at:02}.json"), text.expect("JSON") + "\n"));
    }
    let expected = suites.iter().zip(totals).map(|(it, sum)| format!("{it} {sum}")).collect::<Vec<_>>().join("\n");
    let read = (0..24).map(|at| ("read_file", json!({"path": format!("reports/run_{at:02}.json")}))).collect();
    let answer = expected.clone();
    Case {
        name: "figures of 24 JSON files",
        task: "Each reports/*.json has a suite and tests with ms. Give the sum of ms by suite.",
        files,
        expected,
        calls: vec![read],
        derive: derive(move |all| {
            assert_eq!(all.iter().map(|it| it.matches("\"ms\"").count()).sum::<usize>(), 24 * 6);
            answer.clone()
        }),
        shell: shell(r#"jq -rs 'group_by(.suite)[] | "\(.[0].suite) \([.[].tests[].ms] | add)"' reports/*.json"#),
        script: script(
            r#"let sums = #{};
for path in tool("list_files", #{path: "reports"}).split("\n") {
    let it = parse_json(tool("read_file", #{path: path}));
    let sum = sums[it.suite] ?? 0;
    for test in it.tests { sum += test.ms; }
    sums[it.suite] = sum;
}
for suite in sums.keys() { print(suite + " " + sums[suite]); }"#,
        ),
    }
}

/// Two lists held against each other.
fn lists() -> Case {
    let names: Vec<String> = (0..60).map(|at| format!("option_{}_{at:02}", ["cache", "net", "log"][at % 3])).collect();
    let mut code = String::from("pub const OPTIONS: &[&str] = &[\n");
    let mut docs = String::from("# Options\n\n");
    for (at, name) in names.iter().enumerate() {
        if at % 17 != 3 {
            let _ = writeln!(code, "    \"{name}\",");
        }
        if at % 13 != 5 {
            let _ = writeln!(docs, "- `{name}`: sets what number {at} of the options is about, see the manual.");
        }
    }
    let list = |modulo: usize, rest: usize| {
        names.iter().enumerate().filter(|it| it.0 % modulo == rest).map(|it| it.1.clone()).collect::<Vec<_>>()
    };
    let mut lines: Vec<String> = list(13, 5).iter().map(|it| format!("undocumented {it}")).collect();
    lines.extend(list(17, 3).iter().map(|it| format!("unknown {it}")));
    lines.sort();
    let expected = lines.join("\n");
    let answer = expected.clone();
    Case {
        name: "two lists",
        task: "Which options of src/options.rs are missing from docs/options.md, and the other way round?",
        files: vec![("src/options.rs".into(), code + "];\n"), ("docs/options.md".into(), docs)],
        expected,
        calls: vec![vec![
            ("read_file", json!({"path": "src/options.rs"})),
            ("read_file", json!({"path": "docs/options.md"})),
        ]],
        derive: derive(move |all| {
            assert!(all[0].contains("option_") && all[1].contains("option_"));
            answer.clone()
        }),
        shell: shell(
            r"cd src; n() { grep -o 'option_[a-z0-9_]*' $1 | sort; }; n options.rs > /tmp/a; n ../docs/options.md > /tmp/b; (comm -23 /tmp/a /tmp/b | sed 's/^/undocumented /'; comm -13 /tmp/a /tmp/b | sed 's/^/unknown /') | sort",
        ),
        script: script(
            r#"let code = tool("read_file", #{path: "src/options.rs"}).split("\"").filter(|it| it.starts_with("option_"));
let docs = tool("read_file", #{path: "docs/options.md"}).split("`").filter(|it| it.starts_with("option_"));
let out = code.filter(|it| !(it in docs)).map(|it| "undocumented " + it) + docs.filter(|it| !(it in code)).map(|it| "unknown " + it);
out.sort();
for it in out { print(it); }"#,
        ),
    }
}

/// A command for each of eight packages.
fn packages() -> Case {
    let mut files = Vec::new();
    let mut lines = Vec::new();
    for at in 0..8 {
        let lines_out = 40 + at;
        let failed = at % 3;
        files.push((
            format!("packages/p{at}/test.sh"),
            format!("for i in $(seq {lines_out}); do echo \"test p{at}::case_$i ... ok\"; done\necho \"result: {lines_out} passed, {failed} failed\"\n"),
        ));
        lines.push(format!("p{at} {lines_out} passed, {failed} failed"));
    }
    let run = (0..8).map(|at| ("run_command", json!({"command": format!("sh packages/p{at}/test.sh")}))).collect();
    Case {
        name: "a command in 8 packages",
        task: "Run test.sh of every package and say for each how many passed and failed.",
        files,
        expected: lines.join("\n"),
        calls: vec![run],
        derive: derive(|all| {
            let line = |(at, it): (usize, &String)| {
                let last = it.lines().find_map(|it| it.strip_prefix("result: ")).expect("a result");
                format!("p{at} {last}")
            };
            all.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
        }),
        shell: shell(
            r#"for p in packages/*; do echo "${p##*/} $(sh $p/test.sh 2>&1 | sed -n 's/^result: //p')"; done"#,
        ),
        script: script(
            r#"for at in 0..8 {
    for line in tool("run_command", #{command: `sh packages/p${at}/test.sh`}).split("\n") {
        if line.starts_with("result: ") { print(`p${at} ` + line.sub_string(8)); }
    }
}"#,
        ),
    }
}

/// Calls over several lines without a certain argument.
fn call_sites() -> Case {
    let mut files = Vec::new();
    let mut lines = Vec::new();
    for at in 0..12 {
        let mut text = format!("//! Client {at}.\n\n");
        for site in 0..4 {
            let timeout = if (at + site) % 4 == 1 { "" } else { "        timeout: 30,\n" };
            let begins = text.lines().count() + 2;
            if timeout.is_empty() {
                lines.push(format!("src/client_{at:02}.rs:{begins}"));
            }
            let _ = write!(
                text,
                "fn ask_{at}_{site}() {{\n    connect(Options {{\n        host: \"h{site}\",\n{timeout}        retries: {site},\n    }});\n}}\n\n"
            );
        }
        files.push((format!("src/client_{at:02}.rs"), text));
    }
    let answer = lines.join("\n");
    Case {
        name: "call-sites by a condition",
        task: "Which calls of connect( in src set no timeout? Give file:line.",
        files,
        expected: answer.clone(),
        calls: vec![vec![("search_code", json!({"pattern": r"connect\(|timeout:", "path": "src", "limit": 300}))]],
        derive: derive(move |all| {
            assert_eq!((all[0].matches("connect(").count(), all[0].matches("timeout:").count()), (48, 36));
            answer.clone()
        }),
        shell: shell(
            r#"awk '/connect\(/ {at=FILENAME ":" FNR; t=0} /timeout:/ {t=1} /\}\);/ {if (!t) print at}' src/*.rs"#,
        ),
        script: script(
            r#"for path in tool("list_files", #{path: "src"}).split("\n") {
    let n = 0; let at = 0; let t = false;
    for line in tool("read_file", #{path: path}).split("\n") {
        n += 1;
        if line.contains("connect(") { at = n; t = false; }
        if line.contains("timeout:") { t = true; }
        if line.contains("});") && !t { print(path + ":" + at); }
    }
}"#,
        ),
    }
}

/// A server's tool, which the shell does not reach.
pub fn tracker() -> Tool {
    Tool {
        name: "mcp__tracker__issue".into(),
        description: "One issue by its number.".into(),
        schema: object(&["number"], json!({"number": {"type": "integer"}})),
        run: Run::Dynamic(Arc::new(|_, args| {
            let issue = issue(args["number"].as_u64().unwrap_or_default());
            Box::pin(async move { Ok(Outcome::ok(issue.to_string()).into()) })
        })),
        ..Tool::base()
    }
}

fn issue(number: u64) -> Value {
    let body = format!("Issue {number}: after the update the page of reports stays empty until it is loaded again. ")
        .repeat(8);
    let assignee = ["ana", "bo", "cy"][(number / 2 % 3) as usize];
    json!({"number": number, "state": if number.is_multiple_of(3) { "closed" } else { "open" }, "assignee": assignee, "points": number % 5 + 1, "body": body})
}

fn tracker_issues() -> Case {
    let mut points = [0; 3];
    for it in (1..=25).map(issue).filter(|it| it["state"] == "open") {
        let at = ["ana", "bo", "cy"].iter().position(|name| it["assignee"] == **name).expect("somebody");
        points[at] += it["points"].as_u64().expect("a number");
    }
    let expected = ["ana", "bo", "cy"].iter().zip(points).map(|(it, sum)| format!("{it} {sum}")).collect::<Vec<_>>();
    let answer = expected.join("\n");
    let call = |number: u64| ("use_tool", json!({"name": "mcp__tracker__issue", "args": {"number": number}}));
    Case {
        name: "25 issues of an MCP server",
        task: "The MCP server tracker has issues 1 to 25 (number, state, assignee, points, body), read by mcp__tracker__issue with number. Give the sum of points of open issues by assignee.",
        files: Vec::new(),
        expected: answer.clone(),
        calls: vec![(1..=25).map(call).collect()],
        derive: derive(move |all| {
            assert_eq!(all.iter().filter(|it| it.contains("\"points\"")).count(), 25);
            answer.clone()
        }),
        shell: Vec::new(),
        script: script(
            r#"let sums = #{};
for n in 1..=25 {
    let it = parse_json(tool("mcp__tracker__issue", #{number: n}));
    if it.state == "open" { sums[it.assignee] = (sums[it.assignee] ?? 0) + it.points; }
}
for who in sums.keys() { print(who + " " + sums[who]); }"#,
        ),
    }
}
