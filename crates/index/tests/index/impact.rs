//! What a change reaches, over small projects in memory: who, how far, and by which way.

use crate::graph::project;
use expect_test::{Expect, expect};
use ox_index::{Target, reached};

fn check(text: &str, target: &Target, limit: usize, expected: Expect) {
    let found = reached(&project(text), std::slice::from_ref(target), limit);
    let mut out = String::new();
    for it in &found.items {
        let way: Vec<String> = it
            .because
            .iter()
            .map(|it| {
                format!("{:?} {}{}", it.why, it.path, it.symbol.as_ref().map_or(String::new(), |it| format!("#{it}")))
            })
            .collect();
        out += &format!("{}{} {}\n", it.distance, if it.test { " test" } else { "" }, way.join(" < "));
    }
    expected.assert_eq(&(out + if found.cut { "cut\n" } else { "" }));
}

fn symbol(path: &str, name: &str) -> Target {
    Target::Symbol { path: path.into(), name: name.into() }
}

const SHOP: &str = "
== src/money.ts
export class Cents { add(other: Cents) { return round(this); } }
export function round(x) { return x; }
export const RATE = 2;
== src/index.ts
export * from './money';
== src/cart.ts
import { Cents, round } from './index';
export function total(items) { return round(new Cents().add(items)); }
== src/other.ts
export function round(x) { return x + 1; }
export function odd() { return round(1); }
== src/page.tsx
import { total } from './cart';
export const Page = () => <p>{total([])}</p>;
== src/cart.test.ts
import { total } from './cart';
it('adds', () => { total([]); });
== src/money.test.ts
== src/lonely.ts
export const lonely = 1;
";

#[test]
fn a_symbol_reaches_those_who_use_it_and_their_users() {
    check(
        SHOP,
        &symbol("src/money.ts", "round"),
        50,
        expect![[r#"
            1 Calls src/cart.ts#total
            1 Calls src/money.ts#Cents.add
            1 test Tests src/money.test.ts
            2 test Calls src/cart.ts#total < Calls src/cart.test.ts
            2 Calls src/cart.ts#total < Calls src/page.tsx#Page
        "#]],
    );
    check(
        SHOP,
        &symbol("src/other.ts", "round"),
        50,
        expect![[r#"
        1 Calls src/other.ts#odd
    "#]],
    );
    check(
        SHOP,
        &symbol("src/money.ts", "Cents.add"),
        50,
        expect![[r#"
            1 Calls src/cart.ts#total
            1 test Tests src/money.test.ts
            2 test Calls src/cart.ts#total < Calls src/cart.test.ts
            2 Calls src/cart.ts#total < Calls src/page.tsx#Page
        "#]],
    );
    check(SHOP, &symbol("src/money.ts", "gone"), 50, expect![[r#""#]]);
}

#[test]
fn a_file_reaches_those_who_import_it() {
    check(
        SHOP,
        &Target::File("src/money.ts".into()),
        50,
        expect![[r#"
            1 test Tests src/money.test.ts
            1 Calls src/cart.ts#total
            1 Imports src/index.ts
            2 test Calls src/cart.ts#total < Calls src/cart.test.ts
            2 Calls src/cart.ts#total < Calls src/page.tsx#Page
        "#]],
    );
    check(SHOP, &Target::File("src/lonely.ts".into()), 50, expect![[r#""#]]);
}

#[test]
fn no_more_is_reported_than_asked_for() {
    check(
        SHOP,
        &Target::File("src/money.ts".into()),
        2,
        expect![[r#"
        1 test Tests src/money.test.ts
        1 Calls src/cart.ts#total
        cut
    "#]],
    );
}

#[test]
fn headers_and_crates_are_ways_too() {
    let project = "
== include/cart.h
int total(int a);
== src/cart.c
#include \"cart.h\"
int total(int a) { return a; }
== src/main.c
#include \"cart.h\"
int main(void) { return total(1); }
== test/test_cart.c
#include \"cart.h\"
void test_total(void) { total(2); }
== Cargo.toml
[package]
name = 'shop'
== src/lib.rs
pub mod cart;
== src/cart.rs
pub struct Cart;
impl Cart { pub fn total(&self) -> u8 { 1 } }
== src/page.rs
use crate::cart::Cart;
pub fn page(cart: &Cart) -> u8 { cart.total() }
== tests/buy.rs
use shop::cart::Cart;
#[test]
fn buys() { assert_eq!(Cart.total(), 1); }
";
    check(
        project,
        &symbol("src/cart.c", "total"),
        50,
        expect![[r#"
            1 Calls src/main.c#main
            1 test Calls test/test_cart.c#test_total
            1 test Tests test/test_cart.c
        "#]],
    );
    check(
        project,
        &symbol("src/cart.rs", "Cart::total"),
        50,
        expect![[r#"
        1 Calls src/page.rs#page
        1 test Calls tests/buy.rs#buys
    "#]],
    );
}

/// The places that a change of a symbol reaches, without the ways.
fn places(text: &str, path: &str, name: &str) -> String {
    let found = reached(&project(text), &[symbol(path, name)], 50);
    let place =
        |it: &ox_index::Reached| it.path.clone() + &it.symbol.as_ref().map_or(String::new(), |it| format!("#{it}"));
    found.items.iter().map(place).collect::<Vec<_>>().join(" ")
}

/// What is meant, the project, the file, the symbol, and the places that a change of it reaches.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str);

const BELIEVED: &[Case] = &[
    (
        "a private function of Rust is seen beneath its module only",
        "
== src/lib.rs
pub mod walk; pub mod other;
== src/walk.rs
mod deep;
pub struct Kind;
fn step() {}
pub fn walk() { step(); }
== src/walk/deep.rs
use super::step;
pub fn down() { step(); }
== src/other.rs
use crate::walk::Kind;
pub fn run(_: Kind) { step(); }
",
        "src/walk.rs",
        "step",
        "src/walk.rs#walk src/walk/deep.rs#down",
    ),
    (
        "what starts small in Go is seen in its package only",
        "
== go.mod
module m
== a/a.go
package a
func join(x int) int { return x }
== a/b.go
package a
func Sum() int { return join(1) }
== c/c.go
package c
import \"m/a\"
func Use() int { return a.Sum() + join(2) }
",
        "a/a.go",
        "join",
        "a/b.go#Sum c/c.go#Use",
    ),
    (
        "a name of Python is the one that is imported",
        "
== app/__init__.py
== app/core.py
def get(x):
    return x
def other(x):
    return x
== app/net.py
from requests import get
def fetch():
    return get(1)
== app/user.py
from app.core import get
def use():
    return get(1)
== app/whole.py
import app.core as core
def also():
    return core.get(1)
== app/else.py
from app.core import other
def none():
    return {}.get(1)
",
        "app/core.py",
        "get",
        "app/user.py#use app/whole.py#also",
    ),
    (
        "a function of TypeScript that is not exported stays in its file, one in a list of exports does not",
        "
== src/a.ts
function run() { return 1; }
function open() { return run(); }
export { open };
== src/b.ts
import { open } from './a';
export function go() { return open(); }
== src/c.ts
import { other } from './a';
export function stay() { return run(); }
",
        "src/a.ts",
        "run",
        "src/a.ts src/a.ts#open src/b.ts#go",
    ),
    (
        "a private method of Java is nobody else's, one of a package is the package's",
        "
== src/main/java/a/A.java
package a;
public class A { private int get() { return 1; } int near() { return get(); } }
== src/main/java/a/B.java
package a;
public class B { int use(A it) { return it.near(); } }
== src/main/java/b/C.java
package b;
import a.A;
public class C { int use(A it, java.util.Map m) { m.get(); return near(); } }
",
        "src/main/java/a/A.java",
        "A.get",
        "src/main/java/a/A.java#A.near src/main/java/a/B.java#B.use",
    ),
    (
        "a static function of C stays in its file",
        "
== a.c
#include \"a.h\"
static int step(int x) { return x; }
int walk(int x) { return step(x); }
== a.h
int walk(int x);
== b.c
#include \"a.h\"
int go(void) { return step(1); }
int other(void) { return walk(1); }
",
        "a.c",
        "step",
        "a.c#walk b.c#other",
    ),
    (
        "what is handed on over two files is found by the name that is brought",
        "
== src/deep/money.ts
export function round(x) { return x; }
export function floor(x) { return x; }
== src/deep/index.ts
export * from './money';
== src/index.ts
export { round } from './deep';
== src/cart.ts
import { round } from './index';
export const total = () => round(1);
== src/else.ts
import { floor } from './deep';
export const odd = () => floor(1);
",
        "src/deep/money.ts",
        "round",
        "src/cart.ts#total src/index.ts",
    ),
    (
        "a method that nobody names is used through its type",
        "
== src/main/java/a/Writer.java
package a;
public class Writer extends Base { @Override public void flushAll() {} }
== src/main/java/a/Main.java
package a;
public class Main { Base make() { return new Writer(); } }
",
        "src/main/java/a/Writer.java",
        "Writer.flushAll",
        "src/main/java/a/Writer.java#Writer src/main/java/a/Main.java#Main.make",
    ),
    (
        "the tests of a Rust program run it",
        "
== Cargo.toml
[package]
name = 'tool'
== src/main.rs
mod walk;
fn main() { walk::walk(); }
== src/walk.rs
pub fn walk() {}
== tests/cli.rs
#[test]
fn runs() { std::process::Command::new(\"tool\"); }
",
        "src/walk.rs",
        "walk",
        "src/main.rs#main tests/cli.rs",
    ),
];

#[test]
fn a_name_alone_is_not_believed() {
    for (what, project, path, name, expected) in BELIEVED {
        let mut found: Vec<String> = places(project, path, name).split(' ').map(str::to_owned).collect();
        let mut wanted: Vec<&str> = expected.split(' ').collect();
        found.sort();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{what}");
    }
}
