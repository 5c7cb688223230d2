//! Edits by name in Go.

use super::super::call;
use super::super::samples::GO;
use super::table;
use expect_test::expect;

#[test]
fn go() {
    let calls = [
        call(
            "Stack.Push",
            "replace",
            "func (s *Stack) Push(items ...int) {\n    for _, it := range items {\n        s.items = append(s.items, it)\n    }\n}",
        ),
        call("(s *Stack) Push", "replace_body", "if item > 0 {\n\ts.items = append(s.items, item)\n}"),
        call("Stack", "replace_body", "items []string"),
        call("Len", "replace_body", "n := len(s.items)\nreturn n"),
        call("Stack.Len", "insert_after", "func (s *Stack) Empty() bool {\n\treturn s.Len() == 0\n}"),
        call("A", "insert_after", "C = 3"),
        call("Stack.Push", "replace_signature", "func (s *Stack) Push(item int) error"),
        call("Stack.Push", "delete", ""),
    ];
    table(
        "stack.go",
        GO,
        &calls,
        expect![[r#"
            ==== Stack.Push replace
            @@ -8,4 +8,6 @@
             // Push adds.
            -func (s *Stack) Push(item int) {
            -→s.items = append(s.items, item)
            +func (s *Stack) Push(items ...int) {
            +→for _, it := range items {
            +→→s.items = append(s.items, it)
            +→}
             }
            ==== (s *Stack) Push replace_body
            @@ -9,3 +9,5 @@
             func (s *Stack) Push(item int) {
            -→s.items = append(s.items, item)
            +→if item > 0 {
            +→→s.items = append(s.items, item)
            +→}
             }
            ==== Stack replace_body
            @@ -4,3 +4,3 @@
             type Stack struct {
            -→items []int
            +→items []string
             }
            ==== Len replace_body
            @@ -12,3 +12,6 @@

            -func (s *Stack) Len() int { return len(s.items) }
            +func (s *Stack) Len() int {
            +→n := len(s.items)
            +→return n
            +}

            ==== Stack.Len insert_after
            @@ -14,2 +14,6 @@

            +func (s *Stack) Empty() bool {
            +→return s.Len() == 0
            +}
            +
             const (
            ==== A insert_after
            @@ -16,2 +16,3 @@
             →A = 1
            +→C = 3
             →B = 2
            ==== Stack.Push replace_signature
            @@ -8,3 +8,3 @@
             // Push adds.
            -func (s *Stack) Push(item int) {
            +func (s *Stack) Push(item int) error {
             →s.items = append(s.items, item)
            ==== Stack.Push delete
            @@ -7,7 +7,2 @@

            -// Push adds.
            -func (s *Stack) Push(item int) {
            -→s.items = append(s.items, item)
            -}
            -
             func (s *Stack) Len() int { return len(s.items) }
        "#]],
    );
}
