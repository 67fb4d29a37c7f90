//! Text tables: the first column is left-aligned, the others are right-aligned, each as wide as it needs to be.

use std::fmt;

/// Text made of lines and tables.
#[derive(Debug, Default)]
pub(crate) struct Page(String);

/// Table with a title.
pub(crate) struct Table {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Page {
    pub(crate) fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    pub(crate) fn title(&mut self, text: &str) {
        self.0.push('\n');
        self.line(text);
        self.line(&"-".repeat(text.chars().count()));
    }

    /// Adds a table, unless it has no rows.
    pub(crate) fn table(&mut self, table: &Table) {
        if table.rows.is_empty() {
            return;
        }
        self.title(&table.title);
        for row in std::iter::once(&table.head).chain(&table.rows) {
            let cells = row.iter().zip(table.widths()).enumerate().map(|(column, (cell, width))| match column {
                0 => format!("{cell:width$}"),
                _ => format!("  {cell:>width$}"),
            });
            self.line(cells.collect::<String>().trim_end());
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.0.push_str(&other.0);
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Table {
    /// Creates an empty table; `first` is the heading above the names of rows.
    pub(crate) fn new<H: ToString>(title: &str, first: &str, head: impl IntoIterator<Item = H>) -> Self {
        let head = std::iter::once(first.to_owned()).chain(head.into_iter().map(|cell| cell.to_string())).collect();
        Self { title: title.to_owned(), head, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, name: &str, cells: impl IntoIterator<Item = String>) {
        self.rows.push(std::iter::once(name.to_owned()).chain(cells).collect());
    }

    fn widths(&self) -> Vec<usize> {
        let rows = || std::iter::once(&self.head).chain(&self.rows);
        let columns = rows().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| rows().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        (0..columns).map(|column| width(column).unwrap_or(0)).collect()
    }
}

/// Formats a number with about three digits.
pub(crate) fn number(value: f64) -> String {
    if value.abs() < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// Formats a value; a dash if it is missing.
pub(crate) fn cell(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), number)
}

/// Overhead of `a` over `b`, in percent of `b`.
pub(crate) fn percent(a: f64, b: f64) -> f64 {
    (a / b - 1.0) * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new("A title", "row", ["x", "much wider"]);
        table.row("a long name", [number(1.25), number(1234.4)]);
        table.row("b", [cell(None)]);
        let mut page = Page::default();
        page.table(&table);
        page.table(&Table::new("Nothing", "", ["x"]));
        let text = "\nA title\n-------\nrow            x  much wider\na long name  1.2        1234\nb              -\n";
        assert_eq!(page.to_string(), text);
    }
}
