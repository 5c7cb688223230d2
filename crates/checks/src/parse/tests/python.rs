//! Outputs of the tools of Python, with their versions.

use super::*;

samples! {
    django_4_2 => expect![[r#"
        /home/me/py/shop/tests.py:8:0 [shop.tests.T.test_url] django.urls.exceptions.NoReverseMatch: 'shop' is not a registered namespace
        /home/me/py/shop/tests.py:15:0 [shop.tests.D.test_sub] AssertionError: 0 != 5
        /home/me/py/shop/tests.py:15:0 [shop.tests.D.test_sub] AssertionError: 1 != 5
        /home/me/py/shop/tests.py:4:0 [shop.tests.T.test_add] AssertionError: -1 != 3
    "#]];
    django_5_2 => expect![[r#"
        /home/me/py/shop/tests.py:8:0 [shop.tests.T.test_url] django.urls.exceptions.NoReverseMatch: 'shop' is not a registered namespace
        /home/me/py/shop/tests.py:15:0 [shop.tests.D.test_sub] AssertionError: 0 != 5
        /home/me/py/shop/tests.py:15:0 [shop.tests.D.test_sub] AssertionError: 1 != 5
        /home/me/py/shop/tests.py:4:0 [shop.tests.T.test_add] AssertionError: -1 != 3
    "#]];
    django_setup_5_2 => expect![[r#"
        /home/me/py/manage.py:18:0 ModuleNotFoundError: No module named 'nope_app'
    "#]];
    flake8_5_0 => expect![[r#"
        ./a.py:1:1 [F401] 'os' imported but unused
        ./a.py:11:1 [F821] undefined name 'undefined_name'
        ./a.py:12:1 [E741] ambiguous variable name 'l'
        ./a.py:13:4 [E741] ambiguous variable name 'l'
        ./a.py:13:6 [E711] comparison to None should be 'if cond is None:'
        ./a.py:13:13 [E701] multiple statements on one line (colon)
    "#]];
    flake8_7_5 => expect![[r#"
        ./a.py:1:1 [F401] 'os' imported but unused
        ./a.py:11:1 [F821] undefined name 'undefined_name'
        ./a.py:12:1 [E741] ambiguous variable name 'l'
        ./a.py:13:6 [E711] comparison to None should be 'if cond is None:'
        ./a.py:13:13 [E701] multiple statements on one line (colon)
    "#]];
    mypy_0_991 => expect![[r#"
        /home/me/.venv/lib/python3.11/site-packages/mypy/__main__.py:9:0 DeprecationWarning: mypy_extensions.TypedDict is deprecated, and will be removed in a future version. Use typing.TypedDict or typing_extensions.TypedDict instead.
        a.py:6:0 [return-value] Incompatible return value type (got "int", expected "str")
        a.py:9:0 [list-item] List item 0 has incompatible type "str"; expected "int"
        a.py:10:0 [attr-defined] "str" has no attribute "missing"
        a.py:10:0 [arg-type] Argument 1 to "f" has incompatible type "str"; expected "int"
        a.py:11:0 [name-defined] Name "undefined_name" is not defined
    "#]];
    mypy_2_4 => expect![[r#"
        a.py:6:0 [return-value] Incompatible return value type (got "int", expected "str")
        a.py:9:0 [list-item] List item 0 has incompatible type "str"; expected "int"
        a.py:10:0 [attr-defined] "str" has no attribute "missing"
        a.py:10:0 [arg-type] Argument 1 to "f" has incompatible type "str"; expected "int"
        a.py:11:0 [name-defined] Name "undefined_name" is not defined
    "#]];
    pylint_4_1 => expect![[r#"
        a.py:1:0 [C0114] Missing module docstring (missing-module-docstring)
        a.py:5:0 [C0116] Missing function or method docstring (missing-function-docstring)
        a.py:11:0 [W0104] Statement seems to have no effect (pointless-statement)
        a.py:11:0 [E0602] Undefined variable 'undefined_name' (undefined-variable)
        a.py:12:0 [C0103] Constant name "l" doesn't conform to UPPER_CASE naming style (invalid-name)
        a.py:13:3 [C0121] Comparison 'l == None' should be 'l is None' (singleton-comparison)
        a.py:13:14 [C0321] More than one statement on a single line (multiple-statements)
        a.py:1:0 [W0611] Unused import os (unused-import)
    "#]];
    pyright_1_1 => expect![[r#"
        /home/me/py/a.py:6:12 [reportReturnType] Type "int" is not assignable to return type "str"
            "int" is not assignable to "str"
        /home/me/py/a.py:9:17 [reportAssignmentType] Type "list[str]" is not assignable to declared type "List[int]"
            "Literal['a']" is not assignable to "int"
        /home/me/py/a.py:10:3 [reportArgumentType] Argument of type "Literal['s']" cannot be assigned to parameter "x" of type "int" in function "f"
            "Literal['s']" is not assignable to "int"
        /home/me/py/a.py:10:8 [reportAttributeAccessIssue] Cannot access attribute "missing" for class "str"
            Attribute "missing" is unknown
        /home/me/py/a.py:11:1 [reportUndefinedVariable] "undefined_name" is not defined
    "#]];
    pytest_6_2 => expect![[r#"
        tests/test_calc.py:10:0 [tests/test_calc.py::TestCalc::test_add[1-2-3]] AssertionError: sum
            assert -1 == 3
            +  where -1 = <function add at 0x…>(1, 2)
            +    where <function add at 0x…> = calc.add
        calc.py:6:0 [tests/test_calc.py::TestCalc::test_boom] KeyError: 'gone'
        tests/test_calc.py:0:0 [tests/test_calc.py::test_strict] the test passed, and it is marked as one that has to fail
        tests/test_calc.py:31:0 [tests/test_calc.py::test_text] AssertionError: assert 'a\nb\nc' == 'a\nB\nc'
            a
            - B
            + b
            c
        tests/test_miss.py:1:0 [tests/test_miss.py] ModuleNotFoundError: No module named 'nope_module'
        /home/me/py/tests/test_syntax.py:1:0 [tests/test_syntax.py] def x(:
            ^
            SyntaxError: invalid syntax
        tests/test_calc.py:18:0 [tests/test_calc.py::test_db] RuntimeError: no database
    "#]];
    pytest_7_4 => expect![[r#"
        tests/test_calc.py:10:0 [tests/test_calc.py::TestCalc::test_add[1-2-3]] AssertionError: sum
            assert -1 == 3
            +  where -1 = <function add at 0x…>(1, 2)
            +    where <function add at 0x…> = calc.add
        calc.py:6:0 [tests/test_calc.py::TestCalc::test_boom] KeyError: 'gone'
        tests/test_calc.py:0:0 [tests/test_calc.py::test_strict] the test passed, and it is marked as one that has to fail
        tests/test_calc.py:31:0 [tests/test_calc.py::test_text] AssertionError: assert 'a\nb\nc' == 'a\nB\nc'
            a
            - B
            + b
            c
        tests/test_miss.py:1:0 [tests/test_miss.py] ModuleNotFoundError: No module named 'nope_module'
        /home/me/py/tests/test_syntax.py:1:0 [tests/test_syntax.py] def x(:
            ^
            SyntaxError: invalid syntax
        tests/test_calc.py:18:0 [tests/test_calc.py::test_db] RuntimeError: no database
    "#]];
    pytest_9_2 => expect![[r#"
        tests/test_calc.py:10:0 [tests/test_calc.py::TestCalc::test_add[1-2-3]] AssertionError: sum
            assert -1 == 3
            +  where -1 = <function add at 0x…>(1, 2)
            +    where <function add at 0x…> = calc.add
        calc.py:6:0 [tests/test_calc.py::TestCalc::test_boom] KeyError: 'gone'
        tests/test_calc.py:0:0 [tests/test_calc.py::test_strict] [XPASS(strict)]
        tests/test_calc.py:31:0 [tests/test_calc.py::test_text] AssertionError: assert 'a\nb\nc' == 'a\nB\nc'
            a
            - B
            + b
            c
        tests/test_miss.py:1:0 [tests/test_miss.py] ModuleNotFoundError: No module named 'nope_module'
        /home/me/py/tests/test_syntax.py:1:0 [tests/test_syntax.py] def x(:
            ^
            SyntaxError: invalid syntax
        tests/test_calc.py:18:0 [tests/test_calc.py::test_db] RuntimeError: no database
    "#]];
    pytest_default_6_2 => expect![[r#"
        tests/test_calc.py:10:0 [tests/test_calc.py::TestCalc::test_add[1-2-3]] AssertionError: sum
            assert -1 == 3
            +  where -1 = <function add at 0x…>(1, 2)
            +    where <function add at 0x…> = calc.add
        calc.py:6:0 [tests/test_calc.py::TestCalc::test_boom] KeyError: 'gone'
        tests/test_calc.py:0:0 [tests/test_calc.py::test_strict] the test passed, and it is marked as one that has to fail
        tests/test_calc.py:31:0 [tests/test_calc.py::test_text] AssertionError: assert 'a\nb\nc' == 'a\nB\nc'
            a
            - B
            + b
            c
        tests/test_miss.py:1:0 [tests/test_miss.py] ModuleNotFoundError: No module named 'nope_module'
        /home/me/py/tests/test_syntax.py:1:0 [tests/test_syntax.py] def x(:
            ^
            SyntaxError: invalid syntax
        tests/test_calc.py:18:0 [tests/test_calc.py::test_db] RuntimeError: no database
    "#]];
    pytest_default_9_2 => expect![[r#"
        tests/test_calc.py:10:0 [tests/test_calc.py::TestCalc::test_add[1-2-3]] AssertionError: sum
            assert -1 == 3
            +  where -1 = <function add at 0x…>(1, 2)
            +    where <function add at 0x…> = calc.add
        calc.py:6:0 [tests/test_calc.py::TestCalc::test_boom] KeyError: 'gone'
        tests/test_calc.py:0:0 [tests/test_calc.py::test_strict] [XPASS(strict)]
        tests/test_calc.py:31:0 [tests/test_calc.py::test_text] AssertionError: assert 'a\nb\nc' == 'a\nB\nc'
            a
            - B
            + b
            c
        tests/test_miss.py:1:0 [tests/test_miss.py] ModuleNotFoundError: No module named 'nope_module'
        /home/me/py/tests/test_syntax.py:1:0 [tests/test_syntax.py] def x(:
            ^
            SyntaxError: invalid syntax
        tests/test_calc.py:18:0 [tests/test_calc.py::test_db] RuntimeError: no database
    "#]];
    ruff_0_1 => expect![[r#"
        a.py:1:8 [F401] `os` imported but unused
        a.py:11:1 [F821] Undefined name `undefined_name`
        a.py:12:1 [E741] Ambiguous variable name: `l`
        a.py:13:9 [E711] Comparison to `None` should be `cond is None`
        a.py:13:13 [E701] Multiple statements on one line (colon)
    "#]];
    ruff_0_17 => expect![[r#"
        a.py:1:8 [F401] `os` imported but unused
        a.py:2:1 [UP035] `typing.List` is deprecated, use `list` instead
        a.py:9:4 [UP006] Use `list` instead of `List` for type annotation
        a.py:11:1 [F821] Undefined name `undefined_name`
        a.py:11:1 [B018] Found useless expression. Either assign it to a variable or remove it.
    "#]];
    unittest_3_12 => expect![[r#"
        /home/me/py/test_m.py:1:0 [unittest.loader._FailedTest.test_m] ModuleNotFoundError: No module named 'nope_module'
        /home/me/py/test_u.py:18:0 [test_u.S.setUpClass] RuntimeError: no database
        /home/me/py/test_u.py:7:0 [test_u.T.test_err] KeyError: 'x'
        /home/me/py/test_u.py:5:0 [test_u.T.test_add] AssertionError: -1 != 3 : sum
        /home/me/py/test_u.py:11:0 [test_u.T.test_sub] AssertionError: 0 != 5
        /home/me/py/test_u.py:11:0 [test_u.T.test_sub] AssertionError: 1 != 5
    "#]];
    unittest_3_13 => expect![[r#"
        /home/me/py/test_m.py:1:0 [unittest.loader._FailedTest.test_m] ModuleNotFoundError: No module named 'nope_module'
        /home/me/py/test_u.py:18:0 [test_u.S.setUpClass] RuntimeError: no database
        /home/me/py/test_u.py:7:0 [test_u.T.test_err] KeyError: 'x'
        /home/me/py/test_u.py:5:0 [test_u.T.test_add] AssertionError: -1 != 3 : sum
        /home/me/py/test_u.py:11:0 [test_u.T.test_sub] AssertionError: 0 != 5
        /home/me/py/test_u.py:11:0 [test_u.T.test_sub] AssertionError: 1 != 5
    "#]];
    unittest_3_8 => expect![[r#"
        /home/me/py/test_m.py:1:0 [unittest.loader._FailedTest.test_m] ModuleNotFoundError: No module named 'nope_module'
        /home/me/py/test_u.py:18:0 [test_u.S.setUpClass] RuntimeError: no database
        /home/me/py/test_u.py:7:0 [test_u.T.test_err] KeyError: 'x'
        /home/me/py/test_u.py:5:0 [test_u.T.test_add] AssertionError: -1 != 3 : sum
        /home/me/py/test_u.py:11:0 [test_u.T.test_sub] AssertionError: 0 != 5
        /home/me/py/test_u.py:11:0 [test_u.T.test_sub] AssertionError: 1 != 5
    "#]];
}
