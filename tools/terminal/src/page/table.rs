//! A table that adapts to the width in steps: wide columns, narrow ones, shortened names, and fewer columns.

use std::collections::HashMap;

use anstyle::Style;

use super::distinct::distinct;
use super::{BOLD, Paper, put, width};
use crate::printable::Shown;

/// Gap between narrow columns.
const GAP: usize = 2;
/// Gap between figures and a name.
const NAME_GAP: usize = 3;
/// Columns are left out before names become shorter than this fraction of the table, and than this width.
const NAME_SHARE: usize = 2;
const SHORT_NAME: usize = 24;
/// Figures are left out before a name gets shorter than this.
const SHORTEST_NAME: usize = 8;

/// One column.
#[derive(Clone, Debug)]
pub struct Column {
    head: String,
    /// Name in the list of columns that are left out.
    full_name: Option<&'static str>,
    /// Width in a table with enough space, including the gap before a figure.
    width: usize,
    kind: Kind,
    /// Order in which columns are left out, the highest first; 0: never.
    spare: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Right-aligned.
    Figure,
    /// Text, left-aligned and never shortened.
    Label,
    /// Name, left-aligned and shortened if space is short.
    Name,
}

#[derive(Clone, Debug)]
enum Row {
    Blank,
    Cells(Vec<String>, String),
}

/// The table: rows of cells.
#[derive(Clone, Debug)]
pub struct Table {
    indent: usize,
    columns: Vec<Column>,
    rows: Vec<Row>,
    headless: bool,
}

impl Column {
    /// A column of right-aligned figures.
    pub fn figure(head: impl Into<String>, width: usize) -> Self {
        Self { head: head.into().shown().to_string(), full_name: None, width, kind: Kind::Figure, spare: 0 }
    }

    /// A column of short left-aligned text.
    pub fn label(head: impl Into<String>, width: usize) -> Self {
        Self { kind: Kind::Label, ..Self::figure(head, width) }
    }

    /// A column of text of any length.
    pub fn name(head: impl Into<String>) -> Self {
        Self { kind: Kind::Name, ..Self::figure(head, 0) }
    }

    /// A column of names that is followed by others, which start `width` columns further right if there is enough
    /// space.
    pub fn name_within(head: impl Into<String>, width: usize) -> Self {
        Self { kind: Kind::Name, ..Self::figure(head, width) }
    }

    /// Sets the name of a column whose heading can't be understood without its neighbours.
    #[must_use]
    pub fn full_name(mut self, name: &'static str) -> Self {
        self.full_name = Some(name);
        self
    }

    /// Allows the column to be left out if space is short, the highest `order` first.
    #[must_use]
    pub fn spare(mut self, order: u32) -> Self {
        self.spare = order;
        self
    }
}

/// The columns that are shown, and their widths.
struct Layout {
    /// Width by column; `None` if the column is left out.
    widths: Vec<Option<usize>>,
    name_gap: usize,
    /// Maximum width of names.
    limit: Option<usize>,
}

impl Table {
    /// Creates a table that is indented by this number of columns.
    pub fn new(indent: usize, columns: Vec<Column>) -> Self {
        Self { indent, columns, rows: Vec::new(), headless: false }
    }

    /// Omits the line of column headings.
    #[must_use]
    pub fn headless(mut self) -> Self {
        self.headless = true;
        self
    }

    /// Appends a row. Cells may be missing at its end.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.remark(cells, "");
    }

    /// Appends a row that ends in a remark, if there is space for it.
    pub fn remark(&mut self, cells: impl IntoIterator<Item = String>, remark: &str) {
        let cells = cells.into_iter().map(|cell| cell.shown().to_string()).collect();
        self.rows.push(Row::Cells(cells, remark.shown().to_string()));
    }

    /// Appends an empty line.
    pub fn blank(&mut self) {
        self.rows.push(Row::Blank);
    }

    pub(super) fn render(&self, out: &mut String, paper: Paper) {
        let layout = self.layout(paper.width);
        let names = self.names(&layout);
        if !self.headless {
            let heads: Vec<&str> = self.columns.iter().map(|column| column.head.as_str()).collect();
            put(out, &self.line(&layout, &heads, ""), self.indent, BOLD, paper);
        }
        for (at, row) in self.rows.iter().enumerate() {
            match row {
                Row::Blank => out.push('\n'),
                Row::Cells(cells, remark) => {
                    let shown = |(column, cell)| names.get(&(at, column)).map_or(cell, String::as_str);
                    let cells: Vec<&str> = cells.iter().map(String::as_str).enumerate().map(shown).collect();
                    put(out, &self.line(&layout, &cells, remark), 0, Style::new(), paper);
                }
            }
        }
        let missing = self.columns.iter().zip(&layout.widths).filter(|(_, width)| width.is_none());
        let missing: Vec<&str> = missing.map(|(column, _)| column.full_name.unwrap_or(column.head.trim())).collect();
        if !missing.is_empty() {
            let text = format!("No room for: {}", missing.join(", "));
            for line in super::lines(&" ".repeat(self.indent), self.indent + 2, &text, paper.width) {
                put(out, &line, 0, Style::new(), paper);
            }
        }
    }

    /// The names that are too long for their columns, shortened, by row and column.
    fn names(&self, layout: &Layout) -> HashMap<(usize, usize), String> {
        let mut names = HashMap::new();
        if layout.limit.is_none() {
            return names;
        }
        let of_names = self.columns.iter().zip(&layout.widths).enumerate();
        let of_names = of_names.filter(|(_, (column, _))| column.kind == Kind::Name);
        for (at, columns) in of_names.filter_map(|(at, (_, columns))| Some((at, (*columns)?))) {
            let mut places = Vec::new();
            let mut texts = Vec::new();
            for (row, cells) in self.rows.iter().enumerate() {
                let Row::Cells(cells, _) = cells else { continue };
                let Some(name) = cells.get(at) else { continue };
                let text = name.trim_start_matches(' ');
                let indent = indent(name.len() - text.len(), width(text), columns);
                places.push((row, indent));
                texts.push((text, columns - indent));
            }
            for ((row, indent), text) in places.into_iter().zip(distinct(&texts)) {
                names.insert((row, at), format!("{:indent$}{text}", ""));
            }
        }
        names
    }

    /// Width of each column's widest cell.
    fn content(&self) -> Vec<usize> {
        let heads = self.columns.iter().map(|column| if self.headless { 0 } else { width(&column.head) });
        let mut widest: Vec<usize> = heads.collect();
        for row in &self.rows {
            if let Row::Cells(cells, _) = row {
                widest.iter_mut().zip(cells).for_each(|(most, cell)| *most = width(cell).max(*most));
            }
        }
        widest
    }

    fn layout(&self, paper: Option<usize>) -> Layout {
        let content = self.content();
        let wide = (0..).zip(self.columns.iter().zip(&content)).map(|(at, (column, content))| match column.kind {
            Kind::Name if column.width == 0 => Some(*content),
            // Figures that are longer than expected keep their distance.
            Kind::Figure if at > 0 => Some(column.width.max(content + GAP)),
            _ => Some(column.width),
        });
        let wide = Layout { widths: wide.collect(), name_gap: NAME_GAP, limit: None };
        let Some(paper) = paper else { return wide };
        let fits = self.rows.iter().all(|row| match row {
            Row::Blank => true,
            Row::Cells(cells, remark) => {
                let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
                width(self.line(&wide, &cells, remark).trim_end()) <= paper
            }
        });
        let heads: Vec<&str> = self.columns.iter().map(|column| column.head.as_str()).collect();
        if fits && (self.headless || width(self.line(&wide, &heads, "").trim_end()) <= paper) {
            return wide;
        }
        self.narrow(&content, paper)
    }

    fn narrow(&self, content: &[usize], paper: usize) -> Layout {
        let mut widths: Vec<Option<usize>> = Vec::new();
        for (column, content) in self.columns.iter().zip(content) {
            let gap = if column.kind == Kind::Figure && !widths.is_empty() { GAP } else { 0 };
            widths.push(Some(content + gap));
        }
        let names: Vec<usize> =
            (0..).zip(&self.columns).filter(|(_, it)| it.kind == Kind::Name).map(|(at, _)| at).collect();
        let longest: Vec<usize> = names.iter().filter_map(|at| content.get(*at).copied()).collect();
        let least = longest.iter().sum::<usize>().min(SHORT_NAME.max(paper / NAME_SHARE));
        let gaps = GAP * names.iter().filter(|at| **at > 0).count();
        loop {
            let others = widths.iter().enumerate().filter(|(at, _)| !names.contains(at));
            let others = self.indent + gaps + others.filter_map(|(_, width)| *width).sum::<usize>();
            let spare = self
                .columns
                .iter()
                .enumerate()
                .filter(|(at, column)| column.spare > 0 && widths.get(*at).is_some_and(Option::is_some));
            let next = spare.max_by_key(|(_, column)| column.spare).map(|(at, _)| at);
            // Without one of these the last figures go, for a row must not be wider than the screen.
            let last = || {
                let shown = (1..).zip(self.columns.iter().zip(&widths).skip(1));
                let shown = shown.filter(|(_, (column, width))| column.kind != Kind::Name && width.is_some());
                shown.last().map(|(at, _)| at).filter(|_| others + SHORTEST_NAME * names.len() > paper)
            };
            match next.filter(|_| others + least > paper).or_else(last) {
                Some(next) => {
                    if let Some(width) = widths.get_mut(next) {
                        *width = None;
                    }
                }
                None => {
                    for (at, room) in names.iter().zip(shares(&longest, paper.saturating_sub(others))) {
                        if let Some(width) = widths.get_mut(*at) {
                            *width = Some(room);
                        }
                    }
                    return Layout { widths, name_gap: GAP, limit: Some(paper) };
                }
            }
        }
    }

    fn line(&self, layout: &Layout, cells: &[&str], remark: &str) -> String {
        let mut line = " ".repeat(self.indent);
        let mut first = true;
        for ((column, columns), cell) in self.columns.iter().zip(&layout.widths).zip(cells) {
            let Some(columns) = *columns else { continue };
            match column.kind {
                Kind::Figure => {
                    line += &" ".repeat(columns.saturating_sub(width(cell)));
                    line += cell;
                }
                Kind::Label => pad(&mut line, cell, columns),
                Kind::Name => {
                    if !first {
                        line += &" ".repeat(layout.name_gap);
                    }
                    pad(&mut line, cell, columns);
                }
            }
            first = false;
        }
        if remark.is_empty() {
            return line;
        }
        let room = layout.limit.map(|limit| limit.saturating_sub(width(&line)));
        match room {
            Some(room) if room < width(remark) => {}
            _ => line += remark,
        }
        line
    }
}

/// Widths of names that share this space: a short name keeps its own width, and the others get equal parts of the
/// remaining space.
fn shares(longest: &[usize], room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..longest.len()).collect();
    order.sort_by_key(|at| longest.get(*at));
    let mut shares = longest.to_vec();
    let (mut room, mut left) = (room, longest.len());
    for at in order {
        if let Some(share) = shares.get_mut(at) {
            *share = (room / left.max(1)).min(*share);
            room = room.saturating_sub(*share);
        }
        left -= 1;
    }
    shares
}

fn pad(line: &mut String, cell: &str, columns: usize) {
    *line += cell;
    *line += &" ".repeat(columns.saturating_sub(width(cell)));
}

/// Indentation of a name of this width in a column. The indentation is reduced before the name is shortened.
fn indent(wanted: usize, text: usize, columns: usize) -> usize {
    wanted.min(columns / 2).min(columns.saturating_sub(text).max(columns / 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_are_longer_than_their_column_do_not_touch_the_previous_one() {
        let mut table =
            Table::new(0, vec![Column::figure("one", 6), Column::figure("two", 6), Column::figure("three", 8)]);
        table.row(["1".to_owned(), "2222222".to_owned(), "33333333".to_owned()]);
        let mut out = String::new();
        table.render(&mut out, Paper { width: None, ..Paper::default() });
        assert_eq!(out.lines().last().unwrap(), "     1  2222222  33333333", "{out}");
    }

    #[test]
    fn no_row_is_wider_than_the_screen_and_no_two_rows_are_alike() {
        let mut seed = 3_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let words = [
            "gmx::LegacySimulator::",
            "do_md",
            "<double, ",
            "std::vector<float> >",
            "(int)",
            " at md.cpp:12",
            "  [lib.so]",
        ];
        for _ in 0..200 {
            let mut columns = vec![Column::figure("total, ms", 12)];
            columns.extend(
                (0..random(12))
                    .map(|at| Column::figure(format!("figure {at}"), 6 + random(9)).spare([0, 1, 2][at % 3])),
            );
            columns.extend((0..random(2)).map(|_| Column::label("  by", 14)));
            let names = 1 + random(2);
            columns.extend((0..names).map(|_| Column::name_within("place", 24)));
            let figures = columns.len() - names;
            let mut table = Table::new(3, columns);
            for row in 0..12 {
                let mut name = || (0..12).map(|_| words[random(words.len())]).collect::<String>() + &row.to_string();
                let names: Vec<String> = (0..names).map(|_| name()).collect();
                table.remark((0..figures).map(|_| "1234.567".to_owned()).chain(names), "   (a remark)");
            }
            for paper in [30, 60, 80, 100, 160] {
                let mut out = String::new();
                table.render(&mut out, Paper { width: Some(paper), colour: false });
                let lines: Vec<&str> = out.lines().collect();
                assert!(lines.iter().all(|line| width(line) <= paper), "{paper}:\n{out}");
                let rows: std::collections::HashSet<&str> = lines.iter().skip(1).take(12).copied().collect();
                assert_eq!(rows.len(), 12, "{paper}:\n{out}");
            }
        }
    }
}
