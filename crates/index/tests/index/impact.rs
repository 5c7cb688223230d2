//! What a change reaches, over small projects in memory: who, how far, and by which way.

use std::collections::BTreeSet;

use crate::graph::Memory;
use expect_test::{Expect, expect};
use ox_index::{Companion, Graph, Resolver, Symbol, Target, UsedAt, companions, impact};

impl Graph for Memory {
    fn importers(&self, path: &str) -> Vec<String> {
        self.files.keys().filter(|it| self.imported(it).iter().any(|to| to == path)).cloned().collect()
    }

    fn imported(&self, path: &str) -> Vec<String> {
        let facts = &self.files[path].1;
        let resolver = Resolver::new(self);
        let imports = facts.imports.iter().flat_map(|it| resolver.resolve(path, facts, it));
        let all: BTreeSet<String> = imports.chain(resolver.implied(path, facts)).collect();
        all.into_iter().collect()
    }

    fn symbols(&self, path: &str) -> Vec<Symbol> {
        self.files[path].1.symbols.clone()
    }

    fn used(&self, name: &str, limit: usize) -> Vec<UsedAt> {
        let uses = self.files.iter().flat_map(|(path, it)| it.1.references.iter().map(move |it| (path, it)));
        let named = uses.filter(|(_, it)| it.name == name);
        let places =
            named.map(|(path, it)| UsedAt { path: path.clone(), line: it.line, kind: it.kind, within: it.within });
        places.take(limit).collect()
    }

    fn defining(&self, name: &str) -> Vec<String> {
        let defines = self.files.iter().filter(|(_, it)| it.1.symbols.iter().any(|it| it.name == name));
        defines.map(|it| it.0.clone()).collect()
    }

    fn companions(&self, path: &str) -> Vec<(String, Companion)> {
        companions(self, path)
    }
}

fn check(project: &str, target: &Target, limit: usize, expected: Expect) {
    let found = impact(&Memory::of(project), target, limit);
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
fn no_more_is_told_than_asked_for() {
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
