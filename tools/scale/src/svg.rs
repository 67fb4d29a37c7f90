//! The speed-up over the number of threads, as a picture.

use std::fmt::Write;

use super::scaling::{Point, Scaling};

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 360.0;
/// Room for the scales.
const MARGIN: f64 = 48.0;

/// An SVG picture: the speed-up, and the line of as many threads. Both scales are logarithmic, so that this line is straight.
pub fn picture(scaling: &Scaling) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\" role=\"img\" aria-label=\"Speed-up over the number of threads\">\n"
    );
    let Some((first, last)) = scaling.points.first().zip(scaling.points.last()) else { return out + "</svg>\n" };
    let ideal = |point: &Point| f64::from(point.threads) / f64::from(first.threads);
    let highest = scaling.points.iter().map(|point| point.speedup.max(ideal(point))).fold(2.0, f64::max);
    let lowest = scaling.points.iter().map(|point| point.speedup).fold(1.0, f64::min).max(0.01);
    let part = |value: f64, low: f64, high: f64| (value / low).ln() / (high / low).ln();
    let x = |point: &Point| MARGIN + part(ideal(point), 1.0, ideal(last).max(2.0)) * (WIDTH - 2.0 * MARGIN);
    let y = |speedup: f64| HEIGHT - MARGIN - part(speedup.max(lowest), lowest, highest) * (HEIGHT - 2.0 * MARGIN);
    let line = |of: &dyn Fn(&Point) -> f64| {
        let corner = |point: &Point| format!("{:.1},{:.1}", x(point), y(of(point)));
        scaling.points.iter().map(corner).collect::<Vec<_>>().join(" ")
    };
    let (left, bottom, right) = (MARGIN, HEIGHT - MARGIN, WIDTH - MARGIN);
    let _ = writeln!(out, "<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>");
    let _ = writeln!(out, "<path d=\"M{left} {MARGIN}V{bottom}H{right}\" fill=\"none\" stroke=\"#444\"/>");
    let _ =
        writeln!(out, "<polyline points=\"{}\" fill=\"none\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>", line(&ideal));
    let measured = line(&|point| point.speedup);
    let _ = writeln!(out, "<polyline points=\"{measured}\" fill=\"none\" stroke=\"#0b62a4\" stroke-width=\"2\"/>");
    for point in &scaling.points {
        let (x, y) = (x(point), y(point.speedup));
        let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"#0b62a4\"/>");
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#0b62a4\">{:.2}</text>",
            x + 6.0,
            y - 8.0,
            point.speedup
        );
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 18.0,
            point.threads
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">threads</text>",
        WIDTH / 2.0,
        HEIGHT - 10.0
    );
    let _ = writeln!(out, "<text x=\"{left}\" y=\"{:.1}\" text-anchor=\"middle\">speed-up</text>", MARGIN - 14.0);
    let _ = writeln!(
        out,
        "<text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#777\">as many threads</text>",
        MARGIN - 14.0
    );
    out + "</svg>\n"
}
