//! A session as it looks, moment by moment, and the keys of its dialogs.

use expect_test::{Expect, expect};
use ox_protocol::locale::Language;
use ox_protocol::{Level, Seq, VERSION};
use serde_json::json;

use super::*;
use crate::canned::{self, Script};
use crate::text::wrap;

pub(super) const T: Time = Time(1_700_000_000_000);

pub(super) fn screen(width: usize) -> Screen {
    Screen::new(Look { language: Language::En, width, live: true, apart: false, echo: false })
}

pub(super) fn text(lines: &[Line], width: usize) -> String {
    lines.iter().flat_map(|line| wrap(line, width)).map(|line| line.text().trim_end().to_string() + "\n").collect()
}

fn printed(script: Script, width: usize, language: Language) -> String {
    let mut screen = screen(width);
    screen.look.language = language;
    script.steps.iter().map(|step| text(&screen.update(&step.update), width)).collect()
}

pub(super) fn live(screen: &Screen, after_ms: u64, columns: usize) -> String {
    let live = screen.live(Time(T.0 + after_ms), columns, 24);
    text(&live.lines, columns)
}

pub(super) fn frame(event: Event) -> Update {
    Update::Frame(Frame { v: VERSION, seq: Seq(1), time: T, event })
}

fn shows(script: Script, width: usize, language: Language, expected: Expect) {
    expected.assert_eq(&printed(script, width, language));
}

#[test]
fn the_session_at_eighty_columns() {
    shows(
        canned::session(),
        79,
        Language::En,
        expect![[r#"
            ● build · demo/recorded · ask · checks: cargo check, cargo test
            ✓ prepare  ✓ context  ✓ prompt  (23 ms)

            I'll look at the failing test and at Parser::unit first.

            ✓ read_file src/parser.rs:30-60 (3 ms)
            ✓ search_code “parse_duration” · tests (12 ms)
            ✗ read_file src/parsr.rs (1 ms)
                src/parsr.rs does not exist; did you mean src/parser.rs? …
            Plan
              ☐ 1. Accept the unit `ms`
              ☐ 2. Run the tests
            Todo 0/2
              ▸ Accept `ms`
              ☐ Run the tests

            The unit ms is read as
            (broken off)

            ↻ Try 2 of 6 in 1.5 s: The provider limits the rate of requests. (Rate limit
              reached for requests)

            The unit ms is read as minutes, because m matches first:

              Some('m') => Ok(60),   // "5ms" ends here

            Two things follow:

            1. m must look at the next character,
            2. the result needs milliseconds.

            input │ before │ after
            ──────┼────────┼──────
            5ms   │  300 s │  5 ms
            2m    │  120 s │ 120 s

            ? edit_file needs your consent (level 1: changes the project)
                path: src/parser.rs
                old: a
                new: b
                Asked because: the project's checks run commands
            ✓ Allowed
            ✓ edit_file src/parser.rs:44 +4 −1 (3 ms)
                @@ -41,6 +41,9 @@ impl Parser {
                     fn unit(&mut self) -> Result<u64, ParseError> {
                         match self.next() {
                             Some('s') => Ok(1),
                -            Some('m') => Ok(60),
                +            Some('m') if self.peek() == Some('s') => {
                +                self.next();
                +                Ok(0)
                +            }
                             Some('h') => Ok(3600),

            ? run_command needs your consent (level 2: runs a command)
                $ cargo test --workspace
                Asked because: the project's checks run commands
            ✓ Allowed
            • run_command `cargo test --workspace` · exit code 101 (2.3 s)
                … 2 more lines
                failures:
                    five_ms
                assertion `left == right` failed
                  left: 0
                 right: 5
                test result: FAILED. 11 passed; 1 failed

            One more change: milliseconds count as 1.

            ✓ edit_file src/parser.rs:46 +2 −1 (2 ms)
                @@ -44,7 +44,7 @@
                             Some('m') if self.peek() == Some('s') => {
                                 self.next();
                -                Ok(0)
                +                Ok(1)
                             }
                +            Some('m') => Ok(60_000),
            Verification, round 1 of 5
            ✓ cargo check (800 ms)
            ✗ cargo test failed (3.1 s)
                tests/duration.rs:12 five_ms assertion `left == right` failed: left: 0,
                  right: 5
            ↻ Not done yet: checks fail that passed before (1 of 5)
            Verification, round 2 of 5
            ✓ cargo check (300 ms)
            ✓ cargo test (2.9 s)

            5ms is five milliseconds now; m alone still means minutes.

            Changed files
              ~ src/parser.rs +4 −1  accept the unit ms
              + tests/duration.rs +2  cover ms and m

            Checks  ✓ cargo check  ✓ cargo test

            See for yourself
              Run cargo run -- 5ms; it prints 5.

            Left undone
              • The README still says that only s, m and h are known.
            ✓ work  ✓ summary  ✓ record  ✓ clean up  (3 ms)

            ✓ Done; the checks pass.
              4 steps · 34.1k tokens in (25.5k cached), 1.2k out · $0.10 · 10 s · 13 % of
              the window
        "#]],
    );
}

#[test]
fn the_session_at_forty_columns_in_chinese() {
    shows(
        canned::session(),
        39,
        Language::Zh,
        expect![[r#"
            ● build · demo/recorded · ask · 检查：
              cargo check, cargo test
            ✓ 准备  ✓ 上下文  ✓ 提示词  (23 ms)

            I'll look at the failing test and at
            Parser::unit first.

            ✓ read_file src/parser.rs:30-60 (3 ms)
            ✓ search_code “parse_duration” · tests
                (12 ms)
            ✗ read_file src/parsr.rs (1 ms)
                src/parsr.rs does not exist; did
                you mean src/parser.rs? …
            计划
              ☐ 1. Accept the unit `ms`
              ☐ 2. Run the tests
            待办 0/2
              ▸ Accept `ms`
              ☐ Run the tests

            The unit ms is read as
            （中断）

            ↻ 1.5 s 后进行第 2 次尝试（共 6 次）：
              提供商限制了请求频率。 (Rate limit
              reached for requests)

            The unit ms is read as minutes, because
            m matches first:

              Some('m') => Ok(60),   // "5ms" ends
              here

            Two things follow:

            1. m must look at the next character,
            2. the result needs milliseconds.

            input │ before │ after
            ──────┼────────┼──────
            5ms   │  300 s │  5 ms
            2m    │  120 s │ 120 s

            ? edit_file 需要您的许可（1 级：修改项
              目）
                path: src/parser.rs
                old: a
                new: b
                询问原因：项目的检查会运行命令
            ✓ 已允许
            ✓ edit_file src/parser.rs:44 +4 −1
                (3 ms)
                @@ -41,6 +41,9 @@ impl Parser {
                     fn unit(&mut self) ->
                  Result<u64, ParseError> {
                         match self.next() {
                             Some('s') => Ok(1),
                -            Some('m') => Ok(60),
                +            Some('m') if
                  self.peek() == Some('s') => {
                +                self.next();
                +                Ok(0)
                +            }
                             Some('h') => Ok(3600),

            ? run_command 需要您的许可（2 级：运行
              命令）
                $ cargo test --workspace
                询问原因：项目的检查会运行命令
            ✓ 已允许
            • run_command `cargo test --workspace`
                · 退出码 101 (2.3 s)
                ……还有 2 行
                failures:
                    five_ms
                assertion `left == right` failed
                  left: 0
                 right: 5
                test result: FAILED. 11 passed;
                  1 failed

            One more change: milliseconds count as
            1.

            ✓ edit_file src/parser.rs:46 +2 −1
                (2 ms)
                @@ -44,7 +44,7 @@
                             Some('m') if
                  self.peek() == Some('s') => {
                                 self.next();
                -                Ok(0)
                +                Ok(1)
                             }
                +            Some('m') =>
                  Ok(60_000),
            验证，第 1 轮（共 5 轮）
            ✓ cargo check (800 ms)
            ✗ cargo test 失败 (3.1 s)
                tests/duration.rs:12 five_ms
                  assertion `left == right` failed:
                  left: 0, right: 5
            ↻ 还没完成：之前通过的检查现在失败了
              （第 1 次，共 5 次）
            验证，第 2 轮（共 5 轮）
            ✓ cargo check (300 ms)
            ✓ cargo test (2.9 s)

            5ms is five milliseconds now; m alone
            still means minutes.

            修改的文件
              ~ src/parser.rs +4 −1  accept the
                  unit ms
              + tests/duration.rs +2  cover ms and
                  m

            检查  ✓ cargo check  ✓ cargo test

            自行验证
              Run cargo run -- 5ms; it prints 5.

            未完成
              • The README still says that only s,
                m and h are known.
            ✓ 工作  ✓ 总结  ✓ 记录  ✓ 清理  (3 ms)

            ✓ 完成；检查全部通过。
              4 步 · 输入 34.1k 令牌（缓存
              25.5k），输出 1.2k · $0.10 · 10 s ·
              占窗口 13 %
        "#]],
    );
}

/// The last live area of each stretch of equal activity, over the whole session.
#[test]
fn the_live_line_says_what_goes_on() {
    let mut screen = screen(79);
    let mut seen: Vec<String> = Vec::new();
    let mut now = T.0;
    for step in canned::session().steps {
        now += step.pause_ms;
        screen.update(&step.update);
        let live = screen.live(Time(now), 80, 24);
        let status = live.lines.last().map(Line::text).unwrap_or_default();
        let status = status.trim_start_matches(|c: char| !c.is_alphabetic()).to_string();
        let activity = |text: &str| text.split([' ', '·']).take(2).collect::<String>();
        match seen.last_mut() {
            Some(last) if activity(last) == activity(&status) => *last = status,
            _ => seen.push(status),
        }
    }
    expect![[r#"

        prepare · 0 s · Ctrl-C stops
        context · 0 s · Ctrl-C stops
        prepare · 0 s · Ctrl-C stops
        prompt · 0 s · Ctrl-C stops
        prepare · 0 s · Ctrl-C stops
        thinking 0 s · 1/100 · 0 s · Ctrl-C stops
        writing 0 s · 1/100 · 1 s · Ctrl-C stops
        writing 1 s · 1/100 · 1 s · Ctrl-C stops
        thinking 0 s · 1/100 · 1 s · Ctrl-C stops
        running read_file src/parser.rs:30-60 0 s · 1/100 · 1 s · Ctrl-C stops
        running 2 calls 0 s · 1/100 · 1 s · Ctrl-C stops
        running 3 calls 0 s · 1/100 · 1 s · Ctrl-C stops
        running 2 calls 0 s · 1/100 · 1 s · Ctrl-C stops
        running read_file src/parsr.rs 0 s · 1/100 · 1 s · Ctrl-C stops
        thinking 0 s · 8.4k tokens · 2/100 · 1 s · Ctrl-C stops
        writing 0 s · 8.4k tokens · 2/100 · 1 s · Ctrl-C stops
        thinking 0 s · 8.4k tokens · 2/100 · 1 s · Ctrl-C stops
        waiting 2 s before the next try · 8.4k tokens · 2/100 · 1 s · Ctrl-C stops
        thinking 0 s · 8.4k tokens · 2/100 · 3 s · Ctrl-C stops
        writing 0 s · 8.4k tokens · 2/100 · 3 s · Ctrl-C stops
        writing 1 s · 8.4k tokens · 2/100 · 4 s · Ctrl-C stops
        thinking 0 s · 8.4k tokens · 2/100 · 4 s · Ctrl-C stops
        y yes  n no  a always allow edit_file(src/**)  e edit  x explain
        thinking 0 s · 8.4k tokens · 2/100 · 5 s · Ctrl-C stops
        running edit_file src/parser.rs 0 s · 2/100 · 5 s · Ctrl-C stops
        thinking 0 s · 18.4k tokens · 3/100 · 5 s · Ctrl-C stops
        y yes  n no  a always allow run_command(cargo test*)  e edit  x explain
        thinking 0 s · 18.4k tokens · 3/100 · 6 s · Ctrl-C stops
        running `cargo test --workspace` 0 s · 3/100 · 6 s · Ctrl-C stops
        thinking 0 s · 18.4k tokens · 4/100 · 8 s · Ctrl-C stops
        writing 0 s · 18.4k tokens · 4/100 · 9 s · Ctrl-C stops
        thinking 0 s · 18.4k tokens · 4/100 · 9 s · Ctrl-C stops
        running edit_file src/parser.rs 0 s · 4/100 · 9 s · Ctrl-C stops
        thinking 0 s · 18.4k tokens · 4/100 · 9 s · Ctrl-C stops
        running the checks 0 s · 18.4k tokens · 4/100 · 9 s · Ctrl-C stops
        thinking 0 s · 18.4k tokens · 4/100 · 10 s · Ctrl-C stops
        running the checks 0 s · 18.4k tokens · 4/100 · 10 s · Ctrl-C stops
        thinking 0 s · 18.4k tokens · 4/100 · 10 s · Ctrl-C stops
        summary · 35.3k tokens · 4/100 · 10 s · Ctrl-C stops
        record · 35.3k tokens · 4/100 · 10 s · Ctrl-C stops
        summary · 35.3k tokens · 4/100 · 10 s · Ctrl-C stops
        clean up · 35.3k tokens · 4/100 · 10 s · Ctrl-C stops
        summary · 35.3k tokens · 4/100 · 10 s · Ctrl-C stops

    "#]]
    .assert_eq(&(seen.join("\n") + "\n"));
}

#[test]
fn the_unfinished_block_is_live_and_the_finished_one_is_printed() {
    let mut script = Script::default();
    script.stream(DeltaKind::Text, "m1", "First **block**.\n\nSecond, still", 1);
    let mut screen = screen(79);
    screen.state.busy = true;
    screen.state.began = T;
    screen.changed = T;
    let printed: String = script.steps.iter().map(|step| text(&screen.update(&step.update), 79)).collect();
    expect![[r#"
        First block.
        --- live:
        Second, still
        ⠹ prepare · 3 s · Ctrl-C stops
    "#]]
    .assert_eq(&format!("{printed}--- live:\n{}", live(&screen, 3_200, 80)));
}

#[test]
fn a_lost_piece_is_filled_in_by_the_completion() {
    let mut script = Script::default();
    script.reply("m1", "One.\n\nTwo two two.\n\nThree.\n", &[]);
    script.steps.remove(2);
    let text = printed(script, 79, Language::En);
    assert_eq!(text, "One.\n\nTwo two two.\n\nThree.\n");
}

#[test]
fn foreign_escapes_and_hidden_characters_never_reach_a_line() {
    let evil = "\u{1b}]0;title\u{7}\u{1b}[2J\u{202e}evil\u{9b}1A";
    let mut script = Script::default();
    let args = json!({"command": evil, "path": evil});
    script.reply("m1", evil, &[("c1", "run_command", args)]);
    script.ask("c1", Level::Shell, &[evil], "run_command(x)");
    script.start("c1");
    script.output("m1", "c1", evil);
    script.end(3, "c1", ox_protocol::Outcome::failed(evil));
    script.event(0, Event::Queued { text: evil.to_string(), images: Vec::new() });
    script.event(0, Event::Error { problem: ox_protocol::Problem::new(evil).with("x", evil) });
    let mut screen = screen(60);
    for step in &script.steps {
        let mut lines = screen.update(&step.update);
        lines.extend(screen.live(T, 60, 24).lines);
        for line in lines {
            let text = line.text();
            assert!(!text.chars().any(|c| c.is_control() || c == '\u{202e}'), "{text:?}");
        }
    }
}
