//! What a test asserts: the calls, macros and statements that can make it fail, and how much each of them demands.

use std::ops::Range;

use super::code::{Code, flat, is_comment, is_string};
use super::tests::is_call;

/// One assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assertion {
    /// Its text in one line.
    pub text: String,
    /// The same with a mark for each literal.
    pub shape: String,
    /// Its literals, in order.
    pub literals: Vec<String>,
    /// The line on which it begins, from 1.
    pub line: u32,
    pub strength: Strength,
}

/// How much an assertion demands. One that is in no list demands what only it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// Nothing: it is about constants, or compares a thing with itself.
    None,
    /// Something about a value: that it is there, contains, matches, is greater.
    Some,
    /// It cannot be told.
    Unknown,
    /// What the value is.
    Exact,
}

pattern!(
    /// What makes a test fail by the name of its last part, or of its first.
    NAMES,
    concat!(
        r"(?:^|[.:>$!]|\b)(?:",
        r"(?:debug_|prop_|ck_)?(?i:assert)\w*|expect\w*|EXPECT_\w+|REQUIRE\w*|CHECK\w*|BOOST_\w+|XCT\w+|",
        r"should\w*|must_\w+|wont_\w+|refute\w*|verify\w*|insta|is_expected|flunk|fail",
        r")$"
    )
);
pattern!(
    /// Objects whose methods make a test fail.
    OBJECTS,
    r"^(?:assert|require|is|qt|Assert|Expect|chai\.assert|self\.assert|check|td)(?:\.|::|->)\w+$"
);
pattern!(
    /// Go's own, which stand behind a condition.
    FAILS,
    r"^\w+\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$"
);
pattern!(
    EXACT,
    concat!(
        r"(?i:assert|expect|require|check)_?(?i:[a-z_]*_)?(?i:eq|equal|equals|same|identical|strequal|streq|deep_?equal)\b|",
        r"\b(?:eq|equal|equals|eql|same|deepEqual|strictEqual|deepStrictEqual|toBe|toEqual|toStrictEqual|toHaveLength|",
        r"toMatchSnapshot|toMatchInlineSnapshot|isEqualTo|isSameAs|isEqualToString|containsExactly|Be|BeEquivalentTo|must_equal|shouldBe|shouldEqual|",
        r"assert_eq|assertEqual|assertEquals|JSONEq|YAMLEq|Eq|assertTrue|assertFalse|assertNull|assertIsNone|assertNil|isNull|isTrue|isFalse|toBeNull|toBeUndefined|be_nil|be_empty|isEmpty|assertSame|assertArrayEquals|assertListEqual|assertDictEqual|AreEqual|AreSame|Equal|EqualValues|",
        r"ASSERT_EQ|EXPECT_EQ|ASSERT_STREQ|EXPECT_STREQ|XCTAssertEqual|toThrowErrorMatchingInlineSnapshot|assert_called_once_with|assert_called_with|toHaveBeenCalledWith|snapshot|assert_equal|assert_array_equal)\b|",
        r"[^=!<>]==[^=]|===| is (?:True|False|None)\b"
    )
);
pattern!(
    /// Those that are known to leave room.
    PARTIAL,
    r"(?i)contain|includ|match|regex|starts_?with|ends_?with|has_?prefix|has_?suffix|truthy|not_?null|not_?nil|not_?none|is_some|is_ok|is_err|defined|not_?empty|greater|less|atleast|is_?instance|be_a\b|instance_of|any\(|anything|[^=!]>=?[^=>]|<=?[^=<]|\bin\b|is not None|^assert!?\s*\(?\s*!?[\w.&*]+(?:\([^()]*\))?\s*(?:,|\)|$)|Assert\.(?:True|That)|assertTrue|EXPECT_TRUE|ASSERT_TRUE"
);
pattern!(
    /// A condition that is held to be true, and itself leaves room.
    LOOSE,
    r"(?:assertTrue|assertFalse|isTrue|isFalse)\b.*(?:[^-=]>|<|contains|startsWith|endsWith|matches|instanceof|!=|\|\|)"
);
pattern!(
    NEGATED,
    r"(?i)\bnot\b|\.not\.|\bne\b|_ne\b|not_?equal|notequal|!==?|refute|\.isNot|unequal|NotNull|notSame|\bto_not\b|_NE\b"
);

/// The assertions within a range, in order; what stands within another one is part of that.
pub(crate) fn assertions(code: &Code<'_>, span: &Range<usize>) -> Vec<Assertion> {
    let mut out = Vec::new();
    let mut until = span.start;
    for at in code.within(span) {
        let node = code.node(at);
        if node.start < until || !is_assertion(code, at) {
            continue;
        }
        let whole = whole(code, at, span);
        let node = code.node(whole);
        let around = if FAILS.is_match(&callee(code, at)) { condition(code, whole, span) } else { None };
        out.push(assertion(code, around.unwrap_or(whole), node.line));
        until = node.end;
    }
    out
}

fn is_assertion(code: &Code<'_>, at: usize) -> bool {
    let node = code.node(at);
    match node.kind {
        "assert_statement" | "assert_expression" => true,
        "test_command" => code.tree.language == "Shell" || code.tree.language == "Bash",
        "infix_expression" => {
            code.children(at).any(|it| code.of_node(it).starts_with("should") || code.of_node(it).starts_with("must"))
        }
        kind if is_call(kind) => {
            let callee = callee(code, at);
            let go = code.tree.language == "Go";
            // `require("x")` imports.
            let imports = callee == "require" && !go || node.kind == "macro_invocation" && callee.starts_with("expect");
            !imports && (NAMES.is_match(&callee) || OBJECTS.is_match(&callee) || (go && FAILS.is_match(&callee)))
        }
        _ => false,
    }
}

/// What a call calls, without arguments and type arguments.
pub(super) fn callee(code: &Code<'_>, at: usize) -> String {
    let node = code.node(at);
    let text = &code.plain[node.start..node.end];
    // The last list of arguments belongs to this call.
    let arguments = code
        .children(at)
        .filter(|it| code.node(*it).kind.contains("argument") || code.node(*it).kind == "token_tree")
        .last();
    let end = arguments.map_or(text.len(), |it| code.node(it).start - node.start);
    let name = text[..end].trim_end_matches(['!', '(', ' ', '\n']);
    // Of a chain of calls the last name counts.
    let mut depth = 0_i32;
    let mut kept = String::new();
    for c in name.chars() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' if depth > 0 => depth -= 1,
            _ if depth == 0 && !c.is_whitespace() => kept.push(c),
            _ => {}
        }
    }
    kept
}

/// The whole chain that begins with an assertion, as in `expect(x).not.toBe(1)`.
fn whole(code: &Code<'_>, at: usize, span: &Range<usize>) -> usize {
    let start = code.node(at).start;
    let mut here = at;
    for above in code.above(at) {
        let node = code.node(above);
        let is_statement = node.kind.ends_with("statement") || node.kind.contains("block") || node.kind == "program";
        if node.start != start || node.end > span.end || node.start < span.start || is_statement {
            break;
        }
        here = above;
    }
    here
}

/// The condition under which a test fails.
fn condition(code: &Code<'_>, at: usize, span: &Range<usize>) -> Option<usize> {
    let around = code
        .above(at)
        .take_while(|it| code.node(*it).start >= span.start)
        .find(|it| code.node(*it).kind == "if_statement")?;
    code.field(around, "condition")
}

fn assertion(code: &Code<'_>, at: usize, line: u32) -> Assertion {
    let node = code.node(at);
    let range = node.start..node.end;
    let mut shape = String::new();
    let mut literals = Vec::new();
    let mut from = node.start;
    for inner in code.within(&range) {
        let it = code.node(inner);
        if it.start < from {
            continue;
        }
        if is_comment(it) || is_literal(it) {
            shape += &code.text[from..it.start];
            from = it.end;
            if !is_comment(it) {
                shape.push('\u{a7}');
                literals.push(flat(&code.text[it.start..it.end]));
            }
        }
    }
    shape += &code.text[from..node.end];
    let plain = &code.plain[range.clone()];
    let strength = strength(code, at, plain, &shape);
    Assertion { text: flat(&code.text[range]), shape: flat(&shape), literals, line, strength }
}

pub(crate) fn is_literal(node: &ox_syntax::FlatNode) -> bool {
    is_string(node)
        || (node.is_named
            && (matches!(
                node.kind,
                "integer"
                    | "float"
                    | "number"
                    | "int_literal"
                    | "float_literal"
                    | "integer_literal"
                    | "number_literal"
                    | "real_literal"
                    | "decimal_integer_literal"
                    | "decimal_floating_point_literal"
                    | "true"
                    | "false"
                    | "boolean_literal"
                    | "boolean"
                    | "none"
                    | "null"
                    | "nil"
                    | "null_literal"
                    | "hex_integer_literal"
                    | "rune_literal"
                    | "negative_literal"
                    | "unary_number"
            )))
}

fn strength(code: &Code<'_>, at: usize, plain: &str, shape: &str) -> Strength {
    if is_constant(code, at, shape) {
        return Strength::None;
    }
    // In Go the condition is that under which it fails.
    let go = code.tree.language == "Go" && code.node(at).field == "condition";
    let exact = if go {
        (plain.contains("!=") && !plain.contains("!= nil")) || plain.contains("DeepEqual") || plain.contains(".Equal(")
    } else {
        EXACT.is_match(plain) && !NEGATED.is_match(plain) && !LOOSE.is_match(plain)
    };
    match exact {
        true => Strength::Exact,
        false if go || PARTIAL.is_match(plain) => Strength::Some,
        false => Strength::Unknown,
    }
}

/// Names of assertions that look at nothing but what they are given.
const ITSELF: &str = "true false assert assert_eq assert_ne assert_true assertTrue assertFalse assertEqual assertEquals assertSame assertNotNull assert_same assert_nil \
    assert_equal Assert Equal NotEqual True False IsTrue IsFalse AreEqual That Is require expect to be eq eql equal toBe toEqual toStrictEqual \
    toBeTruthy toBeFalsy toBeDefined not isTrue isFalse isEqualTo assertThat be_truthy EXPECT_TRUE EXPECT_FALSE EXPECT_EQ ASSERT_TRUE ASSERT_EQ \
    ASSERT_FALSE REQUIRE CHECK XCTAssert XCTAssertTrue XCTAssertEqual XCTAssertFalse self this ok strictEqual deepEqual equals truthy None null nil undefined";

/// True for a word of assertions themselves.
pub(crate) fn is_of_assertions(word: &str) -> bool {
    ITSELF.split_whitespace().any(|known| known == word)
}

/// True where nothing in it can differ from run to run: no name but those of the assertion itself.
fn is_constant(code: &Code<'_>, at: usize, shape: &str) -> bool {
    let mut names = shape.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    // What is put into a string, and what a shell expands, is no constant.
    let expands = ["$", "#{", "f\"", "f'", "`"].iter().any(|it| code.of_node(at).replace("$this", "").contains(it));
    let has_literal =
        !expands && code.tree.language != "Shell" && ["\u{a7}", "true", "false"].iter().any(|it| shape.contains(it));
    if has_literal && names.all(|it| !it.starts_with(|c: char| c.is_alphabetic() || c == '_') || is_of_assertions(it)) {
        return true;
    }
    compares_itself(code, at)
}

/// `assert_eq!(x, x)`, `assert x == x`, `expect(x).toBe(x)`.
fn compares_itself(code: &Code<'_>, at: usize) -> bool {
    let node = code.node(at);
    let plain = flat(&code.text[node.start..node.end]);
    pattern!(
        PAIR,
        r"(?:\(|\s)([\w.]+)\s*(?:,|===?|\)\.(?:not\.)?(?:toBe|toEqual|toStrictEqual|isEqualTo|to eq|to eql|to be)\()\s*([\w.]+)\s*\)?;?$"
    );
    PAIR.captures(&plain)
        .is_some_and(|it| it[1] == it[2] && it[1].contains(char::is_alphabetic) && !it[1].starts_with("assert"))
}
