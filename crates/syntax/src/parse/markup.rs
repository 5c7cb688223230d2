//! Style sheets and pages. Browsers read anything, so only what nobody writes on purpose is a fault: what is opened and never
//! closed, and what is closed and was never opened. Templates are read by another program first and have none.

/// What shows that another program makes the page or the sheet of a text.
const TEMPLATES: [&str; 7] = ["{{", "{%", "<%", "<?", "{#", "${", "@{"];
/// Elements that have no end.
const VOID: &str = "area base br col embed hr img input link meta param source track wbr";
/// Elements whose end, or whose beginning, may be left out.
const OPTIONAL: &str = "html head body p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption rp rt";
/// Elements whose insides are text.
const RAW: [&str; 4] = ["script", "style", "textarea", "title"];

/// True where a text is made into another one before anybody reads it as what it seems to be.
pub(super) fn is_template(path: &str, text: &str) -> bool {
    // In workflows `${{ … }}` stands within values, and the text around it is read as it is.
    let is_yaml = path.ends_with(".yaml") || path.ends_with(".yml");
    let own = if is_yaml { text.replace("${", "") } else { String::new() };
    let text = if is_yaml { own.as_str() } else { text };
    TEMPLATES.iter().any(|it| text.contains(it))
}

/// The byte of a style sheet at which something is not closed, or closed too often.
pub(super) fn css(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut open) = (0, Vec::new());
    while at < bytes.len() {
        let rest = &bytes[at..];
        at += match rest {
            [b'/', b'*', ..] => match text[at + 2..].find("*/") {
                Some(end) => end + 4,
                None => return Some(at),
            },
            [quote @ (b'"' | b'\''), ..] => match string(rest, *quote) {
                Some(length) => length,
                None => return Some(at),
            },
            // An address without quotes may have any of these marks in it.
            [b'u' | b'U', ..] if text[at..].get(..4).is_some_and(|it| it.eq_ignore_ascii_case("url(")) => {
                let inner = text[at + 4..].trim_start();
                match text[at..].find(')') {
                    Some(end) if !inner.starts_with(['"', '\'']) => end + 1,
                    _ => 1,
                }
            }
            [b'\\', _, ..] => 2,
            [b'{', ..] => {
                open.push(at);
                1
            }
            [b'}', ..] => {
                if open.pop().is_none() {
                    return Some(at);
                }
                1
            }
            _ => 1,
        };
    }
    open.first().copied()
}

/// The length of the string that a text begins with; none where its line ends first.
fn string(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'\n' => return None,
            it if it == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// The byte of a page at which something is not closed, or closed and was never open.
pub(super) fn html(text: &str) -> Option<usize> {
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|it| at + it) {
        let rest = &text[start..];
        if rest.starts_with("<!--") {
            let Some(end) = rest.find("-->") else { return Some(start) };
            at = start + (end + 3).max(4);
            continue;
        }
        let is_end = rest.starts_with("</");
        let name = name(&rest[if is_end { 2 } else { 1 }..]);
        if name.is_empty() {
            at = start + 1;
            continue;
        }
        let Some(length) = tag(rest) else { return Some(start) };
        at = start + length;
        if is_end {
            match open.iter().rposition(|it| it.0 == name) {
                Some(found) => open.truncate(found),
                None if is_any(VOID, &name) || is_any(OPTIONAL, &name) => {}
                None => return Some(start),
            }
        } else if RAW.contains(&name.as_str()) {
            let end = text[at..].to_ascii_lowercase().find(&format!("</{name}"));
            let Some(end) = end else { return Some(start) };
            at += end + text[at + end..].find('>').map_or(0, |it| it + 1);
        } else if !is_any(VOID, &name) && !rest[..length].ends_with("/>") {
            open.push((name, start));
        }
    }
    // What is around what was left open is closed with it, so that only a whole page tells that something is missing.
    open.iter().find(|it| !is_any(OPTIONAL, &it.0)).map(|it| it.1)
}

fn is_any(words: &str, name: &str) -> bool {
    words.split(' ').any(|it| it == name)
}

/// The name of an element, in lower case.
fn name(text: &str) -> String {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | ':'))).unwrap_or(text.len());
    let name = &text[..end];
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name.to_ascii_lowercase() } else { String::new() }
}

/// The length of the tag that a text begins with; none where it does not end.
fn tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at + 1),
            // A quote begins a value only behind its sign.
            (None, '"' | '\'') if text[..at].trim_end().ends_with('=') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_closed_is_a_fault_and_what_browsers_allow_is_none() {
        let sheets = [
            ("a { color: red }\n@media print { b { x: \"}\" } /* } */ }", true),
            ("a { background: url(data:image/png;base64,a'b) }", true),
            ("a::before { content: '\\'{' }", true),
            ("a { color: red", false),
            ("a { color: red }}", false),
            ("a { } /* open", false),
        ];
        for (text, expected) in sheets {
            assert_eq!(css(text).is_none(), expected, "{text}");
        }
        let pages = [
            ("<!doctype html><html><head><title>a < b</title><body><p>one<p>two<br><ul><li>x<li>y</ul>", true),
            ("<div><img src=\"a>b\"><input disabled><my-part/></div>", true),
            ("<script>if (a < b) { x = \"</div>\" }</script>", true),
            ("<svg><path d='M0'/></svg> 1 < 2 and a <b> c</b>", true),
            ("<!-- <div> --><p>it's</p>", true),
            ("<div><span>a</div>", true),
            ("<div><p>one", false),
            ("<div>one</div></div>", false),
            ("<div class=\"a>one</div>", false),
            ("<script>let a = 1;", false),
        ];
        for (text, expected) in pages {
            assert_eq!(html(text).is_none(), expected, "{text}");
        }
    }
}
