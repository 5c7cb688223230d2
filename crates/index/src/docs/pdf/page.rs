//! The lines of one page: its program is followed as far as it says where text stands (ISO 32000-1, 9.4), and nothing of it is
//! drawn. Words are told apart by gaps, lines by their height on the page.

use std::collections::BTreeMap;
use std::time::Instant;

use lopdf::content::Content;
use lopdf::{Dictionary, Document, Encoding, Object, ObjectId};
use unicode_normalization::UnicodeNormalization;

/// How deep forms may stand in forms.
const DEPTH: usize = 4;
/// Steps of one page's program that are followed.
const STEPS: usize = 1_000_000;
/// A step back within a run that is a space, in thousandths of the size.
const GAP: f32 = 180.0;
/// A gap between two runs that is a space, in sizes.
const SPACE: f32 = 0.12;

/// One line of text.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    pub text: String,
    /// In points, the largest of the line.
    pub size: f32,
}

/// A font as far as text needs it.
struct Font<'a> {
    encoding: Option<Encoding<'a>>,
    /// The code of the first width, and the widths in thousandths of the size; empty where the font does not tell.
    widths: (usize, Vec<f32>),
}

type Fonts<'a> = BTreeMap<Vec<u8>, Font<'a>>;

/// Where the next text goes.
#[derive(Clone, Copy)]
struct Place {
    /// The matrix of the line: scale across, and the two of height; then where it begins.
    line: [f32; 6],
    /// How far the text of this line has come from there, in points.
    along: f32,
    size: f32,
    leading: f32,
}

/// The reading of one page.
pub(super) struct Reading<'a> {
    document: &'a Document,
    until: Instant,
    most: usize,
    steps: usize,
    lines: Vec<Line>,
    /// The height of the last text, and where it ended if that is known.
    last: Option<(f32, Option<f32>)>,
}

impl<'a> Reading<'a> {
    /// A reading that ends at `until`; no stream unfolds to more than `most` bytes.
    pub(super) fn new(document: &'a Document, until: Instant, most: usize) -> Reading<'a> {
        Reading { document, until, most, steps: STEPS, lines: Vec::new(), last: None }
    }

    /// The lines of a page; what cannot be read is left out.
    pub(super) fn page(mut self, id: ObjectId) -> Vec<Line> {
        let fonts = self.document.get_page_fonts(id).unwrap_or_default();
        let fonts: Fonts<'a> = fonts.into_iter().map(|(name, it)| (name, self.font(it))).collect();
        let resources: Vec<&Dictionary> = match self.document.get_page_resources(id) {
            Ok((own, ids)) => {
                own.into_iter().chain(ids.iter().filter_map(|it| self.document.get_dictionary(*it).ok())).collect()
            }
            Err(_) => Vec::new(),
        };
        if let Ok(program) = self.document.get_page_content_with_limit(id, self.most) {
            self.run(&program, &fonts, &resources, DEPTH);
        }
        let kept = |it: &Line| it.text.chars().any(|it| !it.is_whitespace());
        self.lines.into_iter().filter(kept).collect()
    }

    fn font(&self, font: &'a Dictionary) -> Font<'a> {
        let number = |key: &[u8]| font.get_deref(key, self.document).ok();
        let first = number(b"FirstChar").and_then(|it| it.as_i64().ok()).and_then(|it| usize::try_from(it).ok());
        let widths = number(b"Widths").and_then(|it| it.as_array().ok());
        let width = |it: &Object| self.document.dereference(it).ok().and_then(|it| it.1.as_float().ok()).unwrap_or(0.0);
        let widths = widths.map(|it| it.iter().take(65_536).map(width).collect()).unwrap_or_default();
        let encoding = font.get_font_encoding_with_limit(self.document, self.most).ok();
        Font { encoding, widths: (first.unwrap_or(0), widths) }
    }

    fn run(&mut self, program: &[u8], fonts: &Fonts<'a>, resources: &[&'a Dictionary], depth: usize) {
        let Ok(program) = Content::decode(program) else { return };
        let mut place = Place { line: [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], along: 0.0, size: 1.0, leading: 0.0 };
        let mut font: Option<&Font<'a>> = None;
        for step in program.operations {
            if self.steps == 0 || self.steps.is_multiple_of(4_096) && Instant::now() > self.until {
                return;
            }
            self.steps -= 1;
            let of = &step.operands;
            match step.operator.as_str() {
                "Tf" => {
                    font = of.first().and_then(|it| it.as_name().ok()).and_then(|it| fonts.get(it));
                    place.size = number(of, 1).abs();
                }
                "TL" => place.leading = number(of, 0),
                "BT" => place.set([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
                "Tm" => place.set([0, 1, 2, 3, 4, 5].map(|at| number(of, at))),
                "Td" => place.step(number(of, 0), number(of, 1)),
                "TD" => {
                    place.leading = -number(of, 1);
                    place.step(number(of, 0), number(of, 1));
                }
                "T*" => place.step(0.0, -place.leading),
                "Tj" | "TJ" => self.show(of.first(), font, &mut place),
                "'" | "\"" => {
                    place.step(0.0, -place.leading);
                    self.show(of.last(), font, &mut place);
                }
                "Do" if depth > 0 => self.form(of.first(), fonts, resources, depth - 1),
                _ => {}
            }
        }
    }

    /// Text of a string, or of a list of strings with steps back and forth between them.
    fn show(&mut self, what: Option<&Object>, font: Option<&Font<'a>>, place: &mut Place) {
        let alone;
        let parts: &[Object] = match what {
            Some(Object::Array(parts)) => parts,
            Some(one) => {
                alone = [one.clone()];
                &alone
            }
            None => return,
        };
        self.begin(place);
        let mut known = true;
        for part in parts {
            if let Object::String(bytes, _) = part {
                let text =
                    font.and_then(|it| it.encoding.as_ref()).and_then(|it| Document::decode_text(it, bytes).ok());
                self.push(
                    &text
                        .unwrap_or_else(|| bytes.iter().filter(|it| it.is_ascii()).map(|it| char::from(*it)).collect()),
                );
                match font.and_then(|it| it.width(bytes)) {
                    Some(width) => place.along += width / 1_000.0 * place.size * place.line[0],
                    None => known = false,
                }
            } else if let Ok(back) = part.as_float() {
                place.along -= back / 1_000.0 * place.size * place.line[0];
                if back < -GAP {
                    self.push(" ");
                }
            }
        }
        self.last = Some((place.height(), known.then(|| place.line[4] + place.along)));
    }

    /// A new line, or a space, where the text goes on elsewhere.
    fn begin(&mut self, place: &Place) {
        let size = place.points();
        let here = place.line[4] + place.along;
        let same = self.last.is_some_and(|it| (it.0 - place.height()).abs() < size.max(1.0) * 0.4);
        match (self.lines.last_mut().filter(|_| same), self.last) {
            (Some(line), Some((_, end))) => {
                line.size = line.size.max(size);
                if place.along == 0.0 && end.is_none_or(|end| here - end > SPACE * size || here < end - size) {
                    self.push(" ");
                }
            }
            _ => self.lines.push(Line { text: String::new(), size }),
        }
    }

    fn push(&mut self, text: &str) {
        let Some(line) = self.lines.last_mut() else { return };
        for it in text.chars() {
            let it = if it.is_whitespace() || it.is_control() { ' ' } else { it };
            match it {
                // Letters that are set as one are apart again, so that words are found.
                '\u{FB00}'..='\u{FB04}' => line.text.extend(std::iter::once(it).nfkc()),
                ' ' if line.text.is_empty() || line.text.ends_with(' ') => {}
                _ => line.text.push(it),
            }
        }
    }

    /// What a page shows from a stream of its own.
    fn form(&mut self, name: Option<&Object>, fonts: &Fonts<'a>, resources: &[&'a Dictionary], depth: usize) {
        let document = self.document;
        let Some(name) = name.and_then(|it| it.as_name().ok()) else { return };
        let found = resources.iter().find_map(|it| {
            let all = it.get_deref(b"XObject", document).ok()?.as_dict().ok()?;
            all.get_deref(name, document).ok()?.as_stream().ok()
        });
        let Some(stream) = found.filter(|it| it.dict.get(b"Subtype").and_then(Object::as_name).ok() == Some(b"Form"))
        else {
            return;
        };
        let Ok(program) = stream.get_plain_content_with_limit(self.most) else { return };
        match stream.dict.get_deref(b"Resources", document).and_then(Object::as_dict) {
            Ok(own) => {
                let listed = own.get_deref(b"Font", document).and_then(Object::as_dict).ok();
                let each = listed.into_iter().flat_map(Dictionary::iter);
                let dictionary = |it: &'a Object| document.dereference(it).ok().and_then(|it| it.1.as_dict().ok());
                let own_fonts: Fonts<'a> =
                    each.filter_map(|(name, it)| Some((name.clone(), self.font(dictionary(it)?)))).collect();
                self.run(&program, &own_fonts, &[own], depth);
            }
            Err(_) => self.run(&program, fonts, resources, depth),
        }
    }
}

impl Place {
    fn set(&mut self, matrix: [f32; 6]) {
        (self.line, self.along) = (matrix, 0.0);
    }

    fn step(&mut self, x: f32, y: f32) {
        let [a, b, c, d, e, f] = self.line;
        self.set([a, b, c, d, e + x * a + y * c, f + x * b + y * d]);
    }

    fn height(&self) -> f32 {
        self.line[5]
    }

    /// The size of the letters on the page.
    fn points(&self) -> f32 {
        let [_, _, c, d, ..] = self.line;
        self.size * c.hypot(d)
    }
}

impl Font<'_> {
    /// How wide a text of single bytes is, in thousandths of the size; none where the font does not tell.
    fn width(&self, bytes: &[u8]) -> Option<f32> {
        let (first, widths) = &self.widths;
        let of = |it: &u8| usize::from(*it).checked_sub(*first).and_then(|at| widths.get(at)).copied();
        if widths.is_empty() { None } else { Some(bytes.iter().map(|it| of(it).unwrap_or(0.0)).sum()) }
    }
}

fn number(of: &[Object], at: usize) -> f32 {
    of.get(at).and_then(|it| it.as_float().ok()).filter(|it| it.is_finite()).unwrap_or(0.0)
}
