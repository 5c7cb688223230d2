//! What a sample per language says: what is exported, tested and written about; what is imported, used and how it is cut.

use crate::sample;
use expect_test::{Expect, expect};
use ox_index::{Facts, RefKind};

fn shown(facts: &Facts) -> String {
    let mut out = format!("{} {:?}\n", facts.language, facts.package);
    for it in &facts.symbols {
        let marks = [(it.exported, "open"), (it.test, "test"), (it.announces, "announces")];
        let marks: String = marks.iter().filter(|it| it.0).map(|it| format!(" {}", it.1)).collect();
        let doc = if it.doc.is_empty() { String::new() } else { format!(" | {}", it.doc) };
        out += &format!("{}-{} {:?} {}{marks}{doc}\n", it.line, it.end, it.kind, it.qualified);
    }
    for it in &facts.imports {
        out += &format!("import:{} {:?} {} [{}]\n", it.line, it.kind, it.what, it.names.join(" "));
    }
    for kind in [RefKind::Call, RefKind::Type, RefKind::Import, RefKind::Other] {
        let uses = facts.references.iter().filter(|it| it.kind == kind);
        let uses: Vec<String> = uses.map(|it| format!("{}:{}", it.name, it.line)).collect();
        out += &format!("{kind:?}: {}\n", uses.join(" "));
    }
    let chunk = |it: &ox_index::Chunk| {
        let name = it.symbol.map_or(String::new(), |at| format!("={}", facts.symbols[at as usize].qualified));
        format!("{}-{}{name}", it.line, it.end)
    };
    out + &format!("chunks: {}\n", facts.chunks.iter().map(chunk).collect::<Vec<_>>().join(" "))
}

fn check(name: &str, expected: Expect) {
    expected.assert_eq(&shown(&ox_index::facts(name, sample(name))));
}

#[test]
fn rust() {
    check(
        "sample.rs",
        expect![[r#"
            Rust None
            5-16 Type Point open | A point.
            18-18 Type Unit open
            20-20 Type Pair open
            22-34 Type Area open | What has an area.
            24-25 Type Area::Unit open | What it is counted in.
            26-26 Value Area::SIDES open
            28-28 Function Area::area open
            30-33 Function Area::twice open | Twice the area.
            36-49 Impl impl Point open
            37-37 Value Point::ORIGIN open
            39-46 Function Point::new open | It is cheap.
            48-48 Function Point::name
            51-63 Impl impl Display for Point open
            52-62 Function Point::fmt open
            53-55 Function Point::fmt::inner
            65-69 Impl impl LowerHex for Point open
            66-68 Function Point::fmt open
            71-75 Value twice open
            77-77 Value COUNT
            79-79 Type Points
            81-87 Module tests test
            85-86 Function tests::works test
            import:3 System std::fmt [fmt]
            Call: area:32 write:56 inner:60 Ok:67
            Type: Clone:8 Debug:8 Debug:23 Point:36 Self:41 Copy:43 Display:51 Point:51 Formatter:52 Result:52 LowerHex:65 Point:65 Formatter:66 Result:66 Vec:79 Point:79
            Import: fmt:3
            Other: rename_all:10 test:81
            chunks: 1-4 5-16=Point 17-21 22-35=Area 36-50=impl Point 51-64=impl Display for Point 65-70=impl LowerHex for Point 71-75=twice 76-80 81-87=tests
        "#]],
    );
}

#[test]
fn python() {
    check(
        "sample.py",
        expect![[r#"
        Python None
        6-6 Value LIMIT open
        7-7 Value names open
        10-22 Function plain open | Adds.
        20-21 Function plain.inner
        25-34 Function fetch open | About the next one.
        37-57 Type Shape open | A shape.
        40-40 Value Shape.sides open
        42-43 Function Shape.__init__ open
        45-47 Function Shape.area open
        49-51 Function Shape.area open
        53-54 Function Shape.make open
        56-57 Type Shape.Meta open
        57-57 Value Shape.Meta.ordering open
        61-62 Function platform open
        64-65 Function platform open
        68-69 Function both open
        70-71 Function both open
        72-73 Function both open
        import:3 Absolute os [os]
        import:4 Absolute typing [overload]
        Call: inner:22 decorated:26 decorated_with:27 get:34 property:45 setter:49 staticmethod:53 Shape:54
        Type: list:7 str:7 str:31 bytes:32 Base:37 int:69 str:71
        Import: os:3 overload:4
        Other: area:49 name:60
        chunks: 1-9 10-24=plain 25-36=fetch 37-57=Shape 58-73
    "#]],
    );
}

#[test]
fn javascript() {
    check(
        "sample.js",
        expect![[r#"
        JavaScript None
        2-2 Value fs
        5-16 Function add | Adds.
        9-11 Function add.inner
        12-14 Function add.deeper
        18-20 Function main open
        22-22 Function arrow open
        24-28 Function longer open
        30-53 Type Queue open | A queue.
        32-32 Value Queue.count open
        33-33 Value Queue.#items
        35-37 Function Queue.constructor open
        39-41 Function Queue.size open
        43-46 Function Queue.push open | Adds one.
        48-50 Function Queue.handle open
        52-52 Function Queue.#clear
        55-65 Value exports open
        57-59 Function exports.remove open
        60-63 Function exports.find open | Looks.
        64-64 Function exports.last open
        67-69 Function Queue.peek
        71-71 Function helper open
        73-75 Function ids
        import:2 Absolute fs [fs]
        Call: require:2 add:19 push:45 push:49 add:78
        Type: Base:31
        Import: fs:2
        Other: #items:40 length:40 #items:45 module:55 exports:55 add:56 Queue:67 prototype:67 peek:67 items:68 exports:71 helper:71
        chunks: 1-4 5-16=add 17-23 24-29=longer 30-54=Queue 55-65=exports 66-79
    "#]],
    );
}

#[test]
fn typescript() {
    check(
        "sample.ts",
        expect![[r#"
        TypeScript None
        3-8 Type Item open | An item.
        5-5 Value Item.id open
        6-6 Value Item.name open
        7-7 Function Item.render open
        10-10 Type Key open
        11-13 Type Options
        15-18 Type Color open
        20-20 Function pick
        21-21 Function pick
        22-24 Function pick
        26-46 Type App open | The root.
        31-31 Value App.id open
        32-32 Value App.cache
        34-34 Function App.constructor open
        36-39 Function App.onClick open
        41-41 Function App.area open
        43-45 Function App.handler open
        48-50 Type Base open
        49-49 Function Base.area
        52-56 Module Inner open
        53-55 Function Inner.helper open
        58-60 Module thing
        59-59 Function thing.thing
        62-62 Function make open
        63-63 Value VERSION
        import:1 Absolute @angular/core [Component]
        Call: Input:31 Map:32 HostListener:36 log:38
        Type: Item:30 Http:34 Event:37 Promise:43
        Import: Component:1
        Other: console:38
        chunks: 1-2 3-8=Item 9-25 26-46=App 47-51 52-56=Inner 57-63
    "#]],
    );
}

#[test]
fn typescript_with_tags() {
    check(
        "sample.tsx",
        expect![[r#"
        TypeScript None
        3-3 Type Props
        5-10 Function Hello open
        6-8 Function Hello.onClick
        12-18 Function App open
        import:1 Absolute react [React]
        Call: alert:7 Hello:15
        Type: React:5 FC:5 Props:5
        Import: React:1
        Other: onClick:9
        chunks: 1-4 5-11=Hello 12-18=App
    "#]],
    );
}

#[test]
fn go() {
    check(
        "sample.go",
        expect![[r#"
            Go Some("sample")
            6-6 Value Limit open
            9-9 Value A open
            10-10 Value B open
            11-12 Value C open | C is the third.
            17-18 Value ErrGone open | ErrGone says so.
            20-23 Type Stack open | Stack is a stack.
            26-26 Type Name open
            27-30 Type Shape open
            28-29 Function Shape.Area open | Area is the area.
            33-36 Function Stack.Push open | Push adds.
            38-38 Function Stack.Len open
            40-48 Function New open
            50-50 Function init
            51-53 Function init
            import:4 System fmt [fmt]
            Call: Errorf:18 append:35 len:38 helper:45 Println:52
            Type: any:21 string:26 float64:29 Stack:34 Stack:38 int:38 any:40 Stack:40
            Import: fmt:4
            Other: fmt:18 items:35 items:38 fmt:52
            chunks: 1-39 40-48=New 49-53
        "#]],
    );
}

#[test]
fn java() {
    check(
        "sample.java",
        expect![[r#"
        Java Some("com.example.shop")
        8-61 Type Cart open | A cart.
        14-14 Value Cart.LIMIT
        17-19 Value Cart.items | The items.
        21-23 Function Cart.Cart open
        25-27 Function Cart.Cart open
        29-36 Function Cart.iterator open
        32-34 Function Cart.iterator.hasNext
        38-40 Function Cart.add open
        42-46 Function Cart.add open
        48-48 Function Cart.total open
        50-52 Type Cart.Line open
        51-51 Function Cart.Line.total open
        54-60 Type Cart.State open
        57-59 Function Cart.State.isOpen open
        63-69 Type Shape open
        64-64 Value Shape.PI open
        65-65 Function Shape.area open
        66-68 Function Shape.twice open
        71-75 Type Point open
        72-74 Function Point.Point open
        77-79 Type Marker open
        78-78 Function Marker.value open
        import:6 System java.util.List [List]
        Call: Iterator:30 add:39 add:44 area:67 check:73
        Type: Entity:11 Table:12 Item:13 Base:13 Iterable:13 Inject:18 List:19 List:25 Override:29 String:78
        Import: List:6
        Other: items:26 items:39 OPEN:58
        chunks: 1-7 8-28=Cart 29-36=Cart.iterator 37-41=Cart 42-46=Cart.add 47-53=Cart 54-62=Cart.State 63-70=Shape 71-75=Point 76-79
    "#]],
    );
}

#[test]
fn c() {
    check(
        "sample.c",
        expect![[r#"
        C None
        4-4 Value LIMIT open
        5-6 Value MAX open
        8-8 Function add announces
        10-13 Type point open
        11-11 Value point::x open
        12-12 Value point::y open
        15-17 Type person open
        16-16 Value person::name open
        19-19 Type callback open
        21-21 Type color open
        23-23 Value names
        24-24 Value counter open
        25-25 Value origin open
        27-32 Function add | Adds.
        34-34 Function name_of open
        37-39 Function dump open
        42-45 Function hook
        import:2 System stdio.h [*]
        Call: printf:38
        Type: point:25 person:34
        Import: 
        Other: name:34
        chunks: 1-26 27-32=add 33-45
    "#]],
    );
}

#[test]
fn a_header() {
    check(
        "sample.h",
        expect![[r#"
        C++ None
        2-7 Module geo open
        3-6 Type geo::Point open
        5-5 Function geo::Point::x open announces
        Call: 
        Type: 
        Import: 
        Other: 
        chunks: 1-1 2-7=geo
    "#]],
    );
}

#[test]
fn cpp() {
    check(
        "sample.cpp",
        expect![[r#"
        C++ None
        3-57 Module geo open
        6-6 Function geo::hidden open
        9-29 Type geo::Shape open | A shape.
        12-12 Function geo::Shape::Shape open announces
        13-13 Function geo::Shape::Shape open
        14-14 Function geo::Shape::~Shape open
        16-17 Function geo::Shape::area open announces | The area.
        18-20 Function geo::Shape::operator== open
        21-21 Function geo::Shape::operator bool open announces
        23-25 Type geo::Shape::Inner open
        24-24 Value geo::Shape::Inner::value open
        28-28 Value geo::Shape::n_ open
        31-40 Type geo::Box open
        34-34 Function geo::Box::get open announces
        35-38 Function geo::Box::set open
        39-39 Value geo::Box::value_ open
        42-45 Function geo::Box::get open
        47-48 Function geo::Shape::Shape open
        50-50 Function geo::Shape::operator bool open
        52-52 Function geo::add open
        53-53 Function geo::add open
        55-55 Type geo::Shapes open
        59-66 Module a::b open
        60-65 Function a::b::deep open
        69-69 Function plain open
        71-71 Function single open
        73-73 Type Color open
        75-75 Function geo::free_function open
        import:1 System vector [*]
        Call: 
        Type: Shape:18 Box:43 Shape:47 Shape:50 vector:55 Shape:55
        Import: 
        Other: n_:13 n_:19 value_:37 value:37 value_:44 n_:47 n_:50 b:52 b:53
        chunks: 1-2 3-8=geo 9-30=geo::Shape 31-40=geo::Box 41-58=geo 59-66=a::b 67-75
    "#]],
    );
}
