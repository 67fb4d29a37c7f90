//! Pages for browsers: one file each, which makes no request.
//!
//! [`write()`] puts data into the template, beside the style sheet and the scripts that draw it; [`still`] makes a page without scripts. Data
//! come in and text goes out: nothing here opens a file.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

use std::io::{self, Write};

use serde::Serialize;
use terminal::printable::{markup, script};

/// Template of the page, its style and its scripts.
const TEMPLATE: &str = include_str!("template.html");
const STYLE: &str = include_str!("style.css");
/// The last one begins to draw.
const SCRIPTS: [&str; 4] = [
    include_str!("scripts/flame.js"),
    include_str!("scripts/lines.js"),
    include_str!("scripts/tasks.js"),
    include_str!("scripts/page.js"),
];

/// Writes the page of some data, which the scripts draw.
///
/// # Errors
/// If it can't be written.
pub fn write(to: &mut dyn Write, title: &str, data: &impl Serialize) -> io::Result<()> {
    let data = script(&serde_json::to_string(data)?);
    let parts =
        [("@TITLE@", markup(title)), ("@STYLE@", STYLE.to_owned()), ("@SCRIPT@", SCRIPTS.concat()), ("@DATA@", data)];
    // Placeholders are searched in the template only: a program may have one as its name.
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

/// A page without scripts. `body` is markup.
pub fn still(title: &str, body: &str) -> String {
    let title = markup(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style>\n{body}</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_ends_the_script_or_takes_a_place_of_the_template() {
        let mut page = Vec::new();
        write(&mut page, "</title>@DATA@", &"</script><b>@STYLE@").unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains("<title>&lt;/title&gt;@DATA@"), "{page}");
        assert!(page.contains("\"\\u003c/script>\\u003cb>@STYLE@\""), "{page}");
    }
}
