//! A module.

use std::fmt;

/// A point.
///
/// Of two parts.
#[derive(Clone, Debug)]
#[serde(
    rename_all = "snake_case"
)]
pub struct Point<T> {
    /// The first.
    pub x: T,
    pub y: T,
}

pub struct Unit;

pub(crate) struct Pair(u8, u8);

/// What has an area.
pub trait Area: fmt::Debug {
    /// What it is counted in.
    type Unit;
    const SIDES: usize;

    fn area(&self) -> f64;

    /// Twice the area.
    fn twice(&self) -> f64 {
        2.0 * self.area()
    }
}

impl<T> Point<T> {
    pub const ORIGIN: u8 = 0;

    // It is cheap.
    #[inline]
    pub fn new(x: T, y: T) -> Self
    where
        T: Copy,
    {
        Self { x, y }
    }

    fn name(&self) -> &str { "point" }
} // end of Point

impl fmt::Display for Point<f64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn inner() -> u8 {
            1
        }
        write!(
            f,
            "a text
  of two lines {}",
            inner()
        )
    }
}

impl fmt::LowerHex for Point<f64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

macro_rules! twice {
    ($e:expr) => {
        $e + $e
    };
}

static COUNT: usize = 3; // how many
const _: () = ();
type Points = Vec<Point<f64>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {}
}
