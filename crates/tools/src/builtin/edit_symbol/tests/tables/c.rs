//! Edits by name in C.

use super::super::call;
use super::super::samples::C;
use super::table;
use expect_test::expect;

#[test]
fn c_with_its_own_line_endings() {
    let calls = [
        call("add", "replace_body", "int c = a + b;\nreturn c;"),
        call("add", "replace", "static int add(int a, int b)\n{\n    return b + a;\n}\n"),
        call("point", "replace", "struct point {\n    long x;\n}"),
        call("point", "insert_after", "struct line {\n    int from;\n};"),
        call("LIMIT", "replace", "#define LIMIT 20"),
        call("LIMIT", "insert_after", "#define MOST 20"),
        call("point", "delete", ""),
    ];
    table(
        "add.c",
        C,
        &calls,
        expect![[r#"
        ==== add replace_body
        @@ -12,3 +12,4 @@
         {
        -    return a + b;
        +    int c = a + b;
        +    return c;
         }
        ==== add replace
        @@ -12,3 +12,3 @@
         {
        -    return a + b;
        +    return b + a;
         }
        ==== point replace
        @@ -6,3 +6,3 @@
         struct point {
        -    int x;
        +    long x;
         };
        ==== point insert_after
        @@ -9,2 +9,6 @@

        +struct line {
        +    int from;
        +};
        +
         /* Adds. */
        ==== LIMIT replace
        @@ -2,3 +2,3 @@

        -#define LIMIT 10
        +#define LIMIT 20
         static int add(int a, int b);
        ==== LIMIT insert_after
        @@ -3,2 +3,3 @@
         #define LIMIT 10
        +#define MOST 20
         static int add(int a, int b);
        ==== point delete
        @@ -5,6 +5,2 @@

        -struct point {
        -    int x;
        -};
        -
         /* Adds. */
    "#]],
    );
}
