//! Edits by name in C++.

use super::super::call;
use super::super::samples::CPP;
use super::table;
use expect_test::expect;

#[test]
fn cpp() {
    let calls = [
        call("geo::Shape::area", "replace_body", "return 2;"),
        call("Shape::area", "insert_after", "double twice() const { return 2; }"),
        call("Shape", "replace", "struct Shape {\n}"),
        call("Box<T>::get", "replace_signature", "template <typename T>\nT &Box<T>::get()"),
        call("geo::Box::get", "insert_after", "int last() {\n    return 1;\n}"),
        call("geo::Shape::n_", "delete", ""),
        call("Box::get", "delete", ""),
    ];
    table(
        "shape.cpp",
        CPP,
        &calls,
        expect![[r#"
        ==== geo::Shape::area replace_body
        @@ -5,3 +5,3 @@
             Shape();
        -    double area() const { return 1; }
        +    double area() const { return 2; }

        ==== Shape::area insert_after
        @@ -6,2 +6,3 @@
             double area() const { return 1; }
        +    double twice() const { return 2; }

        ==== Shape replace
        @@ -2,9 +2,3 @@

        -class Shape {
        -public:
        -    Shape();
        -    double area() const { return 1; }
        -
        -private:
        -    int n_;
        +struct Shape {
         };
        ==== Box<T>::get replace_signature
        @@ -12,3 +12,3 @@
         template <typename T>
        -T Box<T>::get() const {
        +T &Box<T>::get() {
             return value_;
        ==== geo::Box::get insert_after
        @@ -16,2 +16,6 @@

        +int last() {
        +    return 1;
        +}
        +
         }  // namespace geo
        ==== geo::Shape::n_ delete
        @@ -8,3 +8,2 @@
         private:
        -    int n_;
         };
        ==== Box::get delete
        @@ -11,7 +11,2 @@

        -template <typename T>
        -T Box<T>::get() const {
        -    return value_;
        -}
        -
         }  // namespace geo
    "#]],
    );
}
