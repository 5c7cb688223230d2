//! From names as people and models write them to definitions.

use crate::sample;
use expect_test::expect;
use ox_syntax::{Lookup, find};

fn found(file: &str, name: &str) -> String {
    let shown = |it: &ox_syntax::Definition| format!("{}:{}", it.display_name(), it.line);
    match find(file, sample(file.rsplit('/').next().unwrap()), name) {
        None => "unknown".into(),
        Some(Lookup::One(it)) => shown(&it),
        Some(Lookup::Many(all)) => format!("several: {}", all.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Some(Lookup::None(near)) => format!("none, near: {}", near.join(", ")),
    }
}

#[test]
fn names_find_their_definitions() {
    let cases = [
        (
            "sample.rs",
            "Point::new Point.new new Point::<f64>::new Point<T>::new fn:new new() Point Unit inner tests::works",
        ),
        ("sample.rs", "Point::fmt fmt <Point:as:fmt::Display>::fmt Display:for:Point::fmt impl:fmt::Display:for:Point"),
        ("sample.rs", "impl:Point impl<T>:Point<T> crate::Point::name sample::Point::name Area::area nwe Poimt::new"),
        (
            "src/sample.py",
            "Shape.area Shape.make make sample.fetch src.sample.fetch plain.inner both platform Shape/make Shap",
        ),
        ("sample.js", "Queue.push Queue#push push Queue.#clear #clear exports.find find helper Queue.prototype.peek"),
        ("sample.ts", "pick App.handler Base.area area Inner.helper Colour"),
        ("sample.go", "Stack.Push (*Stack).Push (s:*Stack[T]):Push sample.New init Stack Shape.Area"),
        ("sample.java", "Cart.add Cart.Cart Cart.State.isOpen com.example.shop.Cart.iterator total"),
        ("sample.c", "add struct:point point name_of MAX hook"),
        (
            "sample.cpp",
            "geo::Shape::area Shape::operator== Box<T>::get geo::add a::b::deep b::deep ~Shape Shape::operator:bool",
        ),
    ];
    let mut out = String::new();
    for (file, names) in cases {
        for name in names.split(' ').map(|it| it.replace("::", "\u{1}").replace(':', " ").replace('\u{1}', "::")) {
            out += &format!("{file} {name} → {}\n", found(file, &name));
        }
    }
    expect![[r#"
        sample.rs Point::new → Point::new:41
        sample.rs Point.new → Point::new:41
        sample.rs new → Point::new:41
        sample.rs Point::<f64>::new → Point::new:41
        sample.rs Point<T>::new → Point::new:41
        sample.rs fn new → Point::new:41
        sample.rs new() → Point::new:41
        sample.rs Point → Point:12
        sample.rs Unit → Unit:18
        sample.rs inner → Point::fmt::inner:53
        sample.rs tests::works → tests::works:86
        sample.rs Point::fmt → several: Display for Point::fmt:52, LowerHex for Point::fmt:66
        sample.rs fmt → several: Display for Point::fmt:52, LowerHex for Point::fmt:66
        sample.rs <Point as fmt::Display>::fmt → Display for Point::fmt:52
        sample.rs Display for Point::fmt → Display for Point::fmt:52
        sample.rs impl fmt::Display for Point → impl Display for Point:51
        sample.rs impl Point → impl Point:36
        sample.rs impl<T> Point<T> → impl Point:36
        sample.rs crate::Point::name → Point::name:48
        sample.rs sample::Point::name → Point::name:48
        sample.rs Area::area → Area::area:28
        sample.rs nwe → none, near: 
        sample.rs Poimt::new → none, near: Point::new
        src/sample.py Shape.area → several: Shape.area:46, Shape.area:50
        src/sample.py Shape.make → Shape.make:54
        src/sample.py make → Shape.make:54
        src/sample.py sample.fetch → fetch:30
        src/sample.py src.sample.fetch → fetch:30
        src/sample.py plain.inner → plain.inner:20
        src/sample.py both → several: both:69, both:71, both:72
        src/sample.py platform → several: platform:61, platform:64
        src/sample.py Shape/make → Shape.make:54
        src/sample.py Shap → none, near: Shape
        sample.js Queue.push → Queue.push:44
        sample.js Queue#push → Queue.push:44
        sample.js push → Queue.push:44
        sample.js Queue.#clear → Queue.#clear:52
        sample.js #clear → Queue.#clear:52
        sample.js exports.find → exports.find:61
        sample.js find → exports.find:61
        sample.js helper → helper:71
        sample.js Queue.prototype.peek → Queue.peek:67
        sample.ts pick → several: pick:20, pick:21, pick:22
        sample.ts App.handler → App.handler:43
        sample.ts Base.area → Base.area:49
        sample.ts area → several: App.area:41, Base.area:49
        sample.ts Inner.helper → Inner.helper:53
        sample.ts Colour → none, near: Color
        sample.go Stack.Push → Stack.Push:34
        sample.go (*Stack).Push → Stack.Push:34
        sample.go (s *Stack[T]) Push → Stack.Push:34
        sample.go sample.New → New:40
        sample.go init → several: init:50, init:51
        sample.go Stack → Stack:21
        sample.go Shape.Area → Shape.Area:29
        sample.java Cart.add → several: Cart.add:38, Cart.add:42
        sample.java Cart.Cart → several: Cart.Cart:21, Cart.Cart:25
        sample.java Cart.State.isOpen → Cart.State.isOpen:57
        sample.java com.example.shop.Cart.iterator → Cart.iterator:30
        sample.java total → several: Cart.total:48, Cart.Line.total:51
        sample.c add → add:28
        sample.c struct point → point:10
        sample.c point → point:10
        sample.c name_of → name_of:34
        sample.c MAX → MAX:5
        sample.c hook → hook:42
        sample.cpp geo::Shape::area → geo::Shape::area:17
        sample.cpp Shape::operator== → geo::Shape::operator==:18
        sample.cpp Box<T>::get → geo::Box::get:42
        sample.cpp geo::add → several: geo::add:52, geo::add:53
        sample.cpp a::b::deep → a::b::deep:60
        sample.cpp b::deep → a::b::deep:60
        sample.cpp ~Shape → geo::Shape::~Shape:14
        sample.cpp Shape::operator bool → geo::Shape::operator bool:50
    "#]]
    .assert_eq(&out);
}

#[test]
fn an_unknown_language_is_said_to_be_unknown() {
    assert_eq!(find("notes.txt", "def x(): pass", "x"), None);
    assert_eq!(ox_syntax::definitions("Makefile", "all:\n"), None);
}

#[test]
fn a_name_that_nobody_wrote_finds_nothing_and_breaks_nothing() {
    for name in
        ["", " ", "::", ".", "#", "<", "<A as", "<A as B>::", "impl", "impl ", "operator", "()", "é::ß", "a for b"]
    {
        for (file, text) in crate::SAMPLES {
            let found = find(file, text, name);
            assert!(!matches!(found, Some(Lookup::One(_))), "{file} {name:?}: {found:?}");
        }
    }
}
