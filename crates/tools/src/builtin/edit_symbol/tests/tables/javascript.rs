//! Edits by name in JavaScript.

use super::super::call;
use super::super::samples::JAVASCRIPT;
use super::table;
use expect_test::expect;

#[test]
fn javascript() {
    let calls = [
        call("add", "replace", "export function add(a, b) {\n  return b + a;\n}"),
        call("add", "replace_body", "b + a"),
        call("add", "replace_body", "const c = a;\nreturn c + b;"),
        call("add", "replace_signature", "export const add = async (a, b)"),
        call("Queue.push", "replace", "    push(...items) {\n        this.items.push(...items);\n    }"),
        call("Queue.push", "insert_after", "pop() {\n  return this.items.pop();\n}"),
        call("Queue.size", "replace_body", "return 1;"),
        call("exports.find", "insert_after", "found(x) {\n  return !!x;\n},"),
        call("exports.find", "insert_before", "found(x) {\n  return !!x;\n}"),
        call("exports.keep", "insert_after", "found: () => 1"),
        call("exports.find", "replace", "find: (x) => x,"),
        call("exports.find", "delete", ""),
    ];
    table(
        "queue.js",
        JAVASCRIPT,
        &calls,
        expect![[r#"
        ==== add replace
        @@ -1,3 +1,5 @@
         /** Adds. */
        -export const add = (a, b) => a + b;
        +export function add(a, b) {
        +  return b + a;
        +}

        ==== add replace_body
        @@ -1,3 +1,3 @@
         /** Adds. */
        -export const add = (a, b) => a + b;
        +export const add = (a, b) => b + a;

        ==== add replace_body
        @@ -1,3 +1,6 @@
         /** Adds. */
        -export const add = (a, b) => a + b;
        +export const add = (a, b) => {
        +  const c = a;
        +  return c + b;
        +};

        ==== add replace_signature
        @@ -1,3 +1,3 @@
         /** Adds. */
        -export const add = (a, b) => a + b;
        +export const add = async (a, b) => a + b;

        ==== Queue.push replace
        @@ -5,4 +5,4 @@
           // Adds one.
        -  push(item) {
        -    this.items.push(item);
        +  push(...items) {
        +      this.items.push(...items);
           }
        ==== Queue.push insert_after
        @@ -8,2 +8,5 @@
           }
        +  pop() {
        +    return this.items.pop();
        +  }
           size = () => {
        ==== Queue.size replace_body
        @@ -9,4 +9,3 @@
           size = () => {
        -    return `
        -x`;
        +    return 1;
           };
        ==== exports.find insert_after
        @@ -18,2 +18,5 @@
           },
        +  found(x) {
        +    return !!x;
        +  },
           last: 1,
        ==== exports.find insert_before
        @@ -15,2 +15,5 @@
         module.exports = {
        +  found(x) {
        +    return !!x;
        +  },
           find: function (x) {
        ==== exports.keep insert_after
        @@ -21,3 +21,4 @@
             return x;
        -  }
        +  },
        +  found: () => 1
         };
        ==== exports.find replace
        @@ -15,5 +15,3 @@
         module.exports = {
        -  find: function (x) {
        -    return x;
        -  },
        +  find: (x) => x,
           last: 1,
        ==== exports.find delete
        @@ -15,5 +15,2 @@
         module.exports = {
        -  find: function (x) {
        -    return x;
        -  },
           last: 1,
    "#]],
    );
}
