//! Edits by name in Python.

use super::super::call;
use super::super::samples::PYTHON;
use super::table;
use expect_test::expect;

#[test]
fn replaced() {
    let calls = [
        call("Shape.area", "replace", "@property\ndef area(self):\n    if self.sides:\n        return 2\n    return 3"),
        call("Shape.area", "replace", "    @property\n    def area(self):\n        return 2"),
        call("Shape.area", "replace", "@property\n    def area(self):\n        return 2"),
        call("Shape.area", "replace_body", "if self.sides:\n    return 2\nreturn 3"),
        call("Shape.area", "replace_body", "\"\"\"New.\"\"\"\nreturn 2"),
        call("Shape.name", "replace_body", "x = 1\nreturn x"),
        call("Shape.name", "replace_body", "return 'x'"),
        call("Shape.name", "replace_signature", "def name(self, long=False)"),
        call("main", "replace_body", "    return '''\nb\n'''"),
    ];
    table(
        "shape.py",
        PYTHON,
        &calls,
        expect![[r#"
        ==== Shape.area replace
        @@ -11,4 +11,5 @@
             def area(self):
        -        """Computes."""
        -        return 1
        +        if self.sides:
        +            return 2
        +        return 3

        ==== Shape.area replace
        @@ -11,4 +11,3 @@
             def area(self):
        -        """Computes."""
        -        return 1
        +        return 2

        ==== Shape.area replace
        @@ -11,4 +11,3 @@
             def area(self):
        -        """Computes."""
        -        return 1
        +        return 2

        ==== Shape.area replace_body
        @@ -12,3 +12,5 @@
                 """Computes."""
        -        return 1
        +        if self.sides:
        +            return 2
        +        return 3

        ==== Shape.area replace_body
        @@ -11,4 +11,4 @@
             def area(self):
        -        """Computes."""
        -        return 1
        +        """New."""
        +        return 2

        ==== Shape.name replace_body
        @@ -14,3 +14,5 @@

        -    def name(self): return 'shape'
        +    def name(self):
        +        x = 1
        +        return x

        ==== Shape.name replace_body
        @@ -14,3 +14,3 @@

        -    def name(self): return 'shape'
        +    def name(self): return 'x'

        ==== Shape.name replace_signature
        @@ -14,3 +14,3 @@

        -    def name(self): return 'shape'
        +    def name(self, long=False): return 'shape'

        ==== main replace_body
        @@ -20,5 +20,4 @@
         ):
        -    text = '''
        -a
        +    return '''
        +b
         '''
        -    return text
    "#]],
    );
}

#[test]
fn added_and_taken_out() {
    let calls = [
        call("Shape.area", "insert_after", "def twice(self):\n    return 2 * self.area"),
        call("Shape.name", "insert_after", "def last(self):\n    pass"),
        call("main", "insert_before", "def helper():\n    pass"),
        call("main", "insert_after", "def tail():\n    return '''\nb\n'''"),
        call("Shape", "delete", ""),
        call("Shape.name", "delete", ""),
        call("main", "delete", ""),
    ];
    table(
        "shape.py",
        PYTHON,
        &calls,
        expect![[r#"
        ==== Shape.area insert_after
        @@ -14,2 +14,5 @@

        +    def twice(self):
        +        return 2 * self.area
        +
             def name(self): return 'shape'
        ==== Shape.name insert_after
        @@ -16,2 +16,5 @@

        +    def last(self):
        +        pass
        +

        ==== main insert_before
        @@ -17,2 +17,6 @@

        +def helper():
        +    pass
        +
        +
         def main(
        ==== main insert_after
        @@ -24,1 +24,7 @@
             return text
        +
        +
        +def tail():
        +    return '''
        +b
        +'''
        ==== Shape delete
        @@ -3,16 +3,2 @@

        -class Shape(Base):
        -    """A shape."""
        -
        -    sides = 0
        -
        -    # The area.
        -    @property
        -    def area(self):
        -        """Computes."""
        -        return 1
        -
        -    def name(self): return 'shape'
        -
        -
         def main(
        ==== Shape.name delete
        @@ -14,4 +14,2 @@

        -    def name(self): return 'shape'
        -

        ==== main delete
        @@ -15,10 +15,1 @@
             def name(self): return 'shape'
        -
        -
        -def main(
        -    argv,
        -):
        -    text = '''
        -a
        -'''
        -    return text
    "#]],
    );
}
