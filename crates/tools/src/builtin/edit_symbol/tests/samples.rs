//! One text per language.

pub(super) const RUST: &str = "use std::fmt;

/// A stack.
pub struct Stack {
    items: Vec<u8>,
}

impl Stack {
    /// Adds one.
    #[inline]
    pub fn push(&mut self, item: u8) {
        self.items.push(item);
    }

    pub fn len(&self) -> usize { self.items.len() } // how many
}

const LIMIT: usize = 3;
const LEAST: usize = 1;
";

pub(super) const PYTHON: &str = "import os


class Shape(Base):
    \"\"\"A shape.\"\"\"

    sides = 0

    # The area.
    @property
    def area(self):
        \"\"\"Computes.\"\"\"
        return 1

    def name(self): return 'shape'


def main(
    argv,
):
    text = '''
a
'''
    return text
";

pub(super) const JAVASCRIPT: &str = "/** Adds. */
export const add = (a, b) => a + b;

export class Queue {
  // Adds one.
  push(item) {
    this.items.push(item);
  }
  size = () => {
    return `
x`;
  };
}

module.exports = {
  find: function (x) {
    return x;
  },
  last: 1,
  keep(x) {
    return x;
  }
};
";

pub(super) const TYPESCRIPT: &str = "export interface Item {
    id: number;
    render(x: string): void;
}

type Options = {
    deep: boolean;
};

function pick(a: string): string;
function pick(a: any): any {
    return a;
}

@Component({
    selector: 'app',
})
export class App {
    @Input() id = 1;

    handle(event: Event): void {
        console.log(event);
    }
}
";

pub(super) const GO: &str = "package stack

// Stack is one.
type Stack struct {
\titems []int
}

// Push adds.
func (s *Stack) Push(item int) {
\ts.items = append(s.items, item)
}

func (s *Stack) Len() int { return len(s.items) }

const (
\tA = 1
\tB = 2
)
";

pub(super) const JAVA: &str = "package shop;

/** A cart. */
public class Cart {
\tprivate int count;

\tpublic Cart() {
\t\tthis(0);
\t}

\t@Override
\tpublic String toString() {
\t\treturn \"cart\";
\t}

\tenum State { OPEN }
}
";

pub(super) const C: &str = "#include <stdio.h>\r
\r
#define LIMIT 10\r
static int add(int a, int b);\r
\r
struct point {\r
    int x;\r
};\r
\r
/* Adds. */\r
static int add(int a, int b)\r
{\r
    return a + b;\r
}\r
";

pub(super) const CPP: &str = "namespace geo {

class Shape {
public:
    Shape();
    double area() const { return 1; }

private:
    int n_;
};

template <typename T>
T Box<T>::get() const {
    return value_;
}

}  // namespace geo
";
