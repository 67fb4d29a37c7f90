//! Writer of a flame graph: an SVG for a browser, in which frames can be zoomed into and searched for.
//!
//! Waits are blue, work has warm colours.

use std::io::{self, Write};

use inferno::flamegraph::color::{Color, PaletteMap};
use inferno::flamegraph::{Options, from_lines};

use super::tree::Tree;
use super::{Clock, FrameName, Weighted};
use terminal::printable::Shown;

/// Frames narrower than one part in this number of the picture's width are left out: a screen can't show them.
const NARROWEST: u32 = 2000;

/// Text above the picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Title {
    /// Name of the program.
    pub program: String,
    /// Subtitle: kind of the time, and processes; empty: none.
    pub below: String,
}

/// Reason why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// No stack has any time.
    #[error("there is no sample to draw")]
    Empty,
    /// Writing failed.
    #[error(transparent)]
    Out(io::Error),
}

/// Draws the picture.
///
/// # Errors
/// If there is nothing to draw, and those of `out`.
pub fn write<'a>(
    out: &mut impl Write,
    title: &Title,
    stacks: impl IntoIterator<Item = Weighted<'a>>,
    clock: Clock,
) -> Result<(), Failed> {
    let mut states = PaletteMap::default();
    let stacks = stacks.into_iter().inspect(|stack| {
        for frame in stack.frames.iter().rev().take_while(|frame| frame.is_state()) {
            let name = &frame.function;
            if states.get(name).is_none() {
                states.insert(name, blue(frame));
            }
        }
    });
    let tree = Tree::of(stacks, clock);
    let total = tree.total_ns() / 1000;
    // Narrower frames are not drawn.
    let least = tree.total_ns() / u64::from(NARROWEST);
    let lines: Vec<String> = tree.lines(least).into_iter().map(|(stack, us)| format!("{stack} {us}")).collect();
    if lines.is_empty() {
        return Err(Failed::Empty);
    }
    let mut options = Options::default();
    options.min_width = 100.0 / f64::from(NARROWEST);
    options.title = title.program.shown().to_string();
    options.subtitle = Some(title.below.clone()).filter(|below| !below.is_empty());
    options.name_type = "Function:".to_owned();
    // Only whole numbers: in a long profile, microseconds are meaningless.
    (options.count_name, options.factor) =
        if total >= 1_000_000 { ("ms".to_owned(), 0.001) } else { ("us".to_owned(), 1.0) };
    // The same function has the same colour in each picture.
    options.hash = true;
    options.palette_map = Some(&mut states);
    from_lines(&mut options, lines.iter().map(String::as_str), out).map_err(Failed::Out)
}

/// A shade of blue for a state.
fn blue(frame: &FrameName) -> Color {
    let sum = frame.function.bytes().fold(0_u8, |sum, letter| sum.wrapping_mul(31).wrapping_add(letter));
    Color { r: 70 + sum % 50, g: 130 + sum % 60, b: 215 + sum % 40 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::out::tests::{frames, weighted};

    #[test]
    fn without_time_there_is_nothing_to_draw() {
        let main = frames(&["main"]);
        let mut out = Vec::new();
        let result = write(&mut out, &Title::default(), [weighted(&main, 300, 0)], Clock::Wall);
        assert!(matches!(result, Err(Failed::Empty)), "{result:?}");
        assert!(out.is_empty());
    }
}
