//! Pages for browsers: a single file each, which makes no requests.
//!
//! A [`Document`] describes what is shown: one [`View`] for each measurement or process, with the answer, regions and functions, a
//! timeline, stacks and facts, as far as available. [`write()`] puts it into the template, together with the style sheet and the scripts
//! that draw it. This crate takes data and returns text: it opens no files.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod chart;
mod document;
mod lanes;
mod quantity;
mod row;
mod stacks;
mod table;
mod tasks;
mod timeline;

use std::io::{self, Write};

use terminal::printable::{markup, script};

pub use chart::{Chart, Series};
pub use document::{Document, Finding, Tile, View};
pub use lanes::{Change, Resolution, Run, resolutions, sums};
pub use quantity::Quantity;
pub use row::{ACTIVITIES, Activity, Kind, Line, Row, Wait};
pub use stacks::{Sample, Stacks};
pub use table::{Cell, Part, Table};
pub use tasks::{Node, TaskGraph};
pub use timeline::{NamedSlice, State, Timeline, WaitFor};

/// Template of the page, its style and its scripts.
const TEMPLATE: &str = include_str!("template.html");
const STYLE: &str = include_str!("style.css");
/// The last script starts drawing.
const SCRIPTS: [&str; 17] = [
    include_str!("scripts/numbers.js"),
    include_str!("scripts/elements.js"),
    include_str!("scripts/bars.js"),
    include_str!("scripts/table.js"),
    include_str!("scripts/answer.js"),
    include_str!("scripts/where.js"),
    include_str!("scripts/details.js"),
    include_str!("scripts/timeline.js"),
    include_str!("scripts/lanes.js"),
    include_str!("scripts/overview.js"),
    include_str!("scripts/selection.js"),
    include_str!("scripts/timeline_input.js"),
    include_str!("scripts/stacks.js"),
    include_str!("scripts/flame.js"),
    include_str!("scripts/tasks.js"),
    include_str!("scripts/facts.js"),
    include_str!("scripts/main.js"),
];

/// Writes the page of a document.
///
/// # Errors
/// If it can't be written.
pub fn write(to: &mut dyn Write, document: &Document) -> io::Result<()> {
    let data = script(&serde_json::to_string(document)?);
    let figure = document.chart.as_ref().map_or_else(String::new, |chart| format!("<figure>{}</figure>", chart.svg()));
    let parts = [
        ("@TITLE@", markup(&document.title)),
        ("@STYLE@", STYLE.to_owned()),
        ("@FIGURE@", figure),
        ("@SCRIPT@", SCRIPTS.concat()),
        ("@DATA@", data),
    ];
    // Placeholders are searched for in the template only, because a program may have one as its name.
    let mut rest = TEMPLATE;
    while let Some((at, (place, text))) =
        parts.iter().filter_map(|part| Some((rest.find(part.0)?, part))).min_by_key(|(at, _)| *at)
    {
        let (before, after) = rest.split_at(at);
        to.write_all(before.as_bytes())?;
        to.write_all(text.as_bytes())?;
        rest = after.strip_prefix(place).unwrap_or_default();
    }
    to.write_all(rest.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(title: &str) -> String {
        let mut page = Vec::new();
        let document = Document { title: title.to_owned(), ..Document::default() };
        write(&mut page, &document).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn no_name_ends_the_script_or_takes_a_place_of_the_template() {
        let page = page("</script><b>@DATA@");
        assert!(page.contains("<title>&lt;/script&gt;&lt;b&gt;@DATA@"), "{page}");
        assert!(page.contains("\"\\u003c/script>\\u003cb>@DATA@\""), "{page}");
        assert_eq!(page.matches("</script>").count(), 2, "the page's own");
    }

    #[test]
    fn the_page_itself_is_small_and_requests_nothing() {
        let page = page("");
        assert!(page.len() < 300_000, "{}", page.len());
        assert!(page.contains("default-src 'none'"));
        for request in ["http:", "https:", "//cdn", " src=", "@import", "fetch(", "XMLHttpRequest", "import("] {
            assert!(!page.contains(request), "{request}");
        }
    }
}
