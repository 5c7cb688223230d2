//! What imports stand for, by each language's rules, and what belongs together by name: tables over small projects that
//! are held in memory.

use ox_index::{Companion, FileState, Index, Resolver, Snapshot, companions};

/// The index of files with their texts, one after the other: `== path` starts one.
pub(crate) fn project(text: &str) -> Snapshot {
    let parts = text.split("== ").skip(1).filter_map(|it| it.split_once('\n'));
    of(&parts.map(|(path, text)| (path.trim(), text)).collect::<Vec<_>>())
}

/// The index of files with their texts.
pub(crate) fn of(files: &[(&str, &str)]) -> Snapshot {
    let cache = tempfile::tempdir().unwrap();
    let index = Index::open(cache.path(), "p").unwrap();
    let state =
        |it: &(&str, &str)| FileState { path: it.0.into(), size: it.1.len() as u64, mtime: 1, ..FileState::default() };
    let states: Vec<FileState> = files.iter().map(state).collect();
    let text = |path: &str| files.iter().find(|it| it.0 == path).map(|it| it.1.as_bytes().to_vec());
    index.update(&states, &|path| text(path).ok_or_else(|| std::io::ErrorKind::NotFound.into()), &|_| {}).unwrap();
    index.snapshot()
}

/// What a file's imports stand for, a line each, and what it uses without one.
fn imports(project: &Snapshot, from: &str) -> String {
    let (resolver, facts) = (Resolver::new(project), project.facts(from).unwrap());
    let mut out = String::new();
    for import in &facts.imports {
        let files = resolver.resolve(from, &facts, import).join(" ");
        out += &format!("{} → {}\n", import.what, if files.is_empty() { "nothing" } else { &files });
    }
    match resolver.implied(from, &facts) {
        none if none.is_empty() => out,
        found => out + &format!("implied → {}\n", found.join(" ")),
    }
}

fn check(text: &str, from: &str, expected: &str) {
    let expected: String = expected.trim().lines().map(|it| format!("{}\n", it.trim_start())).collect();
    assert_eq!(imports(&project(text), from), expected, "{from}");
}

const RUST: &str = "
== Cargo.toml
[workspace]
== crates/shop/Cargo.toml
[package]
name = 'my-shop'
== crates/shop/src/lib.rs
mod cart;
pub mod money;
#[path = \"odd/place.rs\"]
mod odd;
pub use cart::Cart;
== crates/shop/src/odd/place.rs
== crates/shop/src/cart.rs
mod line;
use super::money::{self, Cents};
use crate::{Cart, cart::line::Line as L};
use self::line::*;
use std::fmt;
use serde::Serialize;
pub struct Cart;
fn f() { crate::money::add(); }
mod tests { use super::*; use super::super::money::Cents; }
== crates/shop/src/cart/line.rs
use super::super::money::Cents;
use super::Cart;
pub struct Line;
== crates/shop/src/money/mod.rs
pub mod cents;
pub struct Cents;
== crates/shop/src/money/cents.rs
use super::Cents;
== crates/shop/tests/buy.rs
mod common;
use my_shop::cart::Line;
use my_shop::money::Cents;
use common::help;
== crates/shop/tests/common/mod.rs
pub fn help() {}
== crates/app/Cargo.toml
[package]
name = 'app'
== crates/app/src/main.rs
use my_shop::Cart;
";

#[test]
fn rust() {
    check(
        RUST,
        "crates/shop/src/lib.rs",
        "self::cart → crates/shop/src/cart.rs
         self::money → crates/shop/src/money/mod.rs
         odd/place.rs → crates/shop/src/odd/place.rs
         cart::Cart → crates/shop/src/cart.rs",
    );
    check(
        RUST,
        "crates/shop/src/cart.rs",
        "self::line → crates/shop/src/cart/line.rs
         super::money → crates/shop/src/money/mod.rs
         super::money::Cents → crates/shop/src/money/mod.rs
         crate::Cart → crates/shop/src/lib.rs
         crate::cart::line::Line → crates/shop/src/cart/line.rs
         self::line::* → crates/shop/src/cart/line.rs
         std::fmt → nothing
         serde::Serialize → nothing
         crate::money::add → crates/shop/src/money/mod.rs
         super::money::Cents → crates/shop/src/money/mod.rs",
    );
    check(
        RUST,
        "crates/shop/src/cart/line.rs",
        "super::super::money::Cents → crates/shop/src/money/mod.rs
         super::Cart → crates/shop/src/cart.rs",
    );
    check(RUST, "crates/shop/src/money/cents.rs", "super::Cents → crates/shop/src/money/mod.rs");
    check(
        RUST,
        "crates/shop/tests/buy.rs",
        "self::common → crates/shop/tests/common/mod.rs
         my_shop::cart::Line → crates/shop/src/cart.rs crates/shop/src/cart/line.rs
         my_shop::money::Cents → crates/shop/src/money/mod.rs
         common::help → crates/shop/tests/common/mod.rs",
    );
    check(RUST, "crates/app/src/main.rs", "my_shop::Cart → crates/shop/src/lib.rs crates/shop/src/cart.rs");
}

const PYTHON: &str = "
== src/shop/__init__.py
from .cart import Cart
== src/shop/cart.py
from . import money
from .money import cents as c, add
from ..other import x
import shop.price.tax
import os
class Cart: pass
== src/shop/money.py
def add(): pass
== src/shop/price/__init__.py
== src/shop/price/tax.py
from shop import Cart, money
from ..money import *
== tests/test_cart.py
from shop.cart import Cart
from helpers import one
import shop
== tests/helpers.py
== deep/a/code/lib/pack/inner/mod.py
== tools/run.py
from pack.inner import mod
import cart
";

#[test]
fn python() {
    check(
        PYTHON,
        "src/shop/cart.py",
        ". → src/shop/money.py src/shop/__init__.py
         .money → src/shop/money.py
         ..other → nothing
         shop.price.tax → src/shop/price/tax.py
         os → nothing",
    );
    check(
        PYTHON,
        "src/shop/price/tax.py",
        "shop → src/shop/money.py src/shop/cart.py src/shop/__init__.py
         ..money → src/shop/money.py",
    );
    check(
        PYTHON,
        "tests/test_cart.py",
        "shop.cart → src/shop/cart.py
         helpers → tests/helpers.py
         shop → src/shop/__init__.py",
    );
    check(
        PYTHON,
        "tools/run.py",
        "pack.inner → nothing
         cart → nothing",
    );
}

const SCRIPT: &str = "
== package.json
{ \"name\": \"root\", \"workspaces\": [\"packages/*\"] }
== tsconfig.json
{
  // aliases
  \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"#lib/*\": [\"packages/lib/src/*\"], } },
}
== packages/lib/package.json
{ \"name\": \"@my/lib\", \"main\": \"dist/index.js\", \"exports\": { \".\": \"./dist/index.js\", \"./sub\": { \"import\": \"./dist/sub/deep.js\" } } }
== packages/lib/src/index.ts
export * from './money';
== packages/lib/src/money.ts
== packages/lib/src/sub/deep.ts
== packages/app/package.json
{ \"name\": \"app\" }
== packages/app/src/main.tsx
import React from 'react';
import { money } from '@my/lib';
import deep from '@my/lib/sub';
import { x } from '#lib/money';
import View from './View.vue';
import './style.css';
import { store } from '../src/store';
import built from './util.js';
import at from '@/store';
import based from 'packages/lib/src/money';
const lazy = () => import('./lazy');
const old = require('./old');
== packages/app/src/View.vue
<template><p>{{ a }}</p></template>
<script setup lang=\"ts\">
import { store } from './store'
const a = store()
</script>
== packages/app/src/style.css
== packages/app/src/store/index.ts
== packages/app/src/util.ts
== packages/app/src/lazy.jsx
== packages/app/src/old.cjs
";

#[test]
fn javascript_and_typescript() {
    check(
        SCRIPT,
        "packages/app/src/main.tsx",
        "react → nothing
         @my/lib → packages/lib/src/index.ts
         @my/lib/sub → packages/lib/src/sub/deep.ts
         #lib/money → packages/lib/src/money.ts
         ./View.vue → packages/app/src/View.vue
         ./style.css → packages/app/src/style.css
         ../src/store → packages/app/src/store/index.ts
         ./util.js → packages/app/src/util.ts
         @/store → packages/app/src/store/index.ts
         packages/lib/src/money → packages/lib/src/money.ts
         ./lazy → packages/app/src/lazy.jsx
         ./old → packages/app/src/old.cjs",
    );
    check(SCRIPT, "packages/lib/src/index.ts", "./money → packages/lib/src/money.ts");
    check(SCRIPT, "packages/app/src/View.vue", "./store → packages/app/src/store/index.ts");
}

#[test]
fn go() {
    let project = "
== go.mod
module example.com/shop // the module
== main.go
package main
import (
	\"fmt\"
	\"example.com/shop/cart\"
	m \"example.com/shop/tools/money\"
	\"github.com/x/y\"
)
func main() { cart.New(); m.Add(); fmt.Println() }
== cart/cart.go
package cart
func New() { line() }
== cart/line.go
package cart
func line() {}
func Other() {}
== cart/cart_test.go
package cart
func TestNew(t *T) { New() }
== tools/go.mod
module example.com/shop/tools
== tools/money/add.go
package money
func Add() {}
";
    check(
        project,
        "main.go",
        "fmt → nothing
         example.com/shop/cart → cart/cart.go
         example.com/shop/tools/money → tools/money/add.go
         github.com/x/y → nothing",
    );
    check(project, "cart/cart.go", "implied → cart/line.go");
    check(project, "cart/cart_test.go", "implied → cart/cart.go");
}

#[test]
fn java_kotlin_and_scala() {
    let project = "
== src/main/java/com/shop/Cart.java
package com.shop;
import com.shop.money.Cents;
import com.shop.money.*;
import static com.shop.money.Rates.round;
import com.shop.money.Rates.Kind;
import java.util.List;
class Cart { Line line; Euro euro; }
== src/main/java/com/shop/Line.java
package com.shop;
class Line {}
== src/main/java/com/shop/money/Cents.java
package com.shop.money;
class Cents {}
== src/main/java/com/shop/money/Euro.java
package com.shop.money;
class Euro {}
== src/main/java/com/shop/money/Rates.java
package com.shop.money;
class Rates { enum Kind {} }
== src/test/java/com/shop/CartTest.java
package com.shop;
class CartTest { Cart cart; }
== app/Main.kt
package app
import com.shop.Cart
import app.tools.help
fun main() { help(); other() }
== app/Tools.kt
package app.tools
fun help() {}
== app/Other.kt
package app
fun other() {}
== app/Buy.scala
package app
import app.tools.{help => h}
import com.shop.money._
class Buy { val e = new Euro() }
";
    check(
        project,
        "src/main/java/com/shop/Cart.java",
        "com.shop.money.Cents → src/main/java/com/shop/money/Cents.java
         com.shop.money.* → src/main/java/com/shop/money/Euro.java
         com.shop.money.Rates.round → src/main/java/com/shop/money/Rates.java
         com.shop.money.Rates.Kind → src/main/java/com/shop/money/Rates.java
         java.util.List → nothing
         implied → src/main/java/com/shop/Line.java",
    );
    check(project, "src/test/java/com/shop/CartTest.java", "implied → src/main/java/com/shop/Cart.java");
    check(
        project,
        "app/Main.kt",
        "com.shop.Cart → src/main/java/com/shop/Cart.java
         app.tools.help → app/Tools.kt
         implied → app/Other.kt",
    );
    check(
        project,
        "app/Buy.scala",
        "app.tools.help → app/Tools.kt
         com.shop.money.* → src/main/java/com/shop/money/Euro.java",
    );
}

#[test]
fn c_and_cpp() {
    let project = "
== include/shop/cart.h
#include \"money.h\"
== include/shop/money.h
== src/cart.cpp
#include \"shop/cart.h\"
#include <shop/money.h>
#include \"local.hpp\"
#include \"../src/local.hpp\"
#include <string.h>
#include <vector>
#include \"gone.h\"
== src/local.hpp
== src/string.h
";
    check(project, "include/shop/cart.h", "money.h → include/shop/money.h");
    check(
        project,
        "src/cart.cpp",
        "shop/cart.h → include/shop/cart.h
         shop/money.h → include/shop/money.h
         local.hpp → src/local.hpp
         ../src/local.hpp → src/local.hpp
         string.h → nothing
         vector → nothing
         gone.h → nothing",
    );
}

#[test]
fn csharp() {
    let project = "
== Shop/Cart.cs
using System;
using Shop.Money;
using C = Shop.Money.Cents;
namespace Shop;
public class Cart { Euro euro; Line line; }
== Shop/Line.cs
namespace Shop { public class Line {} }
== Money/Euro.cs
namespace Shop.Money;
public struct Euro {}
== Money/Cents.cs
namespace Shop.Money;
public struct Cents {}
";
    check(
        project,
        "Shop/Cart.cs",
        "System → nothing
         Shop.Money → Money/Euro.cs
         Shop.Money.Cents → Money/Cents.cs
         implied → Shop/Line.cs",
    );
}

#[test]
fn ruby_php_lua_swift_and_bash() {
    let project = "
== lib/shop.rb
require 'shop/cart'
require_relative 'shop/money'
require 'json'
== lib/shop/cart.rb
class Cart < LineItem
end
== lib/shop/money.rb
== app/models/line_item.rb
class LineItem; end
== composer.json
{ \"autoload\": { \"psr-4\": { \"App\\\\\": \"php/\" } } }
== php/Shop/Cart.php
<?php
namespace App\\Shop;
use App\\Money\\{Cents, Euro as E};
require __DIR__ . '/../boot.php';
class Cart { private Line $line; }
== php/Shop/Line.php
<?php
namespace App\\Shop;
class Line {}
== php/Money/Cents.php
== php/Money/Euro.php
== php/boot.php
== lua/shop/init.lua
local cart = require('shop.cart')
local socket = require 'socket'
== lua/shop/cart.lua
== Sources/Shop/Cart.swift
import Foundation
import Money
struct Cart { var euro: Euro; var line: Line }
== Sources/Shop/Line.swift
struct Line {}
== Sources/Money/Euro.swift
struct Euro {}
== bin/run.sh
source \"$(dirname \"$0\")/../sh/common.sh\"
. ./here.sh
== bin/here.sh
== sh/common.sh
";
    check(
        project,
        "lib/shop.rb",
        "shop/cart → lib/shop/cart.rb
         shop/money → lib/shop/money.rb
         json → nothing",
    );
    check(project, "lib/shop/cart.rb", "implied → app/models/line_item.rb");
    check(
        project,
        "php/Shop/Cart.php",
        "App\\Money\\Cents → php/Money/Cents.php
         App\\Money\\Euro → php/Money/Euro.php
         ../boot.php → php/boot.php
         implied → php/Shop/Line.php",
    );
    check(
        project,
        "lua/shop/init.lua",
        "shop.cart → lua/shop/cart.lua
         socket → nothing",
    );
    check(
        project,
        "Sources/Shop/Cart.swift",
        "Foundation → nothing
         Money → Sources/Money/Euro.swift
         implied → Sources/Shop/Line.swift",
    );
    check(
        project,
        "bin/run.sh",
        "../sh/common.sh → sh/common.sh
         ./here.sh → bin/here.sh",
    );
}

#[test]
fn what_belongs_together_by_name() {
    let names = "src/cart.cpp include/cart.h src/cart_test.cc pkg/cart.py pkg/other/cart.py tests/test_cart.py \
                 web/Cart.tsx web/Cart.test.tsx web/__tests__/Cart.spec.ts go/cart.go go/cart_test.go \
                 src/main/java/a/Cart.java src/test/java/a/CartTest.java rs/cart.rs rs/cart/tests.rs rs/tests/cart.rs \
                 lib/cart.rb spec/cart_spec.rb web/store/index.ts web/store.test.ts";
    let text = names.split_whitespace().map(|it| format!("== {it}\n")).collect::<String>();
    let project = project(&text);
    let shown = |path: &str| {
        let found = companions(&project, path).into_iter();
        found.map(|(path, what)| format!("{what:?} {path}")).collect::<Vec<_>>().join(", ")
    };
    for (path, expected) in [
        ("src/cart.cpp", "Header include/cart.h, Test src/cart_test.cc"),
        ("include/cart.h", "Source src/cart.cpp, Test src/cart_test.cc"),
        ("src/cart_test.cc", "Subject src/cart.cpp, Subject include/cart.h"),
        ("pkg/cart.py", "Test tests/test_cart.py"),
        ("tests/test_cart.py", "Subject pkg/cart.py, Subject pkg/other/cart.py"),
        ("web/Cart.tsx", "Test web/Cart.test.tsx, Test web/__tests__/Cart.spec.ts"),
        ("web/Cart.test.tsx", "Subject web/Cart.tsx"),
        ("go/cart.go", "Test go/cart_test.go"),
        ("go/cart_test.go", "Subject go/cart.go"),
        ("src/main/java/a/Cart.java", "Test src/test/java/a/CartTest.java"),
        ("src/test/java/a/CartTest.java", "Subject src/main/java/a/Cart.java"),
        ("rs/cart.rs", "Test rs/cart/tests.rs, Test rs/tests/cart.rs"),
        ("rs/cart/tests.rs", "Subject rs/cart.rs"),
        ("lib/cart.rb", "Test spec/cart_spec.rb"),
        ("spec/cart_spec.rb", "Subject lib/cart.rb"),
        ("web/store/index.ts", "Test web/store.test.ts"),
        ("web/store.test.ts", "Subject web/store/index.ts"),
    ] {
        assert_eq!(shown(path), expected, "{path}");
    }
    assert_eq!(companions(&project, "go/cart.go")[0].1, Companion::Test);
}
