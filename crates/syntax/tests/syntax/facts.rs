//! What a sample per language says: what is exported, tested and written about; what is imported, used and how it is cut.

use crate::sample;
use expect_test::{Expect, expect};
use ox_syntax::{Facts, RefKind};

fn shown(facts: &Facts) -> String {
    let mut out = format!("{} {:?}\n", facts.language, facts.package);
    for it in &facts.symbols {
        let marks = [(it.exported, "open"), (it.test, "test"), (it.is_declaration, "is_declaration")];
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
    let chunk = |it: &ox_syntax::Chunk| {
        let name = it.symbol.map_or(String::new(), |at| format!("={}", facts.symbols[at as usize].qualified));
        format!("{}-{}{name}", it.line, it.end)
    };
    out + &format!("chunks: {}\n", facts.chunks.iter().map(chunk).collect::<Vec<_>>().join(" "))
}

fn check(name: &str, expected: Expect) {
    expected.assert_eq(&shown(&ox_syntax::facts(name, sample(name))));
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
            Call: overload:68 inner:22 decorated:26 decorated_with:27 get:34 property:45 setter:49 staticmethod:53 Shape:54
            Type: list:7 str:7 str:31 bytes:32 Base:37 int:69 str:71
            Import: os:3
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
            Call: Component:27 Input:31 Map:32 HostListener:36 log:38
            Type: Item:30 Http:34 Event:37 Promise:43
            Import: 
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
        8-8 Function add is_declaration
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
        5-5 Function geo::Point::x open is_declaration
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
        12-12 Function geo::Shape::Shape open is_declaration
        13-13 Function geo::Shape::Shape open
        14-14 Function geo::Shape::~Shape open
        16-17 Function geo::Shape::area open is_declaration | The area.
        18-20 Function geo::Shape::operator== open
        21-21 Function geo::Shape::operator bool open is_declaration
        23-25 Type geo::Shape::Inner open
        24-24 Value geo::Shape::Inner::value open
        28-28 Value geo::Shape::n_ open
        31-40 Type geo::Box open
        34-34 Function geo::Box::get open is_declaration
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

#[test]
fn csharp() {
    check(
        "sample.cs",
        expect![[r#"
            C# Some("Shop.Cart")
            6-25 Type Cart open | A cart.
            9-9 Value Cart.Limit
            10-10 Value Cart.Name open
            11-11 Value Cart.Changed open
            12-12 Function Cart.Cart open
            13-18 Function Cart.Add open test
            19-19 Value Cart.Area open
            20-20 Function Cart.operator + open
            21-21 Function Cart.this open
            22-22 Type Cart.State
            23-23 Type Cart.Go
            24-24 Function Cart.~Cart
            26-26 Type Point open
            27-27 Type S open
            27-27 Value S.a open
            28-28 Type I open
            28-28 Function I.F open
            29-29 Module Inner open
            29-29 Type Inner.Q open
            import:1 System System [*]
            import:2 System System.Collections.Generic [*]
            import:3 System System.Math [*]
            import:4 Absolute Bar.Baz [Foo]
            Call: List:15 WriteLine:16 Helper:16 Compute:17
            Type: Serializable:7 Base:8 IThing:8 Item:8 EventHandler:11 Test:13 Task:14 Item:14 Cart:20
            Import: Foo:4
            Other: n:12 Console:16 Name:16 Total:17 a:20
            chunks: 1-5 6-25=Cart 26-29
        "#]],
    );
}

#[test]
fn ruby() {
    check(
        "sample.rb",
        expect![[r#"
        Ruby None
        3-27 Module Shop open
        4-26 Type Shop::Cart open | A cart.
        7-7 Value Shop::Cart::LIMIT open
        9-12 Function Shop::Cart::initialize open
        13-19 Function Shop::Cart::add open | Adds.
        20-20 Function Shop::Cart::make open
        21-21 Function Shop::Cart::empty? open
        23-23 Function Shop::Cart::build open
        28-30 Type Point open
        29-29 Function Point::dist open
        31-31 Function top open
        import:1 Absolute json []
        import:2 Relative ../lib/cart []
        Call: include:6 attr_reader:8 each:15 touch:15 new:16 save:16 helper:17 empty?:21 alias_method:25 new:28
        Type: Base:5 Comparable:6 Item:16 LIMIT:18 Struct:28
        Import: 
        Other: items:15 Price:18 items:21
        chunks: 1-2 3-27=Shop 28-31
    "#]],
    );
}

#[test]
fn php() {
    check(
        "sample.php",
        expect![[r#"
            PHP Some("App\\Shop")
            7-21 Type Cart open | A cart.
            11-11 Value Cart::LIMIT open
            12-12 Value Cart::item
            13-13 Function Cart::__construct open
            14-19 Function Cart::add open | Adds.
            20-20 Function Cart::f open
            22-22 Type Shape open
            22-22 Function Shape::area open
            23-23 Type Logs open
            23-23 Function Logs::log open
            24-24 Type Suit open
            24-24 Function Suit::label open
            25-25 Function top open
            26-26 Value X open
            import:3 Absolute App\Models\Item [Item]
            import:4 Absolute App\Models\User [User]
            import:4 Absolute App\Models\Group [Group G]
            import:5 Absolute App\helper [helper]
            import:6 Relative lib.php []
            Call: __construct:13 Item:15 save:17 find:17 helper:17 Bar:25 define:27
            Type: Entity:8 Base:9 Thing:9 Logs:10 Item:12 static:15
            Import: Item:3 User:4 Group:4 G:4 helper:5
            Other: LIMIT:17 item:17 name:17
            chunks: 1-6 7-21=Cart 22-28
        "#]],
    );
}

#[test]
fn bash() {
    check(
        "sample.sh",
        expect![[r#"
            Shell None
            4-4 Value LIMIT open
            5-5 Value NAME open
            6-11 Function add open | Adds.
            12-12 Function build open
            import:2 Relative ./lib/common.sh [*]
            import:3 Relative util.sh [*]
            Call: source:2 .:3 dirname:3 helper:9 grep:9 echo:10 total:10 add:12 build:13
            Type: 
            Import: 
            Other: LIMIT:13
            chunks: 1-5 6-11=add 12-13
        "#]],
    );
}

#[test]
fn kotlin() {
    check(
        "sample.kt",
        expect![[r#"
        Kotlin Some("com.example.shop")
        5-22 Type Cart open | A cart.
        8-8 Value Cart.items
        9-9 Value Cart.size open
        10-10 Value Cart.LIMIT open
        11-11 Function Cart.make open
        13-13 Function Cart.constructor open
        14-19 Function Cart.add open test
        20-20 Type Cart.State open
        20-20 Function Cart.State.f open
        21-21 Type Cart.Line open
        23-25 Type Shape open
        24-24 Function Shape.area open
        26-28 Type Single open
        27-27 Function Single.go open
        29-29 Type Point open
        30-30 Function twice open
        31-31 Type Points open
        32-32 Value TOP open
        import:2 Absolute com.example.items.Item [Item]
        import:3 Absolute com.example.util.* [*]
        import:4 Absolute a.b.C [C D]
        Call: mutableListOf:8 Cart:11 println:12 Item:16 forEach:17 touch:17 compute:18
        Type: Serializable:6 Item:7 String:7 Int:7 Base:7 Shape:7 Int:9 Item:11 Int:13 Test:14 Int:15 Double:24 Int:29 String:30 List:31 Point:31
        Import: Item:2 C:4 D:4
        Other: items:9 size:9 name:16 items:17 it:17 total:18
        chunks: 1-4 5-22=Cart 23-32
    "#]],
    );
}

#[test]
fn swift() {
    check(
        "sample.swift",
        expect![[r#"
        Swift None
        3-19 Type Cart open | A cart.
        5-5 Value Cart.limit
        6-6 Value Cart.size open
        7-7 Value Cart.shared open
        8-8 Function Cart.init open
        9-9 Function Cart.deinit open
        10-16 Function Cart.add open | Adds.
        17-17 Function Cart.subscript open
        18-18 Type Cart.State open
        18-18 Function Cart.State.f open
        20-20 Type Shape open
        20-20 Function Shape.area open
        20-20 Value Shape.n open
        21-21 Type Point open
        21-21 Value Point.x open
        21-21 Value Point.y open
        22-22 Impl extension Point open
        22-22 Function Point.dist open
        23-23 Type Suit open
        24-24 Type Points open
        25-25 Function top open
        26-26 Value TOP open
        27-27 Function testThing open
        28-28 Type A open
        import:1 System Foundation [*]
        import:2 Absolute Shop [*]
        Call: Cart:7 init:8 Item:12 save:14 helper:14 map:14 touch:14 compute:15
        Type: objc:4 Item:4 Base:4 Shape:4 Int:6 String:8 Int:8 discardableResult:11 Int:12 Int:17 Int:18 Double:20 Int:20 Hashable:21 Int:21 Int:21 Point:22 Int:22 String:23 Point:24 Int:25
        Import: 
        Other: items:6 count:6 name:8 name:13 x:14 $0:14 Total:15
        chunks: 1-2 3-19=Cart 20-28
    "#]],
    );
}

#[test]
fn scala() {
    check(
        "sample.scala",
        expect![[r#"
        Scala Some("com.example.shop")
        5-19 Type Cart open | A cart.
        8-8 Value Cart.items
        9-9 Value Cart.size open
        10-10 Type Cart.K open
        11-17 Function Cart.add open | Adds.
        18-18 Function Cart.abs open
        20-20 Type Cart open
        20-20 Function Cart.make open
        20-20 Value Cart.LIMIT open
        21-21 Type Shape open
        21-21 Function Shape.area open
        22-22 Type Suit open
        23-23 Function compare open
        24-24 Function twice open
        25-25 Function top open
        import:2 Absolute com.example.items.Item [Item]
        import:3 Absolute com.example.util.A [A]
        import:3 Absolute com.example.util.B [B C]
        import:3 Absolute com.example.util.* [*]
        import:4 System scala.collection.mutable.* [*]
        Call: List:8 Item:13 foreach:14 touch:14 helper:15 compute:16 Cart:20
        Type: deprecated:6 Item:7 String:7 Int:7 Base:7 Shape:7 Int:9 Int:10 Int:12 Int:18 Double:21 Ordering:23 Int:23 Int:23 String:24 String:24 Int:25
        Import: Item:2 A:3 B:3 C:3
        Other: name:13 items:14 total:16
        chunks: 1-4 5-19=Cart 20-25
    "#]],
    );
}

#[test]
fn lua() {
    check(
        "sample.lua",
        expect![[r#"
        Lua None
        1-1 Value json
        2-2 Value cart
        3-3 Value M
        4-4 Value LIMIT
        5-10 Function M.add open | Adds.
        11-11 Function M.go open
        12-12 Function inner
        13-13 Function top open
        14-14 Function M.other open
        15-15 Value M.Table open
        15-15 Function M.Table.f open
        import:1 Absolute json [json]
        import:2 Absolute shop.cart [cart]
        Call: helper:8 touch:9 total:9
        Type: 
        Import: json:1 cart:2
        Other: M:7 n:9 M:11 M:14 M:15 M:16
        chunks: 1-4 5-10=M.add 11-16
    "#]],
    );
}

/// The pieces of a file are whole lines, follow one another without gaps, and hold all of it.
fn cover(file: &str, text: &str, facts: &Facts) {
    if text.trim().is_empty() {
        assert!(facts.chunks.is_empty(), "{file} {text:?}");
        return;
    }
    let (mut line, mut at) = (1, 0);
    for it in &facts.chunks {
        assert_eq!((it.line, it.start_byte), (line, at), "{file} {text:?}");
        assert!(it.end >= it.line && it.end_byte > it.start_byte, "{file} {text:?}");
        (line, at) = (it.end + 1, it.end_byte);
    }
    assert_eq!(at as usize, text.len(), "{file} {text:?}");
    let count = facts.symbols.len();
    assert!(facts.chunks.iter().all(|it| it.symbol.is_none_or(|at| (at as usize) < count)));
    assert!(facts.references.iter().all(|it| it.within.is_none_or(|at| (at as usize) < count)));
    assert!(facts.symbols.iter().enumerate().all(|(at, it)| it.parent.is_none_or(|around| (around as usize) < at)));
}

#[test]
fn the_pieces_of_any_text_cover_it() {
    for (file, text) in crate::SAMPLES {
        cover(file, text, &ox_syntax::facts(file, text));
    }
    let pieces = [
        "{", "}", "(", ")", "\"", "/*", "*/", "é", "\r\n", "\n", "\n\n", "fn f", "class A", ":", "import ", "use a;",
        "#", "@", ";", "  ", "<script>", "</script", "<A", "def g", "end", "=", "x.y(", "...", "impl B",
    ];
    let mut state = 11_u64;
    for file in crate::SAMPLES.iter().map(|it| it.0).chain(["a.vue", "a.md", "a.txt", "Makefile"]) {
        for _ in 0..60 {
            let mut text = String::new();
            for _ in 0..60 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            cover(file, &text, &ox_syntax::facts(file, &text));
        }
    }
}

#[test]
fn long_things_are_cut_and_short_ones_gathered() {
    let chunks = |file: &str, text: &str| {
        let facts = ox_syntax::facts(file, text);
        cover(file, text, &facts);
        facts.chunks.iter().map(|it| it.end - it.line + 1).collect::<Vec<_>>()
    };
    let long = format!("fn long() {{\n{}}}\n", "    step();\n".repeat(200));
    let constants = "const A: u8 = 1;\n".repeat(30);
    let words = "A sentence.\nAnother.\n\n".repeat(100);
    assert!(chunks("a.rs", &long).iter().all(|it| (15..=80).contains(it)));
    assert_eq!(chunks("a.rs", &constants), [30]);
    assert!(chunks("a.md", &words).iter().all(|it| (15..=60).contains(it)));
    let wide = "x".repeat(20_000);
    assert_eq!(chunks("a.txt", &format!("{wide}\n{wide}\n")), [1, 1]);
}

#[test]
fn what_is_kept_of_a_file_is_bounded() {
    let calls: String = (0..6_000).map(|at| format!("f{at}();\n")).collect();
    let text = format!("fn main() {{\n{calls}}}\n");
    assert_eq!(ox_syntax::facts("a.rs", &text).references.len(), ox_syntax::MOST_REFERENCES);
    let imports: String = (0..3_000).map(|at| format!("import m{at}\n")).collect();
    assert_eq!(ox_syntax::facts("a.py", &imports).imports.len(), ox_syntax::MOST_IMPORTS);
    // What is too large for the parser still has its pieces.
    let large = "fn f() {}\n".repeat(200_000);
    let facts = ox_syntax::facts("a.rs", &large);
    assert!(facts.symbols.is_empty() && facts.chunks.len() > 1_000 && facts.language == "Rust");
}

#[test]
fn a_component_has_the_facts_of_its_script_in_its_own_places() {
    let text = "<template>\n  <Cart :items=\"all\" />\n</template>\n\n<script setup lang=\"ts\">\nimport Cart from './Cart.vue'\n\
                export function é(a: Array<Item>) { return load(a) }\n</script>\n";
    let facts = ox_syntax::facts("a.vue", text);
    let symbol = &facts.symbols[0];
    assert_eq!((facts.language, symbol.name.as_str(), symbol.line), ("Vue", "é", 7));
    assert!(text[symbol.start_byte as usize..].starts_with("export function é"));
    let shown: Vec<String> =
        facts.references.iter().map(|it| format!("{:?} {}:{}", it.kind, it.name, it.line)).collect();
    assert_eq!(shown, ["Call Cart:2", "Type Array:7", "Type Item:7", "Call load:7"]);
    assert_eq!(ox_syntax::check("a.vue", text), None);
    assert_eq!(ox_syntax::check("a.svelte", "<script>\nlet a = ;\n</script>\n").map(|it| it.line), Some(2));
    assert_eq!(ox_syntax::definitions("a.svelte", "<p>nothing</p>\n"), None);
}

#[test]
fn facts_survive_being_stored() {
    for (file, text) in crate::SAMPLES {
        let facts = ox_syntax::facts(file, text);
        let stored = serde_json::to_string(&facts).unwrap();
        assert_eq!(serde_json::from_str::<Facts>(&stored).unwrap(), facts, "{file}");
    }
}
