//! The screen: whether there is one, its width and height, and whether it shows styles.

use std::env;
use std::io::IsTerminal;
use std::os::fd::AsFd;

use crate::page::Paper;
use clap::{Args, ValueEnum};

/// Width of a terminal that doesn't report it.
const USUAL: usize = 80;

/// Options about the screen.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Screen {
    /// Styled text: auto (on a terminal without NO_COLOR), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub color: When,
}

/// Condition for the use of styles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal that supports it, or with CLICOLOR_FORCE or FORCE_COLOR; not with NO_COLOR
    #[default]
    Auto,
    /// Even in files and pipes
    Always,
    /// Nowhere
    Never,
}

impl Screen {
    /// Properties of the page for text that is written to this destination. In files and pipes, lines are as long as
    /// they need to be, unless COLUMNS is set.
    pub fn paper(self, to: &(impl AsFd + IsTerminal)) -> Paper {
        let terminal = to.is_terminal();
        let colour = match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => !anstyle_query::no_color() && (forced() || terminal && anstyle_query::term_supports_color()),
        };
        let told = number(env::var("COLUMNS").ok());
        Paper { width: told.or_else(|| terminal.then(|| columns(to))), colour }
    }
}

/// True if the environment asks for styles in files and pipes (<https://bixense.com/clicolors>, <https://force-color.org>).
fn forced() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    is_set("CLICOLOR_FORCE") || is_set("FORCE_COLOR")
}

/// Number of lines that the terminal shows at a time. `None` if this is not a terminal, or if it doesn't report the
/// number.
pub fn height(of: &(impl AsFd + IsTerminal)) -> Option<usize> {
    if !of.is_terminal() {
        return None;
    }
    number(env::var("LINES").ok()).or_else(|| Some(size(of)?.1))
}

/// Width of a terminal.
pub fn columns(of: &impl AsFd) -> usize {
    size(of).map_or(USUAL, |(columns, _)| columns)
}

fn size(of: &impl AsFd) -> Option<(usize, usize)> {
    let (columns, lines) = terminal_size::terminal_size_of(of)?;
    (columns.0 > 0 && lines.0 > 0).then(|| (usize::from(columns.0), usize::from(lines.0)))
}

/// A number above 0.
fn number(text: Option<String>) -> Option<usize> {
    text?.trim().parse().ok().filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_is_a_number_above_0() {
        let told = ["120", " 60 ", "0", "", "wide", "-1"].map(|text| number(Some(text.to_owned())));
        assert_eq!(told, [Some(120), Some(60), None, None, None, None]);
        assert_eq!(number(None), None);
    }

    #[test]
    fn a_file_has_no_edge_and_no_styles_unless_asked() {
        let file = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(height(&file), None);
        assert!(!Screen { color: When::Auto }.paper(&file).colour);
        assert!(Screen { color: When::Always }.paper(&file).colour);
    }
}
