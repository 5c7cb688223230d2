//! Edits by name in Rust.

use super::super::call;
use super::super::samples::RUST;
use super::table;
use expect_test::expect;

#[test]
fn replaced() {
    let calls = [
        call(
            "Stack::push",
            "replace",
            "pub fn push(&mut self, item: u8) -> bool {\n    self.items.push(item);\n    true\n}",
        ),
        call("Stack::push", "replace", "/// Adds.\n#[inline]\nfn push(&mut self, item: u8) {}\n"),
        call("push", "replace_body", "if item > 0 {\n    self.items.push(item);\n}"),
        call("push", "replace_body", "{\n        self.items.push(1);\n    }"),
        call("len", "replace_body", "0"),
        call("len", "replace_body", "let n = self.items.len();\nn"),
        call("len", "replace_signature", "pub fn len(&self) -> u32 {"),
        call("LIMIT", "replace", "const LIMIT: usize = 4"),
    ];
    table(
        "src/lib.rs",
        RUST,
        &calls,
        expect![[r#"
        ==== Stack::push replace
        @@ -9,5 +9,5 @@
             /// Adds one.
        -    #[inline]
        -    pub fn push(&mut self, item: u8) {
        +    pub fn push(&mut self, item: u8) -> bool {
                 self.items.push(item);
        +        true
             }
        ==== Stack::push replace
        @@ -8,7 +8,5 @@
         impl Stack {
        -    /// Adds one.
        +    /// Adds.
             #[inline]
        -    pub fn push(&mut self, item: u8) {
        -        self.items.push(item);
        -    }
        +    fn push(&mut self, item: u8) {}

        ==== push replace_body
        @@ -11,3 +11,5 @@
             pub fn push(&mut self, item: u8) {
        -        self.items.push(item);
        +        if item > 0 {
        +            self.items.push(item);
        +        }
             }
        ==== push replace_body
        @@ -11,3 +11,3 @@
             pub fn push(&mut self, item: u8) {
        -        self.items.push(item);
        +        self.items.push(1);
             }
        ==== len replace_body
        @@ -14,3 +14,3 @@

        -    pub fn len(&self) -> usize { self.items.len() } // how many
        +    pub fn len(&self) -> usize { 0 } // how many
         }
        ==== len replace_body
        @@ -14,3 +14,6 @@

        -    pub fn len(&self) -> usize { self.items.len() } // how many
        +    pub fn len(&self) -> usize {
        +        let n = self.items.len();
        +        n
        +    } // how many
         }
        ==== len replace_signature
        @@ -14,3 +14,3 @@

        -    pub fn len(&self) -> usize { self.items.len() } // how many
        +    pub fn len(&self) -> u32 { self.items.len() } // how many
         }
        ==== LIMIT replace
        @@ -17,3 +17,3 @@

        -const LIMIT: usize = 3;
        +const LIMIT: usize = 4;
         const LEAST: usize = 1;
    "#]],
    );
}

#[test]
fn added_and_taken_out() {
    let calls = [
        call("Stack::push", "insert_before", "fn first(&self) {\n}"),
        call(
            "Stack::push",
            "insert_after",
            "/// Takes one.\npub fn pop(&mut self) -> Option<u8> {\n    self.items.pop()\n}",
        ),
        call("len", "insert_after", "fn last(&self) {}"),
        call("LIMIT", "insert_after", "const MOST: usize = 9;"),
        call("Stack::push", "delete", ""),
        call("len", "delete", ""),
        call("LEAST", "delete", ""),
        call("impl Stack", "delete", ""),
    ];
    table(
        "src/lib.rs",
        RUST,
        &calls,
        expect![[r#"
            ==== Stack::push insert_before
            @@ -8,2 +8,5 @@
             impl Stack {
            +    fn first(&self) {
            +    }
            +
                 /// Adds one.
            ==== Stack::push insert_after
            @@ -14,2 +14,7 @@

            +    /// Takes one.
            +    pub fn pop(&mut self) -> Option<u8> {
            +        self.items.pop()
            +    }
            +
                 pub fn len(&self) -> usize { self.items.len() } // how many
            ==== len insert_after
            @@ -15,2 +15,4 @@
                 pub fn len(&self) -> usize { self.items.len() } // how many
            +
            +    fn last(&self) {}
             }
            ==== LIMIT insert_after
            @@ -18,2 +18,3 @@
             const LIMIT: usize = 3;
            +const MOST: usize = 9;
             const LEAST: usize = 1;
            ==== Stack::push delete
            @@ -8,8 +8,2 @@
             impl Stack {
            -    /// Adds one.
            -    #[inline]
            -    pub fn push(&mut self, item: u8) {
            -        self.items.push(item);
            -    }
            -
                 pub fn len(&self) -> usize { self.items.len() } // how many
            ==== len delete
            @@ -13,4 +13,2 @@
                 }
            -
            -    pub fn len(&self) -> usize { self.items.len() } // how many
             }
            ==== LEAST delete
            @@ -18,2 +18,1 @@
             const LIMIT: usize = 3;
            -const LEAST: usize = 1;
            ==== impl Stack delete
            @@ -7,12 +7,2 @@

            -impl Stack {
            -    /// Adds one.
            -    #[inline]
            -    pub fn push(&mut self, item: u8) {
            -        self.items.push(item);
            -    }
            -
            -    pub fn len(&self) -> usize { self.items.len() } // how many
            -}
            -
             const LIMIT: usize = 3;
        "#]],
    );
}
