//! PDFs that are made here, whole and damaged.

use lopdf::content::{Content, Operation};
use lopdf::{Document, Object, Stream, StringFormat, dictionary};

use super::text;

fn op(operator: &str, operands: Vec<Object>) -> Operation {
    Operation::new(operator, operands)
}

/// In the encoding of Windows, as far as it is needed.
fn words(text: &str) -> Object {
    let byte = |it: char| if it == '—' { 0x97 } else { u8::try_from(it).unwrap() };
    Object::String(text.chars().map(byte).collect(), StringFormat::Literal)
}

/// A document with a page for each list of steps, its streams packed.
fn made(pages: Vec<Vec<Operation>>) -> Document {
    let mut document = Document::with_version("1.5");
    let parent = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let mut kids: Vec<Object> = Vec::new();
    for operations in pages {
        let mut stream = Stream::new(dictionary! {}, Content { operations }.encode().unwrap());
        stream.compress().unwrap();
        let contents = document.add_object(stream);
        let resources = dictionary! { "Font" => dictionary! { "F1" => font } };
        let page =
            dictionary! { "Type" => "Page", "Parent" => parent, "Contents" => contents, "Resources" => resources };
        kids.push(document.add_object(page).into());
    }
    let count = i64::try_from(kids.len()).unwrap();
    document.objects.insert(parent, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => parent });
    document.trailer.set("Root", catalog);
    document
}

fn bytes(mut document: Document) -> Vec<u8> {
    let mut out = Vec::new();
    document.save_to(&mut out).unwrap();
    out
}

fn guide() -> Vec<Vec<Operation>> {
    let font = |size: i64| op("Tf", vec!["F1".into(), size.into()]);
    let first = vec![
        op("BT", vec![]),
        font(20),
        op("Td", vec![72.into(), 700.into()]),
        op("Tj", vec![words("Deployment")]),
        font(10),
        op("TL", vec![12.into()]),
        op("Td", vec![0.into(), (-30).into()]),
        op(
            "TJ",
            vec![Object::Array(vec![words("Run the de"), 20.into(), words("ployer"), (-250).into(), words("tool.")])],
        ),
        op("'", vec![words("Then wait — 30 s.")]),
        op("T*", vec![]),
        op("Tj", vec![words("# not a heading")]),
        op("ET", vec![]),
    ];
    let second = vec![
        op("BT", vec![]),
        font(10),
        op("Tm", [1, 0, 0, 1, 72, 500].map(Object::from).to_vec()),
        op("Tj", vec![words("On the")]),
        op("Tm", [1, 0, 0, 1, 110, 500].map(Object::from).to_vec()),
        op("Tj", vec![words("next page.")]),
        op("ET", vec![]),
    ];
    vec![first, second]
}

#[test]
fn pages_lines_and_headings_become_markdown() {
    let found = text(&bytes(made(guide())));
    expect_test::expect![[r#"
        # Page 1

        ## Deployment
        Run the deployer tool.
        Then wait — 30 s.
        \# not a heading

        # Page 2

        On the next page.

    "#]]
    .assert_eq(&found);
}

#[test]
fn what_has_no_text_says_why() {
    let drawing = vec![vec![op("re", [1, 2, 3, 4].map(Object::from).to_vec()), op("f", vec![])]];
    let bomb = {
        let mut document = made(guide());
        let huge = Stream::new(dictionary! {}, vec![b' '; super::STREAM + 1]);
        let ids: Vec<_> = document.objects.iter().filter(|it| it.1.as_stream().is_ok()).map(|it| *it.0).collect();
        for id in ids {
            let mut stream = huge.clone();
            stream.compress().unwrap();
            document.objects.insert(id, stream.into());
        }
        bytes(document)
    };
    let deep = {
        let lists = "[".repeat(200_000);
        format!("%PDF-1.4\n1 0 obj\n{lists}\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n").into_bytes()
    };
    for (what, file, expected) in [
        ("a drawing", bytes(made(drawing)), "it has no text, only pictures or drawings"),
        ("a page that unfolds to too much", bomb, "it has no text"),
        ("lists in lists", deep, "cannot be read"),
        ("no PDF", b"hello".to_vec(), "cannot be read"),
        ("nothing", Vec::new(), "cannot be read"),
        ("too much", vec![0; super::LARGEST + 1], "more than 32 MiB"),
    ] {
        let found = text(&file);
        assert!(found.contains(expected), "{what}: {found}");
    }
}

#[test]
fn a_damaged_file_is_read_as_far_as_it_goes() {
    let whole = bytes(made(guide()));
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below.max(1) as u64).unwrap()
    };
    let rounds = if std::env::var_os("OX_EXTENDED").is_some() { 20_000 } else { 150 };
    let mut with_text = 0;
    for _ in 0..rounds {
        let mut file = whole.clone();
        for _ in 0..=random(6) {
            let at = random(file.len());
            match random(8) {
                0 => file.truncate(at.max(9)),
                1 => file.splice(at..at, b"[<<(".repeat(1 + random(300))).for_each(drop),
                2 => {
                    let end = (at + random(200)).min(file.len());
                    let piece = file[at..end].to_vec();
                    file.extend(piece);
                }
                3..=5 => file[at] = b"0123456789 R<>[]()/"[random(19)],
                _ => file[at] = u8::try_from(random(256)).unwrap(),
            }
        }
        // That it comes back, with words of one or the other kind, is what is tested.
        let found = text(&file);
        assert!(!found.is_empty());
        with_text += usize::from(found.starts_with("# Page"));
    }
    assert!(with_text > rounds / 10, "only {with_text} of {rounds} were read");
}
