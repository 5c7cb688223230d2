//! Outputs of the tools of JavaScript and TypeScript, with their versions.

use super::*;

samples! {
    biome_1_9 => expect![[r#"
        ./src/c.ts:2:46 [lint/suspicious/noDoubleEquals] Use === instead of ==
        ./src/c.ts:1:1 [lint/style/useConst] This let declares a variable that is only assigned once.
        ./src/c.ts:2:26 [lint/style/useConst] This let declares a variable that is only assigned once.
        ./src/c.ts:0:0 [format] Formatter would have printed the following content:
        ./src/b.js:4:1 [parse] expected `}` but instead the file ends
        ./src/b.js:2:7 [lint/suspicious/noDoubleEquals] Use === instead of ==
        ./src/b.js:2:15 [lint/suspicious/noDebugger] This is an unexpected use of the debugger statement.
        ./src/b.js:3:1 [lint/style/noVar] Use let or const instead of var.
        ./src/b.js:4:1 [parse] expected `}` but instead the file ends
        ./src/b.js:0:0 [format] Code formatting aborted due to parsing errors. To format code with errors, enable the 'formatter.formatWithErrors' option.
        ./biome.json:0:0 [format] Formatter would have printed the following content:
    "#]];
    biome_2_6 => expect![[r#"
        biome.json:0:0 [format] Formatter would have printed the following content:
        src/b.js:4:1 [parse] expected `}` but instead the file ends
        src/b.js:2:7 [lint/suspicious/noDoubleEquals] Using == may be unsafe if you are relying on type coercion.
        src/b.js:2:15 [lint/suspicious/noDebugger] This is an unexpected use of the debugger statement.
        src/b.js:0:0 [format] Code formatting aborted due to parsing errors. To format code with errors, enable the 'formatter.formatWithErrors' option.
        src/c.ts:2:46 [lint/suspicious/noDoubleEquals] Using == may be unsafe if you are relying on type coercion.
        src/c.ts:0:0 [format] Formatter would have printed the following content:
    "#]];
    bun_1_4 => expect![[r#"
        /home/me/js/calc.test.js:3:42 [math > adds] expect(received).toBe(expected)
            Expected: 3
            Received: -1
        /home/me/js/calc.test.js:4:49 [math > deep] expect(received).toEqual(expected)
            {
            "a": 1,
            "b": [
            -     2,
            +     1,
            ],
            }
            - Expected  - 1
            + Received  + 1
        /home/me/js/calc.js:2:61 [math > throws] TypeError: boom at runtime
        /home/me/js/calc.test.js:6:56 [math > async] rejected
        miss.test.js:0:0 Cannot find module './nope' from '/home/me/js/miss.test.js'
        /home/me/js/syntax.test.js:1:25 Expected identifier but found "="
    "#]];
    deno_check_2_9 => expect![[r#"
        /home/me/js/b_test.ts:1:7 [TS2322] Type 'string' is not assignable to type 'number'.
    "#]];
    deno_lint_2_9 => expect![[r#"
        /home/me/js/lint.ts:1:1 [no-var] `var` keyword is not allowed.
        /home/me/js/lint.ts:1:5 [no-unused-vars] `a` is never used
            hint: If this is intentional, prefix it with an underscore like `_a`
        /home/me/js/lint.ts:2:10 [no-unused-vars] `f` is never used
            hint: If this is intentional, prefix it with an underscore like `_f`
        /home/me/js/lint.ts:2:12 [no-unused-vars] `x` is never used
            hint: If this is intentional, prefix it with an underscore like `_x`
        /home/me/js/lint.ts:2:15 [no-explicit-any] `any` type is not allowed
            hint: Use a specific type other than `any`
        /home/me/js/lint.ts:2:28 [no-unused-vars] `y` is never used
            hint: If this is intentional, prefix it with an underscore like `_y`
        /home/me/js/lint.ts:2:35 [no-debugger] `debugger` statement is not allowed
            hint: Remove the `debugger` statement
    "#]];
    deno_test_2_9 => expect![[r#"
        /home/me/js/a_test.ts:1:58 [adds] -1 is not 3
        /home/me/js/a_test.ts:4:69 [steps ... one] TypeError: boom
    "#]];
    eslint_8_57 => expect![[r#"
        /home/me/js/b.js:2:1 [no-undef] 'undef' is not defined
        /home/me/js/b.js:3:8 [no-empty] Empty block statement
        /home/me/js/bad.js:1:7 Parsing error: Unexpected token =
    "#]];
    eslint_9_39 => expect![[r#"
        /home/me/js/b.js:2:1 [no-undef] 'undef' is not defined
        /home/me/js/b.js:3:8 [no-empty] Empty block statement
        /home/me/js/bad.js:1:7 Parsing error: Unexpected token =
    "#]];
    jest_27_5 => expect![[r#"
        calc.test.js:3:42 [math › adds] expect(received).toBe(expected) // Object.is equality
            Expected: 3
            Received: -1
        calc.test.js:4:49 [math › deep] expect(received).toEqual(expected) // deep equality
            - Expected  - 1
            + Received  + 1
            Object {
            "a": 1,
            "b": Array [
            -     2,
            +     1,
            ],
            }
        calc.js:2:30 [math › throws] TypeError: boom at runtime
        calc.test.js:6:52 [math › async] rejected
        ./syntax.test.js:1:24 SyntaxError: /home/me/js/syntax.test.js: Unexpected token
        miss.test.js:1:18 Cannot find module './nope' from 'miss.test.js'
    "#]];
    jest_30_5 => expect![[r#"
        calc.test.js:3:42 [math › adds] expect(received).toBe(expected) // Object.is equality
            Expected: 3
            Received: -1
        calc.test.js:4:49 [math › deep] expect(received).toEqual(expected) // deep equality
            - Expected  - 1
            + Received  + 1
            Object {
            "a": 1,
            "b": Array [
            -     2,
            +     1,
            ],
            }
        calc.js:2:30 [math › throws] TypeError: boom at runtime
        calc.test.js:6:52 [math › async] rejected
        ./syntax.test.js:1:24 SyntaxError: /home/me/js/syntax.test.js: Unexpected token
        miss.test.js:1:1 Cannot find module './nope' from 'miss.test.js'
    "#]];
    mocha_11_8 => expect![[r#"
        test/calc.js:4:35 [math > adds] AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
            -1 !== 3
        test/calc.js:5:35 [math > deep] AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:
            + actual - expected
            {
            a: 1,
            b: [
            +     1
            -     2
            ]
            }
        calc.js:2:30 [math > inner > throws] TypeError: boom at runtime
        /home/me/js/test/calc.js:0:0 [math > inner > hangs] Error: Timeout of 20ms exceeded. For async tests and hooks, ensure "done()" is called; if returning a Promise, ensure it resolves. (/home/me/js/test/calc.js)
        test/calc.js:14:30 [hooks > "before all" hook for "never"] Error: no database
    "#]];
    node_tap_20 => expect![[r#"
        /home/me/js/a.test.js:2:29 [adds] Expected values to be strictly equal:
            -1 !== 3
        /home/me/js/a.test.js:3:53 [deep] Expected values to be strictly deep-equal:
            + actual - expected
            {
            a: [
            +     1
            -     2
            ]
            }
        /home/me/js/a.test.js:3:150 [throws] "Cannot read properties of null (reading 'x')"
    "#]];
    tsc_4_9 => expect![[r#"
        src/a.ts:1:22 [TS2307] Cannot find module './nope' or its corresponding type declarations.
        src/a.ts:3:23 [TS2322] Type 'string' is not assignable to type 'number'.
        src/a.ts:3:31 [TS2322] Type '(x: number) => void' is not assignable to type '(x: string) => void'.
              Types of parameters 'x' and 'x' are incompatible.
                Type 'string' is not assignable to type 'number'.
        src/a.ts:4:59 [TS18048] 'x' is possibly 'undefined'.
        src/a.ts:4:91 [TS2339] Property 'size' does not exist on type 'string'.
    "#]];
    tsc_5_9 => expect![[r#"
        src/a.ts:1:22 [TS2307] Cannot find module './nope' or its corresponding type declarations.
        src/a.ts:3:23 [TS2322] Type 'string' is not assignable to type 'number'.
        src/a.ts:3:31 [TS2322] Type '(x: number) => void' is not assignable to type '(x: string) => void'.
              Types of parameters 'x' and 'x' are incompatible.
                Type 'string' is not assignable to type 'number'.
        src/a.ts:4:59 [TS18048] 'x' is possibly 'undefined'.
        src/a.ts:4:91 [TS2339] Property 'size' does not exist on type 'string'.
    "#]];
    tsc_pretty_5_9 => expect![[r#"
        src/a.ts:1:22 [TS2307] Cannot find module './nope' or its corresponding type declarations.
        src/a.ts:3:23 [TS2322] Type 'string' is not assignable to type 'number'.
        src/a.ts:3:31 [TS2322] Type '(x: number) => void' is not assignable to type '(x: string) => void'.
              Types of parameters 'x' and 'x' are incompatible.
                Type 'string' is not assignable to type 'number'.
        src/a.ts:4:59 [TS18048] 'x' is possibly 'undefined'.
        src/a.ts:4:91 [TS2339] Property 'size' does not exist on type 'string'.
    "#]];
    vitest_1_6 => expect![[r#"
        miss.test.js:0:0 Error: Failed to load url ./nope.js (resolved id: ./nope.js) in /home/me/js/miss.test.js. Does the file exist?
        calc.test.js:4:42 [math > adds] AssertionError: expected -1 to be 3 // Object.is equality
            - Expected
            + Received
            - 3
            + -1
        calc.test.js:5:49 [math > deep] AssertionError: expected { a: 1, b: [ 1 ] } to deeply equal { a: 1, b: [ 2 ] }
            - Expected
            + Received
              Object {
                "a": 1,
                "b": Array [
            -     2,
            +     1,
                ],
              }
        calc.test.js:6:26 [math > throws] TypeError: boom at runtime
        calc.test.js:7:52 [math > async] Error: rejected
    "#]];
    vitest_3_2 => expect![[r#"
        miss.test.js:1:1 Error: Cannot find module './nope.js' imported from '/home/me/js/miss.test.js'
        calc.test.js:4:42 [math > adds] AssertionError: expected -1 to be 3 // Object.is equality
            - Expected
            + Received
            - 3
            + -1
        calc.test.js:5:49 [math > deep] AssertionError: expected { a: 1, b: [ 1 ] } to deeply equal { a: 1, b: [ 2 ] }
            - Expected
            + Received
              {
                "a": 1,
                "b": [
            -     2,
            +     1,
                ],
              }
        calc.test.js:6:30 [math > throws] TypeError: boom at runtime
        calc.test.js:7:52 [math > async] Error: rejected
    "#]];
    node_spec_20 => expect![[r#"
        /home/me/js/a.test.js:2:29 [adds] AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
            -1 !== 3
        /home/me/js/a.test.js:3:53 [deep] AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:
            + actual - expected
            {
            a: [
            +     1
            -     2
            ]
            }
        /home/me/js/a.test.js:3:150 [throws] TypeError [Error]: Cannot read properties of null (reading 'x')
    "#]];
}
