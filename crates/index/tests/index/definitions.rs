//! The definitions of a sample per language: lines, kind, name, signature and the lines of the body.

use crate::sample;
use expect_test::{Expect, expect};

fn check(name: &str, expected: Expect) {
    let text = sample(name);
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let mut out = String::new();
    for it in ox_index::definitions(name, text).unwrap() {
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
        let announces = if it.announces { "announces " } else { "" };
        let listed = if it.listed { "listed " } else { "" };
        let (from, to) = (it.lines.start(), it.lines.end());
        let shown = it.shown();
        out +=
            &format!("{from}-{to} {docs}{announces}{listed}{:?} {shown} | {}: {signature}{body}\n", it.kind, it.line);
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
        8-8 announces Function add | 8: static int add(int a, int b)
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
        5-5 announces Function geo::Point::x | 5: int x() const
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
            12-12 announces Function geo::Shape::Shape | 12: Shape()
            13-13 Function geo::Shape::Shape | 13: explicit Shape(int n) : n_(n) | Braces empty
            14-14 Function geo::Shape::~Shape | 14: virtual ~Shape() = default
            16-17 +docs announces Function geo::Shape::area | 17: virtual double area() const = 0
            18-20 Function geo::Shape::operator== | 18: bool operator==(const Shape& other) const | Braces 19-19
            21-21 announces Function geo::Shape::operator bool | 21: operator bool() const
            23-25 Type geo::Shape::Inner | 23: struct Inner | Braces 24-24
            24-24 Value geo::Shape::Inner::value | 24: int value
            28-28 Value geo::Shape::n_ | 28: int n_
            31-40 Type geo::Box | 31: template <typename T> class Box | Braces 33-39
            34-34 announces Function geo::Box::get | 34: T get() const
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
