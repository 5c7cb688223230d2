//! The colours of a dark terminal, by the names and numbers that programs choose them by.

use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::vte::ansi::{Color, NamedColor};

use super::rows::Look;

/// Red, green and blue.
type Shade = [u8; 3];

pub const BACK: Shade = [0x16, 0x18, 0x1d];
pub const FORE: Shade = [0xd7, 0xda, 0xe0];
/// The eight colours, and their bright forms.
const NAMED: [Shade; 16] = [
    [0x3b, 0x40, 0x48],
    [0xe0, 0x6c, 0x75],
    [0x98, 0xc3, 0x79],
    [0xe5, 0xc0, 0x7b],
    [0x61, 0xaf, 0xef],
    [0xc6, 0x78, 0xdd],
    [0x56, 0xb6, 0xc2],
    [0xab, 0xb2, 0xbf],
    [0x7f, 0x84, 0x8e],
    [0xf0, 0x80, 0x88],
    [0xb0, 0xd8, 0x92],
    [0xf2, 0xd4, 0x9a],
    [0x86, 0xc4, 0xf7],
    [0xd8, 0x9a, 0xea],
    [0x78, 0xcf, 0xda],
    [0xff, 0xff, 0xff],
];
/// How much of a faint colour is left before the background.
const FAINT: f64 = 0.62;

pub fn css(shade: Shade) -> String {
    let [red, green, blue] = shade;
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The colour of the text.
pub fn fore(look: &Look) -> Shade {
    let shade = shade(look.fore);
    match look.flags.contains(Flags::DIM) {
        true => std::array::from_fn(|at| mixed(shade[at], BACK[at])),
        false => shade,
    }
}

/// The colour behind the text, where it is not that of the terminal.
pub fn back(look: &Look) -> Option<Shade> {
    Some(shade(look.back)).filter(|it| *it != BACK)
}

fn mixed(from: u8, to: u8) -> u8 {
    (f64::from(from) * FAINT + f64::from(to) * (1.0 - FAINT)).round() as u8
}

fn shade(color: Color) -> Shade {
    match color {
        Color::Spec(rgb) => [rgb.r, rgb.g, rgb.b],
        Color::Named(NamedColor::Background) => BACK,
        Color::Named(name) => NAMED.get(name as usize).copied().unwrap_or(FORE),
        Color::Indexed(index @ 0..16) => NAMED[usize::from(index)],
        // A cube of six steps to a side, then greys.
        Color::Indexed(index @ 16..232) => [36, 6, 1].map(|side| match (index - 16) / side % 6 {
            0 => 0,
            step => 55 + step * 40,
        }),
        Color::Indexed(index) => [8 + (index - 232) * 10; 3],
    }
}

#[test]
fn numbers_are_the_colours_that_every_terminal_has() {
    for (index, expected) in [(22, "#005f00"), (52, "#5f0000"), (176, "#d787d7"), (246, "#949494"), (231, "#ffffff")] {
        assert_eq!(css(shade(Color::Indexed(index))), expected);
    }
}
