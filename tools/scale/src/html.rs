//! The measurement as one HTML page, which needs no other file.

use std::fmt::Write;

use terminal::printable::markup;
use terminal::quantity::{percent, time};

use super::scaling::Scaling;
use super::svg;
use super::table::{place_name, sentences};

/// The page for a browser.
pub fn page(name: &str, scaling: &Scaling) -> String {
    let mut out = format!("<h1>Scaling of <code>{}</code></h1>\n<ul>\n", markup(name));
    for sentence in sentences(scaling) {
        let _ = writeln!(out, "<li>{}</li>", markup(&sentence));
    }
    let _ = writeln!(out, "</ul>\n{}", svg::picture(scaling));
    out.push_str(
        "<table>\n<tr><th>threads</th><th>wall time</th><th>speed-up</th><th>efficiency</th><th>parallel</th><th>computation</th></tr>\n",
    );
    for point in &scaling.points {
        let share = |part: Option<f64>| part.map_or_else(|| "-".to_owned(), |part| percent(part, 1.0) + " %");
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{:.2}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            point.threads,
            time(point.wall_ns),
            point.speedup,
            share(Some(point.efficiency)),
            share(point.parallel),
            share(point.computation)
        );
    }
    out.push_str("</table>\n<table>\n<tr>");
    for point in &scaling.points {
        let _ = write!(out, "<th>{} threads</th>", point.threads);
    }
    out.push_str("<th>speed-up</th><th>wall time in</th></tr>\n");
    for row in scaling.rows() {
        out.push_str("<tr>");
        for ns in &row.walls_ns {
            let _ = write!(out, "<td>{}</td>", time(*ns));
        }
        let _ = writeln!(out, "<td>{:.2}</td><td>{}</td></tr>", row.speedup, markup(&place_name(row.place.as_ref())));
    }
    page::still(&format!("Scaling of {name}"), &(out + "</table>\n"))
}
