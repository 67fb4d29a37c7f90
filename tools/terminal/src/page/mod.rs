//! Text for people, kept as headings, paragraphs and tables until the width of the screen is known.
//!
//! Without a width, each paragraph is one line, and tables have all columns: this form is for files and pipes. Text
//! from outside is escaped when it is added.

mod distinct;
mod elide;
mod table;

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use crate::printable::Shown;
pub use elide::{elide, width};
pub use table::{Column, Table};

/// Maximum width of a paragraph: longer lines are hard to read.
const LONGEST: usize = 110;
/// Minimum width of a screen that the layout supports.
const NARROWEST: usize = 30;
/// Maximum number of lines of a heading, which may contain a whole command line.
const HEADING_LINES: usize = 3;

/// Properties of the place where a page goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paper {
    /// Number of columns. `None` if lines may have any length.
    pub width: Option<usize>,
    /// True if styles are shown.
    pub colour: bool,
}

/// Importance of a paragraph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Plain text.
    #[default]
    Plain,
    /// A caveat: its first word is bold.
    Note,
    /// A recommendation: yellow.
    Finding,
}

/// A page: blocks from top to bottom.
#[derive(Clone, Debug, Default)]
pub struct Page(Vec<Block>);

#[derive(Clone, Debug)]
enum Block {
    Blank,
    Heading(String),
    /// A paragraph: the start of the first line, the indentation of the other lines, and the text.
    Paragraph(String, usize, String, Tone),
    Table(Table),
}

impl Page {
    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.0.push(Block::Blank);
    }

    /// Adds a bold line, one column from the edge, followed by an empty line.
    pub fn heading(&mut self, text: &str) {
        self.0.push(Block::Heading(text.shown().to_string()));
        self.blank();
    }

    /// Adds a paragraph, indented by this number of columns. Its other lines start two columns further right.
    pub fn text(&mut self, indent: usize, text: &str) {
        self.paragraph(indent, "", text, Tone::Plain);
    }

    /// Adds a paragraph with a label; its other lines start in the column after the label.
    pub fn paragraph(&mut self, indent: usize, label: &str, text: &str, tone: Tone) {
        let label = label.shown();
        let first = format!("{:indent$}{label}", "");
        let hang = if tone == Tone::Plain && label.to_string().is_empty() { indent + 2 } else { width(&first) };
        self.0.push(Block::Paragraph(first, hang, text.shown().to_string(), tone));
    }

    /// Adds a name in a column of its own, with text beside it.
    pub fn field(&mut self, indent: usize, name: &str, columns: usize, text: &str) {
        self.paragraph(indent, &format!("{:<columns$}", name.shown()), text, Tone::Plain);
    }

    /// Adds a line of a drawing, such as a tree: `text` continues on the right of the drawing.
    pub fn drawn(&mut self, drawing: &str, text: &str) {
        let first = drawing.shown().to_string();
        let hang = width(&first) + 2;
        self.0.push(Block::Paragraph(first, hang, text.shown().to_string(), Tone::Plain));
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.0.push(Block::Table(table));
    }

    /// Adds all blocks of another page.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Lays the page out.
    pub fn render(&self, paper: Paper) -> String {
        let paper = Paper { width: paper.width.map(|width| width.max(NARROWEST)), ..paper };
        let mut out = String::new();
        for block in &self.0 {
            match block {
                Block::Blank => out.push('\n'),
                Block::Heading(text) => heading(&mut out, text, paper),
                Block::Paragraph(first, hang, text, tone) => paragraph(&mut out, (first, *hang), text, *tone, paper),
                Block::Table(table) => table.render(&mut out, paper),
            }
        }
        out
    }
}

fn heading(out: &mut String, text: &str, paper: Paper) {
    let text = match paper.width {
        Some(width) => Cow::Owned(elide(text, width.saturating_sub(2) * HEADING_LINES - HEADING_LINES)),
        None => Cow::Borrowed(text),
    };
    for line in lines(" ", 2, &text, paper.width) {
        put(out, &line, 1, BOLD, paper);
    }
}

fn paragraph(out: &mut String, (first, hang): (&str, usize), text: &str, tone: Tone, paper: Paper) {
    let lines = lines(first, hang, text, paper.width.map(|width| width.min(LONGEST)));
    for (number, line) in lines.iter().enumerate() {
        match tone {
            Tone::Note if number == 0 && paper.colour => match line.strip_prefix(first) {
                Some(rest) => {
                    let (indent, label) = first.split_at(first.len() - first.trim_start().len());
                    let text = format!("{indent}{}{rest}", paint(label, BOLD));
                    put(out, &text, 0, Style::new(), paper);
                }
                None => put(out, line, 0, Style::new(), paper),
            },
            Tone::Plain | Tone::Note => put(out, line, 0, Style::new(), paper),
            Tone::Finding => put(out, line, line.len() - line.trim_start().len(), FINDING, paper),
        }
    }
}

const BOLD: Style = Style::new().bold();
const FINDING: Style = AnsiColor::Yellow.on_default();

/// Appends a line whose first `plain` bytes are not styled.
fn put(out: &mut String, line: &str, plain: usize, style: Style, paper: Paper) {
    let line = line.trim_end();
    let (before, text) = line.split_at(plain.min(line.len()));
    out.push_str(before);
    if paper.colour && style != Style::new() && !text.is_empty() {
        out.push_str(&paint(text, style));
    } else {
        out.push_str(text);
    }
    out.push('\n');
}

fn paint(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

/// Splits a paragraph into lines.
fn lines(first: &str, hang: usize, text: &str, columns: Option<usize>) -> Vec<String> {
    let Some(columns) = columns else { return vec![format!("{first}{text}")] };
    // A prefix may take at most half of the line: the rest is for the text.
    let most = columns / 2 + 1;
    let spared = format!("{} ", first.trim_end());
    let first = if width(first) <= most { first } else { elide::last(&spared, most) };
    let hang = " ".repeat(hang.min(most));
    let options = Options::new(columns)
        .initial_indent(first)
        .subsequent_indent(&hang)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .break_words(true);
    textwrap::wrap(&with_units_kept(text), options).into_iter().map(|line| line.replace(NO_BREAK, " ")).collect()
}

/// No-break space: lines are not broken there. In text from outside it is replaced by a plain space.
const NO_BREAK: char = '\u{a0}';
const UNITS: [&str; 18] =
    ["%", "s", "ms", "us", "ns", "min", "h", "B", "bytes", "kB", "MB", "GB", "KiB", "MiB", "GiB", "Hz", "MHz", "times"];
/// Punctuation that may follow a unit.
const AFTER_UNIT: [char; 9] = [',', ';', '.', ':', ')', ']', '?', '!', '\''];

/// Joins figures with their units by no-break spaces.
fn with_units_kept(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for (number, word) in text.split(' ').enumerate() {
        let is_unit = UNITS.contains(&word.trim_end_matches(AFTER_UNIT));
        let follows = kept.ends_with(|c: char| c.is_ascii_digit());
        match number {
            0 => {}
            _ if is_unit && follows => kept.push(NO_BREAK),
            _ => kept.push(' '),
        }
        kept += word;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Page {
        let mut page = Page::default();
        page.heading("OpenMP statistics for './a b'");
        page.field(3, "surroundings", 18, &"OMP_PLACES=cores ".repeat(12));
        page.paragraph(3, "Note: ", &format!("{} and a very long {}", "word ".repeat(20), "x".repeat(200)), Tone::Note);
        page.paragraph(3, "- ", &"use fewer threads ".repeat(9), Tone::Finding);
        page.drawn(&"|  ".repeat(40), "a task at a.c:1, waited 2 ms");
        page
    }

    #[test]
    fn no_line_is_longer_than_the_paper_and_no_word_is_lost() {
        let whole = sample().render(Paper::default());
        assert_eq!(whole.lines().count(), 6, "{whole}");
        for columns in [30, 60, 80, 160] {
            let narrow = sample().render(Paper { width: Some(columns), colour: false });
            assert!(narrow.lines().all(|line| width(line) <= columns), "{columns}: {narrow}");
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
            assert_eq!(letters(&narrow), letters(&whole), "{columns}: {narrow}");
        }
    }

    #[test]
    fn a_table_leaves_columns_out_before_it_shortens_names_beyond_recognition() {
        let figures = |head: &str, spare| Column::figure(head, 12).spare(spare);
        let columns = vec![
            Column::figure("count", 9),
            figures("mean", 2),
            figures("longest", 3),
            figures("work", 1),
            Column::name_within("thread", 14),
            Column::name("region"),
        ];
        let mut table = Table::new(3, columns);
        for function in ["get_blur", "get_warp", "get_median"] {
            let region =
                format!("cimg_library::CImg<float>::{function}(float, float, bool, unsigned int) [clone ._omp_fn.0]");
            let cells = ["12", "1.234 ms", "56.789 ms", "1234.567 ms", "0 initial", &region];
            table.row(cells.map(str::to_owned));
        }
        let mut page = Page::default();
        page.table(table);
        for columns in [60, 80, 100] {
            let text = page.render(Paper { width: Some(columns), colour: false });
            assert!(text.lines().all(|line| width(line) <= columns), "{columns}: {text}");
            assert!(columns > 60 || text.contains("No room for: mean, longest\n"), "{text}");
            assert!(
                ["0 initial", "blur", "warp", "median"].iter().all(|name| text.contains(name)),
                "{columns}: {text}"
            );
        }
    }

    #[test]
    fn figures_stand_beside_their_units() {
        let mut page = Page::default();
        page.text(0, "of 12.5 % (and 3 ms, 4 s) a % of it");
        let lines = |columns| page.render(Paper { width: Some(columns), colour: false });
        // A word that is longer than a line is broken anywhere.
        for columns in 30..40 {
            let text = lines(columns);
            let mut starts = text.lines().map(|line| line.trim_start().split(' ').next().unwrap_or_default());
            assert!(!starts.any(|word| ["%", "ms,", "s)"].contains(&word)), "{columns}: {text}");
            assert!(!text.contains('\u{a0}'));
        }
        assert_eq!(with_units_kept("of  12.5 % 7 sheep"), "of  12.5\u{a0}% 7 sheep");
    }

    #[test]
    fn no_unit_begins_a_line_however_text_is_wrapped() {
        let mut seed = 7_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for round in 0..300 {
            let value = |random: &mut dyn FnMut(usize) -> usize| {
                let (open, close) = [("", ""), ("(", ")"), ("", ","), ("[", "],"), ("'", "'"), ("", ".")][random(6)];
                format!("{open}{}.{} {}{close}", random(1000), random(1000), UNITS[random(UNITS.len())])
            };
            let words = ["of", "the", "threads'", "time", "at", "region.c:17", "barrier"];
            let text: Vec<String> = (0..40)
                .map(|_| if random(3) == 0 { value(&mut random) } else { words[random(words.len())].to_owned() })
                .collect();
            let mut page = Page::default();
            match round % 4 {
                0 => page.text(random(9), &text.join(" ")),
                1 => page.paragraph(3, "Finding: ", &text.join(" "), Tone::Finding),
                2 => page.field(3, "surroundings", 18, &text.join(" ")),
                _ => page.heading(&text[..9].join(" ")),
            }
            for columns in [30, 31 + random(80), 80, 100] {
                let shown = page.render(Paper { width: Some(columns), colour: false });
                let lines: Vec<&str> = shown.lines().map(str::trim).collect();
                let is_torn = |pair: &[&str]| {
                    let first = pair[1].split(' ').next().unwrap_or_default();
                    pair[0].ends_with(|c: char| c.is_ascii_digit())
                        && UNITS.contains(&first.trim_end_matches(AFTER_UNIT))
                };
                assert!(!lines.windows(2).any(is_torn), "{columns}: {shown}");
                assert!(lines.iter().all(|line| width(line) <= columns), "{columns}: {shown}");
            }
        }
    }

    #[test]
    fn styles_stand_around_text_only_and_only_on_demand() {
        let plain = sample().render(Paper { width: Some(60), colour: false });
        assert!(!plain.contains('\x1b'));
        let styled = sample().render(Paper { width: Some(60), colour: true });
        assert!(styled.contains(" \x1b[1mOpenMP statistics") && styled.contains("\x1b[33m- use"), "{styled:?}");
        let mut bare = styled;
        for code in ["\x1b[0m", "\x1b[1m", "\x1b[33m"] {
            bare = bare.replace(code, "");
        }
        assert_eq!(bare, plain);
    }

    #[test]
    fn text_from_outside_is_escaped() {
        let mut page = Page::default();
        page.heading("a\nb\x1b[2J");
        page.text(3, "c\nd");
        assert_eq!(page.render(Paper { width: None, colour: true }), " \x1b[1ma\\nb\\x1b[2J\x1b[0m\n\n   c\\nd\n");
    }
}
