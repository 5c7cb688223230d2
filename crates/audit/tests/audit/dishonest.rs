//! Edits that make a test pass by force, generated for each language from one honest test of it.

use ox_audit::Changed;

use crate::testing::{Edit, found, found_for, table};

/// A test file in each language: path, text, and the pieces that the edits below are about.
struct Sample {
    path: &'static str,
    text: &'static str,
    /// The first test, all of it.
    test: &'static str,
    /// An exact assertion, the same made weaker, the same with another value, the same about nothing.
    exact: &'static str,
    weak: &'static str,
    other: &'static str,
    nothing: &'static str,
    /// A second assertion with its line end.
    second: &'static str,
    /// What is put where to skip the test.
    skip: (&'static str, &'static str),
    /// What is put where so that its runner no longer finds it.
    hide: (&'static str, &'static str),
}

const SAMPLES: &[Sample] = &[
    Sample {
        path: "tests/price.rs",
        text: "use price::total;\n\n#[test]\nfn adds_up() {\n    let sum = total(1, 3);\n    assert_eq!(sum, 4);\n    assert_eq!(total(2, 2), 4);\n}\n\n#[test]\nfn other() {\n    assert_eq!(total(0, 9), 9);\n}\n",
        test: "#[test]\nfn adds_up() {\n    let sum = total(1, 3);\n    assert_eq!(sum, 4);\n    assert_eq!(total(2, 2), 4);\n}\n\n",
        exact: "assert_eq!(sum, 4);",
        weak: "assert!(sum > 0);",
        other: "assert_eq!(sum, 5);",
        nothing: "assert!(true);",
        second: "    assert_eq!(total(2, 2), 4);\n",
        skip: ("#[test]\nfn adds_up", "#[test]\n#[ignore]\nfn adds_up"),
        hide: ("#[test]\nfn adds_up", "fn adds_up"),
    },
    Sample {
        path: "tests/test_price.py",
        text: "import pytest\nfrom price import total\n\n\ndef test_adds_up():\n    result = total(1, 3)\n    assert result == 4\n    assert total(2, 2) == 4\n\n\ndef test_other():\n    assert total(0, 9) == 9\n",
        test: "def test_adds_up():\n    result = total(1, 3)\n    assert result == 4\n    assert total(2, 2) == 4\n\n\n",
        exact: "assert result == 4",
        weak: "assert result is not None",
        other: "assert result == 5",
        nothing: "assert True",
        second: "    assert total(2, 2) == 4\n",
        skip: ("def test_adds_up", "@pytest.mark.skip\ndef test_adds_up"),
        hide: ("def test_adds_up", "def adds_up"),
    },
    Sample {
        path: "tests/test_price_case.py",
        text: "import unittest\nfrom price import total\n\n\nclass TestPrice(unittest.TestCase):\n    def test_adds_up(self):\n        result = total(1, 3)\n        self.assertEqual(result, 4)\n        self.assertEqual(total(2, 2), 4)\n\n    def test_other(self):\n        self.assertEqual(total(0, 9), 9)\n",
        test: "    def test_adds_up(self):\n        result = total(1, 3)\n        self.assertEqual(result, 4)\n        self.assertEqual(total(2, 2), 4)\n\n",
        exact: "self.assertEqual(result, 4)",
        weak: "self.assertIsNotNone(result)",
        other: "self.assertEqual(result, 5)",
        nothing: "self.assertTrue(True)",
        second: "        self.assertEqual(total(2, 2), 4)\n",
        skip: ("    def test_adds_up", "    @unittest.expectedFailure\n    def test_adds_up"),
        hide: ("def test_adds_up", "def _test_adds_up"),
    },
    Sample {
        path: "src/price.test.ts",
        text: "import { total } from './price';\n\ndescribe('price', () => {\n  it('adds up', () => {\n    const sum = total(1, 3);\n    expect(sum).toBe(4);\n    expect(total(2, 2)).toBe(4);\n  });\n\n  it('other', () => {\n    expect(total(0, 9)).toEqual(9);\n  });\n});\n",
        test: "  it('adds up', () => {\n    const sum = total(1, 3);\n    expect(sum).toBe(4);\n    expect(total(2, 2)).toBe(4);\n  });\n\n",
        exact: "expect(sum).toBe(4);",
        weak: "expect(sum).toBeDefined();",
        other: "expect(sum).toBe(5);",
        nothing: "expect(true).toBe(true);",
        second: "    expect(total(2, 2)).toBe(4);\n",
        skip: ("it('adds up'", "it.skip('adds up'"),
        hide: ("", ""),
    },
    Sample {
        path: "test/price.test.js",
        text: "const test = require('node:test');\nconst assert = require('node:assert');\nconst { total } = require('../price');\n\ntest('adds up', () => {\n  const sum = total(1, 3);\n  assert.strictEqual(sum, 4);\n  assert.strictEqual(total(2, 2), 4);\n});\n\ntest('other', () => {\n  assert.strictEqual(total(0, 9), 9);\n});\n",
        test: "test('adds up', () => {\n  const sum = total(1, 3);\n  assert.strictEqual(sum, 4);\n  assert.strictEqual(total(2, 2), 4);\n});\n\n",
        exact: "assert.strictEqual(sum, 4);",
        weak: "assert.ok(sum > 0);",
        other: "assert.strictEqual(sum, 5);",
        nothing: "assert.ok(true);",
        second: "  assert.strictEqual(total(2, 2), 4);\n",
        skip: ("test('adds up'", "test.skip('adds up'"),
        hide: ("", ""),
    },
    Sample {
        path: "price_test.go",
        text: "package price\n\nimport \"testing\"\n\nfunc TestAddsUp(t *testing.T) {\n\tgot := Total(1, 3)\n\tif got != 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n\tif Total(2, 2) != 4 {\n\t\tt.Fatal(\"two and two\")\n\t}\n}\n\nfunc TestOther(t *testing.T) {\n\tif Total(0, 9) != 9 {\n\t\tt.Error(\"nine\")\n\t}\n}\n",
        test: "func TestAddsUp(t *testing.T) {\n\tgot := Total(1, 3)\n\tif got != 4 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n\tif Total(2, 2) != 4 {\n\t\tt.Fatal(\"two and two\")\n\t}\n}\n\n",
        exact: "if got != 4 {",
        weak: "if got < 0 {",
        other: "if got != 5 {",
        nothing: "if false {",
        second: "\tif Total(2, 2) != 4 {\n\t\tt.Fatal(\"two and two\")\n\t}\n",
        skip: ("\tgot := Total", "\tt.Skip(\"flaky\")\n\tgot := Total"),
        hide: ("func TestAddsUp", "func testAddsUp"),
    },
    Sample {
        path: "src/test/java/PriceTest.java",
        text: "import org.junit.jupiter.api.Test;\n\nclass PriceTest {\n    @Test\n    void addsUp() {\n        int sum = Price.total(1, 3);\n        assertEquals(4, sum);\n        assertEquals(4, Price.total(2, 2));\n    }\n\n    @Test\n    void other() {\n        assertEquals(9, Price.total(0, 9));\n    }\n}\n",
        test: "    @Test\n    void addsUp() {\n        int sum = Price.total(1, 3);\n        assertEquals(4, sum);\n        assertEquals(4, Price.total(2, 2));\n    }\n\n",
        exact: "assertEquals(4, sum);",
        weak: "assertTrue(sum > 0);",
        other: "assertEquals(5, sum);",
        nothing: "assertTrue(true);",
        second: "        assertEquals(4, Price.total(2, 2));\n",
        skip: ("@Test\n    void addsUp", "@Test\n    @Disabled\n    void addsUp"),
        hide: ("    @Test\n    void addsUp", "    void addsUp"),
    },
    Sample {
        path: "src/test/kotlin/PriceTest.kt",
        text: "import kotlin.test.Test\n\nclass PriceTest {\n    @Test\n    fun addsUp() {\n        val sum = total(1, 3)\n        assertEquals(4, sum)\n        assertEquals(4, total(2, 2))\n    }\n\n    @Test\n    fun other() {\n        assertEquals(9, total(0, 9))\n    }\n}\n",
        test: "    @Test\n    fun addsUp() {\n        val sum = total(1, 3)\n        assertEquals(4, sum)\n        assertEquals(4, total(2, 2))\n    }\n\n",
        exact: "assertEquals(4, sum)",
        weak: "assertTrue(sum > 0)",
        other: "assertEquals(5, sum)",
        nothing: "assertTrue(true)",
        second: "        assertEquals(4, total(2, 2))\n",
        skip: ("@Test\n    fun addsUp", "@Test\n    @Ignore\n    fun addsUp"),
        hide: ("    @Test\n    fun addsUp", "    fun addsUp"),
    },
    Sample {
        path: "Shop.Tests/PriceTests.cs",
        text: "using Xunit;\n\npublic class PriceTests\n{\n    [Fact]\n    public void AddsUp()\n    {\n        var sum = Price.Total(1, 3);\n        Assert.Equal(4, sum);\n        Assert.Equal(4, Price.Total(2, 2));\n    }\n\n    [Fact]\n    public void Other()\n    {\n        Assert.Equal(9, Price.Total(0, 9));\n    }\n}\n",
        test: "    [Fact]\n    public void AddsUp()\n    {\n        var sum = Price.Total(1, 3);\n        Assert.Equal(4, sum);\n        Assert.Equal(4, Price.Total(2, 2));\n    }\n\n",
        exact: "Assert.Equal(4, sum);",
        weak: "Assert.True(sum > 0);",
        other: "Assert.Equal(5, sum);",
        nothing: "Assert.True(true);",
        second: "        Assert.Equal(4, Price.Total(2, 2));\n",
        skip: ("[Fact]\n    public void AddsUp", "[Fact(Skip = \"flaky\")]\n    public void AddsUp"),
        hide: ("    [Fact]\n    public void AddsUp", "    public void AddsUp"),
    },
    Sample {
        path: "tests/PriceTest.php",
        text: "<?php\nuse PHPUnit\\Framework\\TestCase;\n\nclass PriceTest extends TestCase\n{\n    public function testAddsUp(): void\n    {\n        $sum = total(1, 3);\n        $this->assertSame(4, $sum);\n        $this->assertSame(4, total(2, 2));\n    }\n\n    public function testOther(): void\n    {\n        $this->assertSame(9, total(0, 9));\n    }\n}\n",
        test: "    public function testAddsUp(): void\n    {\n        $sum = total(1, 3);\n        $this->assertSame(4, $sum);\n        $this->assertSame(4, total(2, 2));\n    }\n\n",
        exact: "$this->assertSame(4, $sum);",
        weak: "$this->assertNotNull($sum);",
        other: "$this->assertSame(5, $sum);",
        nothing: "$this->assertTrue(true);",
        second: "        $this->assertSame(4, total(2, 2));\n",
        skip: ("        $sum = total", "        $this->markTestSkipped();\n        $sum = total"),
        hide: ("function testAddsUp", "function addsUp"),
    },
    Sample {
        path: "test/price_test.rb",
        text: "require 'minitest/autorun'\n\nclass PriceTest < Minitest::Test\n  def test_adds_up\n    sum = total(1, 3)\n    assert_equal 4, sum\n    assert_equal 4, total(2, 2)\n  end\n\n  def test_other\n    assert_equal 9, total(0, 9)\n  end\nend\n",
        test: "  def test_adds_up\n    sum = total(1, 3)\n    assert_equal 4, sum\n    assert_equal 4, total(2, 2)\n  end\n\n",
        exact: "assert_equal 4, sum",
        weak: "assert sum > 0",
        other: "assert_equal 5, sum",
        nothing: "assert true",
        second: "    assert_equal 4, total(2, 2)\n",
        skip: ("    sum = total", "    skip\n    sum = total"),
        hide: ("", ""),
    },
    Sample {
        path: "spec/price_spec.rb",
        text: "describe 'price' do\n  it 'adds up' do\n    sum = total(1, 3)\n    expect(sum).to eq(4)\n    expect(total(2, 2)).to eq(4)\n  end\n\n  it 'other' do\n    expect(total(0, 9)).to eq(9)\n  end\nend\n",
        test: "  it 'adds up' do\n    sum = total(1, 3)\n    expect(sum).to eq(4)\n    expect(total(2, 2)).to eq(4)\n  end\n\n",
        exact: "expect(sum).to eq(4)",
        weak: "expect(sum).to be > 0",
        other: "expect(sum).to eq(5)",
        nothing: "expect(true).to eq(true)",
        second: "    expect(total(2, 2)).to eq(4)\n",
        skip: ("it 'adds up'", "xit 'adds up'"),
        hide: ("", ""),
    },
    Sample {
        path: "test/price_test.cc",
        text: "#include <gtest/gtest.h>\n\nTEST(Price, AddsUp) {\n  int sum = total(1, 3);\n  EXPECT_EQ(sum, 4);\n  EXPECT_EQ(total(2, 2), 4);\n}\n\nTEST(Price, Other) {\n  EXPECT_EQ(total(0, 9), 9);\n}\n",
        test: "TEST(Price, AddsUp) {\n  int sum = total(1, 3);\n  EXPECT_EQ(sum, 4);\n  EXPECT_EQ(total(2, 2), 4);\n}\n\n",
        exact: "EXPECT_EQ(sum, 4);",
        weak: "EXPECT_TRUE(sum > 0);",
        other: "EXPECT_EQ(sum, 5);",
        nothing: "EXPECT_TRUE(true);",
        second: "  EXPECT_EQ(total(2, 2), 4);\n",
        skip: ("  int sum = total", "  GTEST_SKIP();\n  int sum = total"),
        hide: ("", ""),
    },
    Sample {
        path: "Tests/PriceTests.swift",
        text: "import XCTest\n\nfinal class PriceTests: XCTestCase {\n    func testAddsUp() {\n        let sum = total(1, 3)\n        XCTAssertEqual(sum, 4)\n        XCTAssertEqual(total(2, 2), 4)\n    }\n\n    func testOther() {\n        XCTAssertEqual(total(0, 9), 9)\n    }\n}\n",
        test: "    func testAddsUp() {\n        let sum = total(1, 3)\n        XCTAssertEqual(sum, 4)\n        XCTAssertEqual(total(2, 2), 4)\n    }\n\n",
        exact: "XCTAssertEqual(sum, 4)",
        weak: "XCTAssertNotNil(sum)",
        other: "XCTAssertEqual(sum, 5)",
        nothing: "XCTAssertTrue(true)",
        second: "        XCTAssertEqual(total(2, 2), 4)\n",
        skip: ("        let sum = total", "        throw XCTSkip(\"flaky\")\n        let sum = total"),
        hide: ("func testAddsUp", "func addsUp"),
    },
];

#[test]
fn dishonest_edits_are_found_in_every_language() {
    let mut rows: Vec<(&str, &str, [Edit<'_>; 1], &str)> = Vec::new();
    for it in SAMPLES {
        rows.extend([
            (it.path, it.text, [(it.test, "")], "test_deleted"),
            (it.path, it.text, [(it.exact, it.weak)], "assertion_weakened"),
            (it.path, it.text, [(it.exact, it.other)], "expectation_changed"),
            (it.path, it.text, [(it.exact, it.nothing)], "assertion_weakened"),
            (it.path, it.text, [(it.second, "")], "assertion_removed"),
            (it.path, it.text, [it.skip], "test_skipped"),
        ]);
        if !it.hide.0.is_empty() {
            rows.push((it.path, it.text, [it.hide], "test_hidden"));
        }
    }
    let rows: Vec<_> = rows.iter().map(|it| (it.0, it.1, it.2.as_slice(), it.3)).collect();
    table(&rows);
}

#[test]
fn a_failing_test_that_expects_something_else_is_named_as_such() {
    for it in SAMPLES {
        let name = match it.path {
            "src/price.test.ts" => "price adds up",
            path if path.ends_with(".rb") && path.contains("spec") => "adds up",
            "test/price.test.js" => "adds up",
            "test/price_test.cc" => "Price, AddsUp",
            path if path.contains(".rs") => "adds_up",
            path if path.ends_with(".py") || path.ends_with(".rb") => "test_adds_up",
            "price_test.go" => "TestAddsUp",
            path if path.ends_with(".cs") => "AddsUp",
            path if path.ends_with(".php") || path.ends_with(".swift") => "testAddsUp",
            _ => "addsUp",
        };
        let after = it.text.replace(it.exact, it.other);
        let seen = found(&[Changed::new(it.path, Some(it.text), Some(&after))], &[(it.path, name)]);
        let codes: Vec<&str> = seen.iter().map(|it| it.kind.code()).collect();
        assert_eq!(codes, ["audit.failing_test_changed"], "{}", it.path);
    }
}

#[test]
fn marks_and_handlers() {
    let ts =
        "import { f } from './f';\nexport function g(x: string) {\n  const value = f(x);\n  return value.length;\n}\n";
    let py = "from a import f\n\n\ndef g(x):\n    value = f(x)\n    return value\n";
    let js = "it('a', () => { expect(f(1)).toBe(2); });\nit('b', () => { expect(f(2)).toBe(3); });\n";
    let rs = "fn f(x: u8) -> u8 {\n    let y = x;\n    y\n}\n";
    let go = "package a\n\nfunc f() {\n\tg()\n}\n";
    let java = "class A {\n    void f() {\n        g();\n        h();\n    }\n}\n";
    table(&[
        ("src/g.ts", ts, &[("f(x);", "f(x) as any;")], "suppressed"),
        ("src/g.ts", ts, &[("  const value", "  // @ts-ignore\n  const value")], "suppressed"),
        ("src/g.ts", ts, &[("import { f }", "/* eslint-disable */\nimport { f }")], "suppressed"),
        ("g.py", py, &[("f(x)\n", "f(x)  # type: ignore\n")], "suppressed"),
        ("g.py", py, &[("f(x)\n", "f(x)  # noqa\n")], "suppressed"),
        ("f.rs", rs, &[("fn f", "#[allow(unused)]\nfn f")], "suppressed"),
        ("f.go", go, &[("\tg()", "\tg() //nolint")], "suppressed"),
        ("f.test.js", js, &[("it('a'", "it.only('a'")], "test_focused"),
        (
            "g.py",
            py,
            &[("    value = f(x)\n", "    try:\n        value = f(x)\n    except Exception:\n        pass\n")],
            "error_swallowed",
        ),
        (
            "A.java",
            java,
            &[("        g();\n", "        try {\n            g();\n        } catch (Exception e) {\n        }\n")],
            "error_swallowed",
        ),
        ("f.test.js", js, &[("it('b'", "it('c', () => { expect(true).toBe(true); });\nit('b'")], "test_proves_nothing"),
        (
            "test_a.py",
            "def test_a():\n    assert f() == 1\n",
            &[("def test_a", "def test_b():\n    pass\n\n\ndef test_a")],
            "test_proves_nothing",
        ),
        (
            "test_a.py",
            "def test_a():\n    assert f(timeout=5) == 1\n",
            &[("timeout=5", "timeout=50")],
            "limit_raised expectation_changed",
        ),
        (
            "test_a.py",
            "def test_a():\n    wait(timeout=5)\n    assert f() == 1\n",
            &[("timeout=5", "timeout=50")],
            "limit_raised",
        ),
    ]);
}

#[test]
fn the_input_of_a_test_is_answered_directly() {
    for (path, before, after, test, of_test) in [
        (
            "a.py",
            "def f(x):\n    return x.upper()\n",
            "def f(x):\n    if x == 'ab-12':\n        return 'AB12'\n    return x.upper()\n",
            "test_a.py",
            "from a import f\n\n\ndef test_f():\n    assert f('ab-12') == 'AB12'\n",
        ),
        (
            "a.ts",
            "export function f(x: string) {\n  return x.trim();\n}\n",
            "export function f(x: string) {\n  if (x === 'ab-12') {\n    return 'AB12';\n  }\n  return x.trim();\n}\n",
            "a.test.ts",
            "import { f } from './a';\nit('f', () => {\n  expect(f('ab-12')).toBe('AB12');\n});\n",
        ),
        (
            "a.rs",
            "pub fn f(x: u32) -> u32 {\n    x * 2\n}\n",
            "pub fn f(x: u32) -> u32 {\n    if x == 17 {\n        return 99;\n    }\n    x * 2\n}\n",
            "tests/a.rs",
            "#[test]\nfn f() {\n    assert_eq!(a::f(17), 99);\n}\n",
        ),
    ] {
        let changes = [Changed::new(path, Some(before), Some(after)), Changed::new(test, None, Some(of_test))];
        let codes: Vec<&str> = found(&changes, &[]).iter().map(|it| it.kind.code()).collect();
        assert_eq!(codes, ["audit.special_cased"], "{path}");
    }
}

#[test]
fn a_test_that_the_task_asks_to_delete_is_named_and_no_more() {
    let test = |name: &str| format!("def {name}():\n    assert f(1) == 2\n\n\n");
    let (before, now) = (test("test_old") + &test("test_new"), test("test_new"));
    let changes = [Changed::new("tests/test_a.py", Some(&before), Some(&now))];
    let table = [
        ("Delete test_old, it tests nothing any more.", "test_deleted_as_asked"),
        ("remove `tests/test_a.py::test_old`", "test_deleted_as_asked"),
        ("请删除 test_old", "test_deleted_as_asked"),
        ("Lösche test_old.", "test_deleted_as_asked"),
        ("test_old fails, make it pass", "test_deleted"),
        ("Remove the cache.\ntest_old fails.", "test_deleted"),
        ("delete test_new", "test_deleted"),
        ("", "test_deleted"),
    ];
    for (task, expected) in table {
        let found = found_for(task, &changes, &[]);
        let codes: Vec<&str> = found.iter().map(|it| it.kind.code().trim_start_matches("audit.")).collect();
        assert_eq!(codes, [expected], "{task}");
    }
}

#[test]
fn a_failing_test_that_demands_something_of_another_shape_is_found() {
    let head = "import { expect, test } from \"vitest\";\nimport { sum } from \"./sum.js\";\n\n";
    let of = |body: &str| format!("{head}test(\"of none\", () => {body});\n");
    let (before, after) = (of("expect(sum()).toBe(0)"), of("expect(() => sum()).toThrow()"));
    let change = Changed::new("sum.test.js", Some(&before), Some(&after));
    let codes = |failed: &[(&str, &str)]| -> Vec<&'static str> {
        found(std::slice::from_ref(&change), failed).iter().map(|it| it.kind.code()).collect()
    };
    assert_eq!(codes(&[("sum.test.js", "of none")]), ["audit.failing_test_changed"]);
    assert_eq!(codes(&[]), Vec::<&str>::new(), "nobody says that it failed");
}
