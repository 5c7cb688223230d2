//! Edits by name in Java.

use super::super::call;
use super::super::samples::JAVA;
use super::table;
use expect_test::expect;

#[test]
fn java() {
    let calls = [
        call("Cart.toString", "replace", "public String toString() {\n    return \"\";\n}"),
        call("shop.Cart.toString", "replace_body", "String s = \"\";\nreturn s;"),
        call("Cart.Cart", "insert_before", "static final int MOST = 3;"),
        call("Cart.count", "insert_after", "private int most;"),
        call("Cart.State", "insert_after", "void last() {\n\treturn;\n}"),
        call("Cart.Cart", "replace_signature", "Cart(int n)"),
        call("Cart.Cart", "delete", ""),
        call("Cart.State", "delete", ""),
    ];
    table(
        "Cart.java",
        JAVA,
        &calls,
        expect![[r#"
        ==== Cart.toString replace
        @@ -10,5 +10,4 @@

        -→@Override
         →public String toString() {
        -→→return "cart";
        +→→return "";
         →}
        ==== shop.Cart.toString replace_body
        @@ -12,3 +12,4 @@
         →public String toString() {
        -→→return "cart";
        +→→String s = "";
        +→→return s;
         →}
        ==== Cart.Cart insert_before
        @@ -6,2 +6,4 @@

        +→static final int MOST = 3;
        +
         →public Cart() {
        ==== Cart.count insert_after
        @@ -5,2 +5,3 @@
         →private int count;
        +→private int most;

        ==== Cart.State insert_after
        @@ -16,2 +16,6 @@
         →enum State { OPEN }
        +
        +→void last() {
        +→→return;
        +→}
         }
        ==== Cart.Cart replace_signature
        @@ -6,3 +6,3 @@

        -→public Cart() {
        +→Cart(int n) {
         →→this(0);
        ==== Cart.Cart delete
        @@ -6,6 +6,2 @@

        -→public Cart() {
        -→→this(0);
        -→}
        -
         →@Override
        ==== Cart.State delete
        @@ -14,4 +14,2 @@
         →}
        -
        -→enum State { OPEN }
         }
    "#]],
    );
}
