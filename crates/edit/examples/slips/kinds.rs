//! The kinds of slips: each makes one case of a file, or nothing if it does not fit there.

use serde_json::{Value, json};

use crate::source::{Random, Source, words};

type Make = fn(&mut Random, &Source) -> Option<Value>;

/// All kinds. `neg` in a name tells that the edit must be refused.
pub const KINDS: &[(&str, Make)] = &[
    ("neg_deletion_drifted", deletion_drifted),
    ("neg_deletion_outdated", deletion_outdated),
    ("deletion_beside_drift", deletion_beside_drift),
    ("neg_whole_placeholder", whole_placeholder),
    ("whole_true_edit", whole_true_edit),
    ("neg_beside_insertion", beside_insertion),
    ("neg_twins_drifted", twins_drifted),
    ("neg_change_drifted", change_drifted),
    ("replace_placeholder", replace_placeholder),
    ("neg_range_placeholder", range_placeholder),
    ("context_drifted", context_drifted),
    ("line_left_out", line_left_out),
    ("broken_elsewhere", broken_elsewhere),
    ("joined_elsewhere", joined_elsewhere),
    ("other_quotes", other_quotes),
    ("no_semicolons", no_semicolons),
    ("entities_plain", entities_plain),
    ("encoded_twice", encoded_twice),
    ("other_marks", other_marks),
];

/// A line of an edit: what becomes of it (` `, `-`, `+`), and its text.
type Line = (char, String);

fn context(lines: &[String]) -> Vec<Line> {
    lines.iter().map(|line| (' ', line.clone())).collect()
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The lines of an edit but those of one sign.
fn side(edit: &[Line], other: char) -> String {
    edit.iter().filter(|(sign, _)| *sign != other).map(|(_, line)| format!("{line}\n")).collect()
}

/// The case in one of the three formats that show old lines.
fn case(random: &mut Random, source: &Source, at: usize, before: &[String], edit: &[Line]) -> Value {
    let body: String = edit.iter().map(|(sign, line)| format!("{sign}{line}\n")).collect();
    let count = |other: char| edit.iter().filter(|(sign, _)| *sign != other).count();
    let (format, edit) = match random.below(3) {
        0 => ("search_replace", json!([{"search": side(edit, '+'), "replace": side(edit, '-')}])),
        1 => {
            let numbers = format!("@@ -{},{} +{},{} @@", at + 1, count('+'), at + 1, count('-'));
            ("unified_diff", json!(format!("--- a/{0}\n+++ b/{0}\n{numbers}\n{body}", source.path)))
        }
        _ => ("v4a", json!(format!("*** Begin Patch\n*** Update File: {}\n@@\n{body}*** End Patch\n", source.path))),
    };
    json!({"format": format, "before": text(before), "edit": edit})
}

/// The same as search and replace.
fn block(before: &[String], search: String, replace: String, after: &[String]) -> Value {
    let edit = json!([{"search": search, "replace": replace}]);
    json!({"format": "search_replace", "before": text(before), "edit": edit, "expected_after": text(after)})
}

fn must_refuse(mut case: Value) -> Value {
    case["expected_after"] = Value::Null;
    case["open"] = true.into();
    case
}

fn may_refuse(mut case: Value, after: &[String]) -> Value {
    case["expected_after"] = text(after).into();
    case["refusal_ok"] = true.into();
    case
}

/// A line as somebody would change it.
fn changed(line: &str) -> Option<String> {
    let name = words(line).into_iter().rfind(|word| word.len() > 2)?;
    let at = line.rfind(name)?;
    Some(format!("{}{name}_two{}", &line[..at], &line[at + name.len()..]))
}

fn with(lines: &[String], at: usize, line: String) -> Vec<String> {
    let mut out = lines.to_vec();
    out[at] = line;
    out
}

/// Context and lines to remove, of which one is no longer as the edit says.
fn deletion_drifted(random: &mut Random, source: &Source) -> Option<Value> {
    let (gone, below) = (1 + random.below(3), random.below(3));
    let at = random.block(&source.lines, 2 + gone + below)?;
    let drifts = at + 2 + random.below(gone);
    let drifted = random.drifted(&source.lines[drifts], &source.lines)?;
    let mut edit = context(&source.lines[at..at + 2 + gone + below]);
    edit[2..2 + gone].iter_mut().for_each(|(sign, _)| *sign = '-');
    Some(must_refuse(case(random, source, at, &with(&source.lines, drifts, drifted), &edit)))
}

/// Lines to remove that were changed since: a name in all the file, some of them removed, all moved by a few lines.
fn deletion_outdated(random: &mut Random, source: &Source) -> Option<Value> {
    let gone = 2 + random.below(3);
    let at = random.block(&source.lines, 4 + gone)?;
    let removed = at + 2..at + 2 + gone;
    let once = |line: &String| source.lines.iter().filter(|other| *other == line).count() == 1;
    if !source.lines[removed.clone()].iter().all(once) {
        return None;
    }
    let mut edit = context(&source.lines[at..at + 4 + gone]);
    edit[2..2 + gone].iter_mut().for_each(|(sign, _)| *sign = '-');
    let mut before = source.lines.clone();
    match random.below(3) {
        0 => {
            let names = words(&source.lines[removed.start]);
            let name = *names.iter().find(|word| word.len() > 4 && !word.starts_with(char::is_numeric))?;
            before.iter_mut().for_each(|line| *line = line.replace(name, &format!("other_{name}_2")));
        }
        1 => drop(before.drain(removed.start..removed.start + 1 + random.below(gone - 1))),
        _ => {
            let moved: Vec<String> = before.drain(removed).collect();
            let to = (at + 5 + random.below(10)).min(before.len());
            before.splice(to..to, moved);
        }
    }
    Some(must_refuse(case(random, source, at, &before, &edit)))
}

/// Lines to remove that stand as the edit says, while a line beside them was changed, or all were indented anew.
fn deletion_beside_drift(random: &mut Random, source: &Source) -> Option<Value> {
    let gone = 1 + random.below(3);
    let at = random.block(&source.lines, 4 + gone)?;
    let mut edit = context(&source.lines[at..at + 4 + gone]);
    edit[2..2 + gone].iter_mut().for_each(|(sign, _)| *sign = '-');
    let mut before = source.lines.clone();
    if random.below(2) == 0 {
        let drifts = *random.of(&[at, at + 1, at + 2 + gone, at + 3 + gone]);
        before[drifts] = random.drifted(&source.lines[drifts], &source.lines)?;
    } else {
        before[at..at + 4 + gone].iter_mut().for_each(|line| line.insert_str(0, "    "));
    }
    let mut after = before.clone();
    after.drain(at + 2..at + 2 + gone);
    Some(may_refuse(case(random, source, at, &before, &edit), &after))
}

/// Context and a line to change that is no longer as the edit says.
fn change_drifted(random: &mut Random, source: &Source) -> Option<Value> {
    let at = random.block(&source.lines, 5)?;
    let drifted = random.drifted(&source.lines[at + 2], &source.lines)?;
    let mut edit = context(&source.lines[at..at + 5]);
    edit[2].0 = '-';
    edit.insert(3, ('+', changed(&source.lines[at + 2]).filter(|new| *new != drifted)?));
    Some(must_refuse(case(random, source, at, &with(&source.lines, at + 2, drifted), &edit)))
}

const DOTS: &[&str] = &[
    "...",
    "…",
    "@ ...",
    "@ …",
    "@ [...]",
    "/* ... */",
    "/* … omitted … */",
    "@ ... existing code ...",
    "@ … rest of the file …",
    "@ ...existing code...",
    "@ ... (unchanged)",
    "[rest of file unchanged]",
    "... rest of the file unchanged ...",
];
const STAYS: &[&str] = &[
    "@ other functions remain the same",
    "@ same as before",
    "@ The rest of the file stays as it is.",
    "@ (remaining code unchanged)",
    "@ 其余代码保持不变",
    "@ ... 现有代码 ...",
    "@ 以下省略",
    "@ 残りのコードは変更なし",
    "@ ...既存のコード...",
    "@ 나머지 코드는 동일합니다",
    "@ el resto del código queda igual",
    "@ ... resto do código existente ...",
    "@ restlicher Code bleibt unverändert",
    "@ остальной код без изменений",
    "@ le reste du fichier est inchangé",
    "@ keep everything else",
    "@ unchanged",
    "@ (same)",
    "@ rest",
    "@ rest of the implementation",
    "@ previous code here",
    "@ --- rest of the code unchanged ---",
    "@ <existing code>",
    "@ Existing code remains unchanged",
    "@ All other methods remain the same as before",
    "@ TODO: keep the existing logic",
    "@ omitted for brevity",
    "<!-- rest -->",
    "(rest of the file unchanged)",
    "pass  @ TODO keep existing",
    "@ 剩余部分与之前相同",
    "@ 省略其余实现",
    "@ 其他方法不变",
    "@ 以下同上",
    "@ 以降は変更なし",
    "@ 既存の処理をそのまま残す",
    "@ 기존 코드 유지",
    "@ 이하 생략",
    "@ sin cambios",
    "@ el código existente se mantiene",
    "@ o resto do arquivo continua igual",
    "@ código omitido",
    "@ le code existant ne change pas",
    "@ suite identique",
    "@ Rest wie bisher",
    "@ übriger Code wie zuvor",
    "@ остальное без изменений",
    "@ прежний код",
    "@ il resto rimane invariato",
    "@ reszta bez zmian",
    "@ geri kalan kod aynı",
    "@ phần còn lại giữ nguyên",
];

/// A line that says that the rest stays, with the file's sign of a comment.
fn placeholder(random: &mut Random, source: &Source, dots: bool) -> String {
    let all = if dots && random.below(3) == 0 { DOTS } else { STAYS };
    let sign = if source.path.ends_with(".py") || source.path.ends_with(".rb") { "#" } else { "//" };
    random.of(all).replace('@', sign)
}

fn whole_placeholder(random: &mut Random, source: &Source) -> Option<Value> {
    let lines = &source.lines;
    let from = 8 + random.below(lines.len().checked_sub(16)?);
    let to = if random.below(2) == 0 { lines.len() } else { (from + 6 + random.below(40)).min(lines.len()) };
    if lines[from..to].iter().filter(|line| words(line).len() > 1).count() < 4 {
        return None;
    }
    let depth = lines[from].len() - lines[from].trim_start().len();
    let mut new = lines[..from].to_vec();
    let change = random.below(from);
    new[change] = changed(&new[change])?;
    new.push(format!("{}{}", &lines[from][..depth], placeholder(random, source, true)));
    new.extend_from_slice(&lines[to..]);
    let case = json!({"format": "whole_file", "before": text(lines), "edit": text(&new), "expected_after": null});
    Some(case)
}

/// A whole file with a true edit: a change, lines that go, or lines that come with remarks and dots of their own.
fn whole_true_edit(random: &mut Random, source: &Source) -> Option<Value> {
    let lines = &source.lines;
    let at = random.block(lines, 2)?;
    let depth = &lines[at][..lines[at].len() - lines[at].trim_start().len()];
    let sign = if source.path.ends_with(".py") { "#" } else { "//" };
    let remarks = [
        "keep the same order as the other callers",
        "the rest of the queue is read later",
        "unchanged values are left out of the log",
        "wait ... then try the remaining hosts",
        "其余字段由调用方检查",
        "same as above, for the existing entries",
    ];
    let code = ["log(\"waiting ...\")", "call(first, ...rest)", "print(\"same as before\")", "let tail = &all[1..];"];
    let mut new = lines.clone();
    match random.below(5) {
        0 => new[at] = changed(&lines[at])?,
        1 => drop(new.drain(at..at + 1 + random.below((lines.len() - at).min(6)))),
        2 => new.insert(at, format!("{depth}{}", random.of(&code))),
        3 => drop(new.splice(at..at, [format!("{depth}{sign} {}", random.of(&remarks)), changed(&lines[at])?])),
        _ => {
            let stand_in = [format!("{depth}{sign} {}", random.of(&remarks)), changed(&lines[at + 1])?];
            new.splice(at..at + 2, stand_in);
        }
    }
    let (before, after) = (text(lines), text(&new));
    Some(json!({"format": "whole_file", "before": before, "edit": after, "expected_after": after}))
}

/// Lines by number, exchanged for one that only stands for them, and one that changes.
fn range_placeholder(random: &mut Random, source: &Source) -> Option<Value> {
    let height = 5 + random.below(6);
    let at = random.block(&source.lines, height)?;
    let lines = &source.lines[at..at + height];
    let depth = lines[1].len() - lines[1].trim_start().len();
    let stands = format!("{}{}", &lines[1][..depth], placeholder(random, source, true));
    let new = text(&[changed(&lines[0])?, stands, lines[height - 1].clone()]);
    let edit = json!([{"start_line": at + 1, "end_line": at + height, "new_text": new}]);
    Some(json!({"format": "line_range", "before": text(&source.lines), "edit": edit, "expected_after": null}))
}

fn replace_placeholder(random: &mut Random, source: &Source) -> Option<Value> {
    let height = 7 + random.below(6);
    let at = random.block(&source.lines, height)?;
    let (lines, after) = (&source.lines[at..at + height], with(&source.lines, at, changed(&source.lines[at])?));
    let depth = lines[2].len() - lines[2].trim_start().len();
    let stands = format!("{}{}\n", &lines[2][..depth], placeholder(random, source, false));
    let replace = text(&after[at..at + 2]) + &stands + &text(&lines[height - 1..]);
    let made = block(&source.lines, text(lines), replace, &after);
    Some(may_refuse(made, &after))
}

/// A line is left out just where lines are added: on which side of it they belong, nobody can say.
fn beside_insertion(random: &mut Random, source: &Source) -> Option<Value> {
    let at = random.block(&source.lines, 6)?;
    let mut edit = context(&source.lines[at..at + 6]);
    edit[2] = ('+', changed(&source.lines[at + 1])?);
    Some(must_refuse(case(random, source, at, &source.lines, &edit)))
}

/// The lines to change stand twice, each time with other neighbours than the edit shows.
fn twins_drifted(random: &mut Random, source: &Source) -> Option<Value> {
    let at = random.block(&source.lines, 5)?;
    let mut before = source.lines.clone();
    let mut twin = before[at..at + 5].to_vec();
    before[at] = random.drifted(&source.lines[at], &source.lines)?;
    twin[4] = random.drifted(&source.lines[at + 4], &source.lines)?;
    before.push(String::new());
    before.append(&mut twin);
    let mut edit = context(&source.lines[at..at + 5]);
    edit[2].0 = '-';
    edit.insert(3, ('+', changed(&source.lines[at + 2])?));
    let mut made = must_refuse(case(random, source, at, &before, &edit));
    // A diff's numbers tell which is meant.
    if made["format"] == "unified_diff" {
        made["edit"] = made["edit"].as_str()?.replacen(&format!("@@ -{},", at + 1), "@@ -0,", 1).into();
    }
    Some(made)
}

/// A line of context that is no longer as the edit says; it stays as the file has it.
fn context_drifted(random: &mut Random, source: &Source) -> Option<Value> {
    let at = random.block(&source.lines, 6)?;
    let drifts = at + *random.of(&[0, 1, 3, 4, 5]);
    let before = with(&source.lines, drifts, random.drifted(&source.lines[drifts], &source.lines)?);
    let new = changed(&source.lines[at + 2])?;
    let mut edit = context(&source.lines[at..at + 6]);
    edit[2].0 = '-';
    edit.insert(3, ('+', new.clone()));
    let after = with(&before, at + 2, new);
    Some(may_refuse(case(random, source, at, &before, &edit), &after))
}

/// A line beside one that changes is missing from the edit; it stays.
fn line_left_out(random: &mut Random, source: &Source) -> Option<Value> {
    let at = random.block(&source.lines, 6)?;
    let new = changed(&source.lines[at + 3])?;
    let mut edit = context(&source.lines[at..at + 6]);
    edit[3].0 = '-';
    edit.insert(4, ('+', new.clone()));
    edit.remove(if random.below(2) == 0 { 2 } else { 5 });
    Some(may_refuse(case(random, source, at, &source.lines, &edit), &with(&source.lines, at + 3, new)))
}

/// Three lines of context and one that changes, all but the last as `slip` writes them.
fn slipped(random: &mut Random, source: &Source, slip: impl Fn(&str) -> Option<Vec<String>>) -> Option<Value> {
    let at = random.block(&source.lines, 4)?;
    let lines = &source.lines[at..at + 4];
    let mut edit: Vec<Line> = Vec::new();
    let which = random.below(3);
    for (index, line) in lines[..3].iter().enumerate() {
        let slipped = if index == which { slip(line)? } else { vec![line.clone()] };
        edit.extend(slipped.into_iter().map(|line| (' ', line)));
    }
    let new = changed(&lines[3])?;
    edit.extend([('-', lines[3].clone()), ('+', new.clone())]);
    Some(may_refuse(case(random, source, at, &source.lines, &edit), &with(&source.lines, at + 3, new)))
}

/// The edit has in two lines what the file has in one.
fn broken_elsewhere(random: &mut Random, source: &Source) -> Option<Value> {
    slipped(random, source, |line| {
        let at = line.find(['(', '{', ',']).filter(|at| words(&line[at + 1..]).len() > 1)?;
        let depth = &line[..line.len() - line.trim_start().len()];
        Some(vec![line[..=at].to_owned(), format!("{depth}    {}", line[at + 1..].trim())])
    })
}

/// The edit has in one line what the file has in two.
fn joined_elsewhere(random: &mut Random, source: &Source) -> Option<Value> {
    let at = random.block(&source.lines, 5)?;
    let lines = &source.lines[at..at + 5];
    if !lines[1].ends_with(['(', ',', '{']) {
        return None;
    }
    let new = changed(&lines[4])?;
    let joined = format!("{} {}", lines[1], lines[2].trim());
    let mut edit = vec![(' ', lines[0].clone()), (' ', joined), (' ', lines[3].clone())];
    edit.extend([('-', lines[4].clone()), ('+', new.clone())]);
    Some(may_refuse(case(random, source, at, &source.lines, &edit), &with(&source.lines, at + 4, new)))
}

fn other_quotes(random: &mut Random, source: &Source) -> Option<Value> {
    slipped(random, source, |line| {
        let (one, two) = (line.contains('\''), line.contains('"'));
        (one != two).then(|| vec![if one { line.replace('\'', "\"") } else { line.replace('"', "'") }])
    })
}

fn no_semicolons(random: &mut Random, source: &Source) -> Option<Value> {
    let at = random.block(&source.lines, 3)?;
    let lines = &source.lines[at..at + 3];
    let bare: Vec<String> = lines.iter().filter_map(|line| line.strip_suffix(';').map(str::to_owned)).collect();
    let new = changed(&lines[1])?;
    if bare.len() < 3 {
        return None;
    }
    let replace = with(&bare, 1, new.strip_suffix(';')?.to_owned());
    let after = with(&source.lines, at + 1, new.strip_suffix(';')?.to_owned());
    let mut made = block(&source.lines, text(&bare), text(&replace), &after);
    made["near_ok"] = json!([text(&with(&source.lines, at + 1, new))]);
    Some(may_refuse(made, &after))
}

/// The file has entities where the edit has the plain signs.
fn entities_plain(random: &mut Random, source: &Source) -> Option<Value> {
    let at = random.block(&source.lines, 3)?;
    let lines = &source.lines[at..at + 3];
    let escape = |line: &String| line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    if !lines.iter().any(|line| line.contains(['&', '<'])) || lines.iter().any(|line| line.contains(';')) {
        return None;
    }
    let before: Vec<String> = source.lines.iter().map(escape).collect();
    let new = changed(&lines[1])?;
    let replace = with(lines, 1, new.clone());
    let after = with(&before, at + 1, escape(&new));
    Some(may_refuse(block(&before, text(lines), text(&replace), &after), &after))
}

/// Line breaks, tabs and quotes as two signs each.
fn encoded_twice(random: &mut Random, source: &Source) -> Option<Value> {
    let at = random.block(&source.lines, 3)?;
    let lines = &source.lines[at..at + 3];
    let encode =
        |text: String| text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('"', "\\\"");
    let new = changed(&lines[1])?;
    let after = with(&source.lines, at + 1, new.clone());
    let replace = encode(text(&with(lines, 1, new)));
    Some(may_refuse(block(&source.lines, encode(text(lines)), replace, &after), &after))
}

/// Accents in two signs, full-width punctuation, an emoji without its variation sign.
fn other_marks(random: &mut Random, source: &Source) -> Option<Value> {
    let at = random.block(&source.lines, 4)?;
    let marks = [
        ("caf\u{e9} na\u{ef}ve", "cafe\u{301} nai\u{308}ve"),
        ("（甲，乙）", "(甲,乙)"),
        ("\u{2764}\u{fe0f} ok", "\u{2764} ok"),
    ];
    let (there, given) = *random.of(&marks);
    let mut before = source.lines.clone();
    before[at + 1].push_str(there);
    let new = changed(&before[at + 3])?;
    let mut edit = context(&before[at..at + 4]);
    edit[1].1 = before[at + 1].replace(there, given);
    edit[3].0 = '-';
    edit.push(('+', new.clone()));
    let after = with(&before, at + 3, new);
    Some(may_refuse(case(random, source, at, &before, &edit), &after))
}
