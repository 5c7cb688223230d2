//! From a page in HTML to the text that a person reads on it, as Markdown: without scripts, styles, menus and forms.

use std::rc::Rc;

use htmd::options::{BulletListMarker, Options};
use htmd::{HtmlToMarkdown, Node};
use markup5ever_rcdom::NodeData;

/// Bytes of a page that are read.
const MOST: usize = 2 << 20;
/// How deep elements may stand within one another: the conversion is recursive.
const DEEP: usize = 256;
/// How many elements may be open at once by a count of the tags alone: parsers look through all of them at every tag.
const OPEN: usize = 500;
/// Elements that have no end, or need none.
const ENDLESS: [&str; 27] = [
    "p", "li", "dt", "dd", "td", "th", "tr", "thead", "tbody", "tfoot", "option", "optgroup", "colgroup", "rt", "rp",
    "br", "img", "hr", "input", "meta", "link", "col", "source", "wbr", "area", "base", "embed",
];
/// Characters from which on a part of the page counts as its content.
const CONTENT: usize = 200;
/// What nobody reads.
const SKIPPED: [&str; 19] = [
    "head", "script", "style", "noscript", "template", "svg", "iframe", "object", "embed", "canvas", "nav", "footer",
    "aside", "button", "select", "input", "img", "video", "audio",
];

/// True where bytes without a name of their kind begin as a page does.
pub fn looks_like(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]).to_ascii_lowercase();
    let start = start.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// The title and the content.
pub fn readable(html: &str) -> String {
    let html = &html[..html.floor_char_boundary(html.len().min(MOST))];
    let options = Options {
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let converter =
        HtmlToMarkdown::builder().skip_tags(SKIPPED.to_vec()).options(options).scripting_enabled(false).build();
    if nests_deeply(html) {
        return tidy(&without_tags(html));
    }
    let Ok(tree) = converter.html_to_tree(html) else { return String::new() };
    let seen = Seen::of(&tree);
    let body = match seen.deep {
        true => text_of(&tree),
        false => converter.tree_to_markdown(seen.content.as_ref().unwrap_or(&tree)),
    };
    let body = tidy(&body);
    match seen.title.trim() {
        title if title.is_empty() || body.starts_with(&format!("# {title}")) => body,
        title => format!("# {title}\n\n{body}"),
    }
}

/// True where the tags alone say that more elements than usual stand within one another. Looks at each character once.
fn nests_deeply(html: &str) -> bool {
    let mut open = 0_usize;
    for piece in html.split('<').skip(1) {
        let ends = piece.starts_with('/');
        let name = piece.trim_start_matches('/');
        let name = &name[..name.find(|it: char| !it.is_ascii_alphanumeric()).unwrap_or(name.len())];
        if name.is_empty() || ENDLESS.iter().any(|it| it.eq_ignore_ascii_case(name)) {
            continue;
        }
        open = if ends { open.saturating_sub(1) } else { open + 1 };
        if open > OPEN {
            return true;
        }
    }
    false
}

/// What is left of a page without what stands in angle brackets.
fn without_tags(html: &str) -> String {
    let mut pieces = html.split('<');
    let mut out = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        out.push_str(piece.split_once('>').map_or("", |it| it.1));
        if !out.ends_with(char::is_whitespace) {
            out.push('\n');
        }
    }
    out
}

/// What one look over a page finds, without recursion: pages come from anybody.
#[derive(Default)]
struct Seen {
    title: String,
    /// The element that holds what the page is about, where it says so.
    content: Option<Rc<Node>>,
    deep: bool,
}

impl Seen {
    fn of(tree: &Rc<Node>) -> Seen {
        let mut seen = Seen::default();
        let (mut main, mut articles) = (None, Vec::new());
        let mut stack = vec![(tree.clone(), 0)];
        while let Some((node, depth)) = stack.pop() {
            seen.deep |= depth > DEEP;
            match tag(&node) {
                Some("title") if seen.title.is_empty() => seen.title = words(&node),
                Some("main") if main.is_none() => main = Some(node.clone()),
                Some("article") => articles.push(node.clone()),
                Some(_) if main.is_none() && is_main(&node) => main = Some(node.clone()),
                _ => {}
            }
            stack.extend(node.children.borrow().iter().rev().map(|it| (it.clone(), depth + 1)));
        }
        let article = if articles.len() == 1 { articles.pop() } else { None };
        seen.content = article.into_iter().chain(main).find(|it| words(it).len() >= CONTENT);
        seen
    }
}

/// The text of a part of the page with a line for each block, for a page that is too deep to be converted.
fn text_of(tree: &Rc<Node>) -> String {
    const BLOCKS: &str = "p div li tr br h1 h2 h3 h4 h5 h6 pre section article blockquote title";
    let mut out = String::new();
    let mut stack = vec![tree.clone()];
    while let Some(node) = stack.pop() {
        match (&node.data, tag(&node)) {
            (NodeData::Text { contents }, _) => out.push_str(&contents.borrow()),
            (_, Some(tag)) if SKIPPED.contains(&tag) => continue,
            (_, Some(tag)) if BLOCKS.split(' ').any(|it| it == tag) && !out.ends_with('\n') => out.push('\n'),
            _ => {}
        }
        stack.extend(node.children.borrow().iter().rev().cloned());
    }
    out
}

/// The words of an element on one line.
fn words(node: &Rc<Node>) -> String {
    text_of(node).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn tag(node: &Node) -> Option<&str> {
    match &node.data {
        NodeData::Element { name, .. } => Some(&name.local),
        _ => None,
    }
}

fn is_main(node: &Node) -> bool {
    let NodeData::Element { attrs, .. } = &node.data else { return false };
    attrs.borrow().iter().any(|it| &*it.name.local == "role" && &*it.value == "main")
}

/// No blanks at line ends, and one empty line at most between two others.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.trim().lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_page_is_read_as_a_person_reads_it() {
        let page = r#"<!doctype html><html><head><title> The  title </title><style>p { color: red }</style></head><body>
            <nav><a href="/">Home</a></nav><script>alert("x")</script>
            <h1>Heading</h1><p>Some <b>bold</b> text &amp; a <a href="/more">link</a>.</p>
            <ul><li>one</li><li>two</li></ul><ol><li>first</li></ol>
            <pre><code class="language-rust">fn main() {
    let x = 1;
}</code></pre>
            <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
            <img src="data:image/png;base64,AAAA"><form><input value="x"><button>Send</button></form>
            <footer>Imprint</footer></body></html>"#;
        expect![[r#"
            # The title

            # Heading

            Some **bold** text & a [link](/more).

            - one
            - two

            1. first

            ```rust
            fn main() {
                let x = 1;
            }
            ```

            | A | B |
            | - | - |
            | 1 | 2 |
        "#]]
        .assert_eq(&readable(page));
    }

    #[test]
    fn what_the_page_is_about_is_reported_from_what_is_around_it() {
        let long = "Real content. ".repeat(20);
        let around = |inner: &str| format!("<body><div>Around it</div>{inner}<div>More around</div></body>");
        for inner in [
            format!("<main><p>{long}</p></main>"),
            format!("<div role=main><p>{long}</p></div>"),
            format!("<article><p>{long}</p></article>"),
            format!("<main><div>Beside</div><article><p>{long}</p></article></main>"),
        ] {
            assert_eq!(readable(&around(&inner)).trim(), long.trim(), "{inner}");
        }
        let many = around(&format!("<article>{long}</article><article>{long}</article>"));
        assert!(readable(&many).contains("Around it"), "a list of articles is not one of them");
        assert!(readable(&around("<main>Short</main>")).contains("More around"));
    }

    #[test]
    fn a_page_of_any_depth_is_read_without_recursion() {
        for (open, close) in [("<div>", "</div>"), ("<b>", ""), ("<blockquote>", "</blockquote>"), ("<ul><li>", "")] {
            for times in [200, 400, 100_000] {
                let page = format!("{}deep{}", open.repeat(times), close.repeat(times));
                assert!(readable(&page).contains("deep"), "{times} {open}");
            }
        }
        assert!(readable(&"<p>x".repeat(20_000)).matches('x').count() == 20_000);
        let long = format!("<p>{}</p>", "word ".repeat(MOST));
        assert!(readable(&long).len() > MOST - 100, "cut, not refused");
        for broken in ["", "<", "<!--", "<html", "\0", "</p></div>", "<table><tr><td>"] {
            readable(broken);
        }
    }

    #[test]
    fn a_page_is_known_by_its_beginning() {
        assert!(looks_like(b" \n<!DOCTYPE html><p>") && looks_like("\u{feff}<HTML>".as_bytes()));
        assert!(!looks_like(b"{\"html\": 1}") && !looks_like(b""));
    }
}
