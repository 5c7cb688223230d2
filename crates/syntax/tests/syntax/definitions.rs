//! The definitions of a sample per language: lines, kind, name, signature and the lines of the body.

use crate::sample;
use expect_test::{Expect, expect};

fn check(name: &str, expected: Expect) {
    let text = sample(name);
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let mut out = String::new();
    for it in ox_syntax::definitions(name, text).unwrap() {
        let signature = text[it.signature.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        let body = it.body.as_ref().map_or(String::new(), |body| {
            let inner = &text[body.span.clone()];
            let start = body.span.start + inner.len() - inner.trim_start().len();
            let end = body.span.start + inner.trim_end().len();
            match start < end {
                true => format!(" | {:?} {}-{}", body.form, line(start), line(end)),
                false => format!(" | {:?} empty", body.form),
            }
        });
        let docs = if it.docs_end > it.span.start { "+docs " } else { "" };
        let is_declaration = if it.is_declaration { "is_declaration " } else { "" };
        let listed = if it.listed { "listed " } else { "" };
        let (from, to) = (it.lines.start(), it.lines.end());
        let shown = it.display_name();
        out += &format!(
            "{from}-{to} {docs}{is_declaration}{listed}{:?} {shown} | {}: {signature}{body}\n",
            it.kind, it.line
        );
    }
    expected.assert_eq(&out);
}

#[test]
fn rust() {
    check(
        "sample.rs",
        expect![[r#"
        5-16 +docs Type Point | 12: pub struct Point<T> | Braces 13-15
        18-18 Type Unit | 18: pub struct Unit
        20-20 Type Pair | 20: pub(crate) struct Pair(u8, u8)
        22-34 +docs Type Area | 23: pub trait Area: fmt::Debug | Braces 24-33
        24-25 +docs Type Area::Unit | 25: type Unit
        26-26 Value Area::SIDES | 26: const SIDES: usize
        28-28 Function Area::area | 28: fn area(&self) -> f64
        30-33 +docs Function Area::twice | 31: fn twice(&self) -> f64 | Braces 32-32
        36-49 Impl impl Point | 36: impl<T> Point<T> | Braces 37-48
        37-37 Value Point::ORIGIN | 37: pub const ORIGIN: u8 = 0
        39-46 +docs Function Point::new | 41: pub fn new(x: T, y: T) -> Self where T: Copy, | Braces 45-45
        48-48 Function Point::name | 48: fn name(&self) -> &str | Braces 48-48
        51-63 Impl impl Display for Point | 51: impl fmt::Display for Point<f64> | Braces 52-62
        52-62 Function Display for Point::fmt | 52: fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result | Braces 53-61
        53-55 Function Point::fmt::inner | 53: fn inner() -> u8 | Braces 54-54
        65-69 Impl impl LowerHex for Point | 65: impl fmt::LowerHex for Point<f64> | Braces 66-68
        66-68 Function LowerHex for Point::fmt | 66: fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result | Braces 67-67
        71-75 Value twice | 71: macro_rules! twice | Braces 72-74
        77-77 Value COUNT | 77: static COUNT: usize = 3
        79-79 Type Points | 79: type Points = Vec<Point<f64>>
        81-87 Module tests | 82: mod tests | Braces 83-86
        85-86 Function tests::works | 86: fn works() | Braces empty
    "#]],
    );
}

#[test]
fn python() {
    check(
        "sample.py",
        expect![[r#"
        6-6 Value LIMIT | 6: LIMIT = 10
        7-7 Value names | 7: names: list[str] = []
        10-22 Function plain | 10: def plain(a, b=2, *rest, key=None): | Indented 11-22
        20-21 Function plain.inner | 20: def inner(): | Indented 21-21
        25-34 +docs Function fetch | 30: async def fetch( url: str, ) -> bytes: | Indented 33-34
        37-57 Type Shape | 37: class Shape(Base): | Indented 38-57
        40-40 Value Shape.sides | 40: sides = 0
        42-43 Function Shape.__init__ | 42: def __init__(self, n): | Indented 43-43
        45-47 Function Shape.area | 46: def area(self): | Indented 47-47
        49-51 Function Shape.area | 50: def area(self, value): | Indented 51-51
        53-54 Function Shape.make | 54: def make(): | Indented 54-54
        56-57 Type Shape.Meta | 56: class Meta: | Indented 57-57
        57-57 Value Shape.Meta.ordering | 57: ordering = ["n"]
        61-62 Function platform | 61: def platform(): | Indented 62-62
        64-65 Function platform | 64: def platform(): | Indented 65-65
        68-69 Function both | 69: def both(a: int) -> int: | Indented 69-69
        70-71 Function both | 71: def both(a: str) -> str: | Indented 71-71
        72-73 Function both | 72: def both(a): | Indented 73-73
    "#]],
    );
}

#[test]
fn javascript() {
    check(
        "sample.js",
        expect![[r#"
        2-2 Value fs | 2: const fs = require('fs')
        5-16 +docs Function add | 8: function add(x, y) | Braces 9-15
        9-11 Function add.inner | 9: const inner = (z) => | Braces 10-10
        12-14 Function add.deeper | 12: function deeper() | Braces 13-13
        18-20 Function main | 18: export default function main() | Braces 19-19
        22-22 Function arrow | 22: export const arrow = async (x) => | Expression 22-22
        24-28 Function longer | 24: export const longer = (x) => | Braces 25-27
        30-53 +docs Type Queue | 31: export class Queue extends Base | Braces 32-52
        32-32 Value Queue.count | 32: static count = 0
        33-33 Value Queue.#items | 33: #items = []
        35-37 Function Queue.constructor | 35: constructor() | Braces 36-36
        39-41 Function Queue.size | 39: get size() | Braces 40-40
        43-46 +docs Function Queue.push | 44: async push(item) | Braces 45-45
        48-50 Function Queue.handle | 48: handle = (event) => | Braces 49-49
        52-52 Function Queue.#clear | 52: #clear() | Braces empty
        55-65 Value exports | 55: module.exports = | Braces 56-64
        57-59 listed Function exports.remove | 57: remove: function (x) | Braces 58-58
        60-63 +docs listed Function exports.find | 61: find(x) | Braces 62-62
        64-64 listed Function exports.last | 64: last: (x) => | Expression 64-64
        67-69 Function Queue.peek | 67: Queue.prototype.peek = function () | Braces 68-68
        71-71 Function helper | 71: exports.helper = function helper() | Braces empty
        73-75 Function ids | 73: function* ids() | Braces 74-74
    "#]],
    );
}

#[test]
fn typescript() {
    check(
        "sample.ts",
        expect![[r#"
        3-8 +docs Type Item | 4: export interface Item<T> | Braces 5-7
        5-5 Value Item.id | 5: id: number
        6-6 Value Item.name | 6: name?: string
        7-7 Function Item.render | 7: render(x: T): void
        10-10 Type Key | 10: export type Key = string | number
        11-13 Type Options | 11: type Options = | Braces 12-12
        15-18 Type Color | 15: export enum Color | Braces 16-17
        20-20 Function pick | 20: function pick(a: string): string
        21-21 Function pick | 21: function pick(a: number): number
        22-24 Function pick | 22: function pick(a: any): any | Braces 23-23
        26-46 +docs Type App | 30: export class App<T> implements Item<T> | Braces 31-45
        31-31 Value App.id | 31: id = 1
        32-32 Value App.cache | 32: private readonly cache: Map<string, T> = new Map()
        34-34 Function App.constructor | 34: constructor(private http: Http) | Braces empty
        36-39 Function App.onClick | 37: onClick(event: Event): void | Braces 38-38
        41-41 Function App.area | 41: abstract area(): number
        43-45 Function App.handler | 43: handler = async <U,>(x: U): Promise<U> => | Braces 44-44
        48-50 Type Base | 48: export abstract class Base | Braces 49-49
        49-49 Function Base.area | 49: protected abstract area(): number
        52-56 Module Inner | 52: export namespace Inner | Braces 53-55
        53-55 Function Inner.helper | 53: export function helper() | Braces 54-54
        58-60 Module thing | 58: declare module 'thing' | Braces 59-59
        59-59 Function thing.thing | 59: export function thing(): void
        62-62 Function make | 62: export const make = <T extends object>(x: T): T => | Expression 62-62
        63-63 Value VERSION | 63: declare const VERSION: string
    "#]],
    );
}

#[test]
fn typescript_with_tags() {
    check(
        "sample.tsx",
        expect![[r#"
        3-3 Type Props | 3: type Props = | Braces 3-3
        5-10 Function Hello | 5: export const Hello: React.FC<Props> = ({ name }) => | Braces 6-9
        6-8 Function Hello.onClick | 6: const onClick = () => | Braces 7-7
        12-18 Function App | 12: export default function App() | Braces 13-17
    "#]],
    );
}

#[test]
fn go() {
    check(
        "sample.go",
        expect![[r#"
        6-6 Value Limit | 6: const Limit = 10
        9-9 Value A | 9: A = iota
        10-10 Value B | 10: B
        11-12 +docs Value C | 12: C
        17-18 +docs Value ErrGone | 18: var ErrGone = fmt.Errorf("gone")
        20-23 +docs Type Stack | 21: type Stack[T any] struct | Braces 22-22
        26-26 Type Name | 26: Name string
        27-30 Type Shape | 27: Shape interface | Braces 28-29
        28-29 +docs Function Shape.Area | 29: Area() float64
        33-36 +docs Function Stack.Push | 34: func (s *Stack[T]) Push(item T) | Braces 35-35
        38-38 Function Stack.Len | 38: func (s Stack[T]) Len() int | Braces 38-38
        40-48 Function New | 40: func New[T any]() *Stack[T] | Braces 41-47
        50-50 Function init | 50: func init() | Braces empty
        51-53 Function init | 51: func init() | Braces 52-52
    "#]],
    );
}

#[test]
fn java() {
    check(
        "sample.java",
        expect![[r#"
        8-61 +docs Type Cart | 13: public class Cart<T extends Item> extends Base implements Iterable<T> | Braces 14-60
        14-14 Value Cart.LIMIT | 14: private static final int LIMIT = 10
        17-19 +docs Value Cart.items | 19: private List<T> items
        21-23 Function Cart.Cart | 21: public Cart() | Braces 22-22
        25-27 Function Cart.Cart | 25: Cart(List<T> items) | Braces 26-26
        29-36 Function Cart.iterator | 30: public Iterator<T> iterator() | Braces 31-35
        32-34 Function Cart.iterator.hasNext | 32: public boolean hasNext() | Braces 33-33
        38-40 Function Cart.add | 38: public void add(T item) | Braces 39-39
        42-46 Function Cart.add | 42: public void add(T item, int count) | Braces 43-45
        48-48 Function Cart.total | 48: abstract int total()
        50-52 Type Cart.Line | 50: static class Line | Braces 51-51
        51-51 Function Cart.Line.total | 51: int total() | Braces 51-51
        54-60 Type Cart.State | 54: enum State | Braces 55-59
        57-59 Function Cart.State.isOpen | 57: boolean isOpen() | Braces 58-58
        63-69 Type Shape | 63: interface Shape | Braces 64-68
        64-64 Value Shape.PI | 64: double PI = 3.14
        65-65 Function Shape.area | 65: double area()
        66-68 Function Shape.twice | 66: default double twice() | Braces 67-67
        71-75 Type Point | 71: record Point(int x, int y) | Braces 72-74
        72-74 Function Point.Point | 72: Point | Braces 73-73
        77-79 Type Marker | 77: @interface Marker | Braces 78-78
        78-78 Function Marker.value | 78: String value() default ""
    "#]],
    );
}

#[test]
fn c() {
    check(
        "sample.c",
        expect![[r#"
        4-4 Value LIMIT | 4: #define LIMIT 10
        5-6 Value MAX | 5: #define MAX(a, b) \ ((a) > (b) ? (a) : (b))
        8-8 is_declaration Function add | 8: static int add(int a, int b)
        10-13 Type point | 10: struct point | Braces 11-12
        11-11 Value point::x | 11: int x
        12-12 Value point::y | 12: int y
        15-17 Type person | 15: typedef struct | Braces 16-16
        16-16 Value person::name | 16: char *name
        19-19 Type callback | 19: typedef int (*callback)(int)
        21-21 Type color | 21: enum color | Braces 21-21
        23-23 Value names | 23: static const char *names[] = {"a", "b"}
        24-24 Value counter | 24: int counter = 0
        25-25 Value origin | 25: struct point origin
        27-32 +docs Function add | 28: static int add(int a, int b) | Braces 31-31
        34-34 Function name_of | 34: char *name_of(const person *p) | Braces 34-34
        37-39 Function dump | 37: void dump(void) | Braces 38-38
        42-45 Function hook | 42: static void (*hook(int x))(int) | Braces 44-44
    "#]],
    );
}

#[test]
fn a_header() {
    check(
        "sample.h",
        expect![[r#"
        2-7 Module geo | 2: namespace geo | Braces 3-6
        3-6 Type geo::Point | 3: class Point | Braces 4-5
        5-5 is_declaration Function geo::Point::x | 5: int x() const
    "#]],
    );
}

#[test]
fn cpp() {
    check(
        "sample.cpp",
        expect![[r#"
            3-57 Module geo | 3: namespace geo | Braces 5-55
            6-6 Function geo::hidden | 6: int hidden() | Braces 6-6
            9-29 +docs Type geo::Shape | 10: class Shape | Braces 11-28
            12-12 is_declaration Function geo::Shape::Shape | 12: Shape()
            13-13 Function geo::Shape::Shape | 13: explicit Shape(int n) : n_(n) | Braces empty
            14-14 Function geo::Shape::~Shape | 14: virtual ~Shape() = default
            16-17 +docs is_declaration Function geo::Shape::area | 17: virtual double area() const = 0
            18-20 Function geo::Shape::operator== | 18: bool operator==(const Shape& other) const | Braces 19-19
            21-21 is_declaration Function geo::Shape::operator bool | 21: operator bool() const
            23-25 Type geo::Shape::Inner | 23: struct Inner | Braces 24-24
            24-24 Value geo::Shape::Inner::value | 24: int value
            28-28 Value geo::Shape::n_ | 28: int n_
            31-40 Type geo::Box | 31: template <typename T> class Box | Braces 33-39
            34-34 is_declaration Function geo::Box::get | 34: T get() const
            35-38 Function geo::Box::set | 35: template <typename U> void set(U value) | Braces 37-37
            39-39 Value geo::Box::value_ | 39: T value_
            42-45 Function geo::Box::get | 42: template <typename T> T Box<T>::get() const | Braces 44-44
            47-48 Function geo::Shape::Shape | 47: Shape::Shape() : n_(0) | Braces empty
            50-50 Function geo::Shape::operator bool | 50: Shape::operator bool() const | Braces 50-50
            52-52 Function geo::add | 52: int add(int a, int b) | Braces 52-52
            53-53 Function geo::add | 53: double add(double a, double b) | Braces 53-53
            55-55 Type geo::Shapes | 55: using Shapes = std::vector<Shape>
            59-66 Module a::b | 59: namespace a::b | Braces 60-65
            60-65 Function a::b::deep | 60: void deep() | Braces 61-64
            69-69 Function plain | 69: void plain(void) | Braces empty
            71-71 Function single | 71: extern "C" int single(int x) | Braces 71-71
            73-73 Type Color | 73: enum class Color : int | Braces 73-73
            75-75 Function geo::free_function | 75: int geo::free_function(int x) | Braces 75-75
        "#]],
    );
}

#[test]
fn csharp() {
    check(
        "sample.cs",
        expect![[r#"
        6-25 +docs Type Cart | 8: public class Cart<T> : Base, IThing where T : Item | Braces 9-24
        9-9 Value Cart.Limit | 9: private const int Limit = 10
        10-10 Value Cart.Name | 10: public string Name | Braces 10-10
        11-11 Value Cart.Changed | 11: public event EventHandler Changed
        12-12 Function Cart.Cart | 12: public Cart(int n) : base(n) | Braces 12-12
        13-18 Function Cart.Add | 14: public async Task<int> Add(Item item, int count = 1) | Braces 15-17
        19-19 Value Cart.Area | 19: public int Area => 3
        20-20 Function Cart.operator + | 20: public static Cart operator +(Cart a, Cart b) => a
        21-21 Function Cart.this | 21: public int this[int i] | Braces 21-21
        22-22 Type Cart.State | 22: enum State | Braces 22-22
        23-23 Type Cart.Go | 23: delegate void Go(int x)
        24-24 Function Cart.~Cart | 24: ~Cart() | Braces empty
        26-26 Type Point | 26: public record Point(int X, int Y)
        27-27 Type S | 27: public struct S | Braces 27-27
        27-27 Value S.a | 27: public int a
        28-28 Type I | 28: interface I | Braces 28-28
        28-28 Function I.F | 28: void F()
        29-29 Module Inner | 29: namespace Inner | Braces 29-29
        29-29 Type Inner.Q | 29: class Q | Braces empty
    "#]],
    );
}

#[test]
fn ruby() {
    check(
        "sample.rb",
        expect![[r#"
        3-27 Module Shop | 3: module Shop
        4-26 +docs Type Shop::Cart | 5: class Cart < Base
        7-7 Value Shop::Cart::LIMIT | 7: LIMIT = 10
        9-12 Function Shop::Cart::initialize | 9: def initialize(name, count: 1)
        13-19 +docs Function Shop::Cart::add | 14: def add(item)
        20-20 Function Shop::Cart::make | 20: def self.make
        21-21 Function Shop::Cart::empty? | 21: def empty?
        23-23 Function Shop::Cart::build | 23: def build
        28-30 Type Point | 28: Point = Struct.new(:x, :y) do def dist; end end
        29-29 Function Point::dist | 29: def dist
        31-31 Function top | 31: def top
    "#]],
    );
}

#[test]
fn php() {
    check(
        "sample.php",
        expect![[r#"
        7-21 +docs Type Cart | 9: class Cart extends Base implements Thing | Braces 10-20
        11-11 Value Cart::LIMIT | 11: const LIMIT = 10
        12-12 Value Cart::item | 12: private ?Item $item = null
        13-13 Function Cart::__construct | 13: public function __construct(private int $n) | Braces 13-13
        14-19 +docs Function Cart::add | 15: public function add(Item $item, int $n = 1): static | Braces 16-18
        20-20 Function Cart::f | 20: abstract protected function f()
        22-22 Type Shape | 22: interface Shape | Braces 22-22
        22-22 Function Shape::area | 22: public function area(): float
        23-23 Type Logs | 23: trait Logs | Braces 23-23
        23-23 Function Logs::log | 23: public function log() | Braces empty
        24-24 Type Suit | 24: enum Suit: string | Braces 24-24
        24-24 Function Suit::label | 24: public function label() | Braces empty
        25-25 Function top | 25: function top($a) | Braces 25-25
        26-26 Value X | 26: const X = 1
    "#]],
    );
}

#[test]
fn bash() {
    check(
        "sample.sh",
        expect![[r#"
        4-4 Value LIMIT | 4: LIMIT=10
        5-5 Value NAME | 5: readonly NAME="x"
        6-11 +docs Function add | 7: add() | Braces 8-10
        12-12 Function build | 12: function build | Braces 12-12
    "#]],
    );
}

#[test]
fn kotlin() {
    check(
        "sample.kt",
        expect![[r#"
        5-22 +docs Type Cart | 7: class Cart<T : Item>(val name: String, private var n: Int = 1) : Base(n), Shape | Braces 8-21
        8-8 Value Cart.items | 8: private val items = mutableListOf<T>()
        9-9 Value Cart.size | 9: val size: Int get() = items.size
        10-10 Value Cart.LIMIT | 10: const val LIMIT = 10
        11-11 Function Cart.make | 11: fun make(): Cart<Item> | Expression 11-11
        13-13 Function Cart.constructor | 13: constructor(x: Int) : this("a", x) | Braces empty
        14-19 Function Cart.add | 15: override suspend fun add(item: T): Int | Braces 16-18
        20-20 Type Cart.State | 20: enum class State | Braces 20-20
        20-20 Function Cart.State.f | 20: fun f() | Braces empty
        21-21 Type Cart.Line | 21: inner class Line
        23-25 Type Shape | 23: interface Shape | Braces 24-24
        24-24 Function Shape.area | 24: fun area(): Double
        26-28 Type Single | 26: object Single | Braces 27-27
        27-27 Function Single.go | 27: fun go() | Braces empty
        29-29 Type Point | 29: data class Point(val x: Int, val y: Int)
        30-30 Function twice | 30: fun String.twice(): String | Expression 30-30
        31-31 Type Points | 31: typealias Points = List<Point>
        32-32 Value TOP | 32: val TOP = 3
    "#]],
    );
}

#[test]
fn swift() {
    check(
        "sample.swift",
        expect![[r#"
        3-19 +docs Type Cart | 4: public class Cart<T: Item>: Base, Shape | Braces 5-18
        5-5 Value Cart.limit | 5: private let limit = 10
        6-6 Value Cart.size | 6: var size: Int | Braces 6-6
        7-7 Value Cart.shared | 7: static var shared = Cart()
        8-8 Function Cart.init | 8: init(name: String, n: Int = 1) | Braces 8-8
        9-9 Function Cart.deinit | 9: deinit | Braces empty
        10-16 +docs Function Cart.add | 12: public func add(_ item: T, to list: [Item]) async throws -> Int | Braces 13-15
        17-17 Function Cart.subscript | 17: subscript(i: Int) -> Int | Braces 17-17
        18-18 Type Cart.State | 18: enum State | Braces 18-18
        18-18 Function Cart.State.f | 18: func f() | Braces empty
        20-20 Type Shape | 20: protocol Shape | Braces 20-20
        20-20 Function Shape.area | 20: func area() -> Double
        20-20 Value Shape.n | 20: var n: Int { get }
        21-21 Type Point | 21: struct Point: Hashable | Braces 21-21
        21-21 Value Point.x | 21: let x: Int
        21-21 Value Point.y | 21: let y: Int
        22-22 Impl extension Point | 22: extension Point | Braces 22-22
        22-22 Function Point.dist | 22: func dist() -> Int | Braces 22-22
        23-23 Type Suit | 23: enum Suit: String | Braces 23-23
        24-24 Type Points | 24: typealias Points = [Point]
        25-25 Function top | 25: func top(a: Int) -> Int | Braces 25-25
        26-26 Value TOP | 26: let TOP = 3
        27-27 Function testThing | 27: func testThing() | Braces empty
        28-28 Type A | 28: actor A | Braces empty
    "#]],
    );
}

#[test]
fn scala() {
    check(
        "sample.scala",
        expect![[r#"
        5-19 +docs Type Cart | 7: case class Cart[T <: Item](name: String, n: Int = 1) extends Base(n) with Shape | Braces 8-18
        8-8 Value Cart.items | 8: private val items = List[T]()
        9-9 Value Cart.size | 9: var size: Int = 0
        10-10 Type Cart.K | 10: type K = Int
        11-17 +docs Function Cart.add | 12: override def add(item: T): Int = | Braces 13-16
        18-18 Function Cart.abs | 18: def abs: Int
        20-20 Type Cart | 20: object Cart | Braces 20-20
        20-20 Function Cart.make | 20: def make() | Expression 20-20
        20-20 Value Cart.LIMIT | 20: val LIMIT = 10
        21-21 Type Shape | 21: trait Shape | Braces 21-21
        21-21 Function Shape.area | 21: def area(): Double
        22-22 Type Suit | 22: enum Suit | Braces 22-22
        23-23 Function compare | 23: def compare(a: Int, b: Int) | Expression 23-23
        24-24 Function twice | 24: def twice: String | Expression 24-24
        25-25 Function top | 25: def top(a: Int): Int | Expression 25-25
    "#]],
    );
}

#[test]
fn lua() {
    check(
        "sample.lua",
        expect![[r#"
        1-1 Value json | 1: local json = require("json")
        2-2 Value cart | 2: local cart = require "shop.cart"
        3-3 Value M | 3: local M = | Braces empty
        4-4 Value LIMIT | 4: local LIMIT = 10
        5-10 +docs Function M.add | 7: function M.add(x, y)
        11-11 Function M.go | 11: function M:go(a)
        12-12 Function inner | 12: local function inner()
        13-13 Function top | 13: function top()
        14-14 Function M.other | 14: M.other = function(a)
        15-15 Value M.Table | 15: M.Table = | Braces 15-15
        15-15 listed Function M.Table.f | 15: f = function()
    "#]],
    );
}
