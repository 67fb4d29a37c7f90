//! Charts: curves over a count, as an SVG picture. Both axes start at 0, and the steps between ticks are 1, 2 or 5 times a power of ten.

use std::fmt::Write;

use terminal::printable::markup;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
/// Margins for scales and names.
const LEFT: f64 = 56.0;
const RIGHT: f64 = 96.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 50.0;
/// Maximum number of ticks on an axis.
const TICKS: f64 = 8.0;

/// Chart with curves over a count.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Name of the x axis.
    pub across: &'static str,
    /// Name of the y axis.
    pub up: &'static str,
    /// Curves.
    pub series: Vec<Series>,
}

/// Curve of a chart.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Name, which is written at the end of the curve.
    pub name: &'static str,
    /// Points, in the order of x.
    pub points: Vec<(f64, f64)>,
    /// True for a curve to compare with: a dashed line without numbers.
    pub is_reference: bool,
}

impl Chart {
    /// Returns the picture without a background, in the colour of the surrounding text.
    pub fn svg(&self) -> String {
        self.drawn("")
    }

    /// Returns the picture for a separate file.
    pub fn picture(&self) -> String {
        self.drawn(&format!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"))
    }

    fn drawn(&self, background: &str) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(1.0, f64::max);
        let (right, high) = (most(|point| point.0), most(|point| point.1));
        let x = |at: f64| LEFT + at / right * (WIDTH - LEFT - RIGHT);
        let y = |at: f64| HEIGHT - BOTTOM - at / high * (HEIGHT - TOP - BOTTOM);
        let (across, up) = (markup(self.across), markup(self.up));
        let colour = if background.is_empty() { "" } else { " color=\"#1b1f24\"" };
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"currentColor\"{colour} role=\"img\" \
             aria-label=\"{up} over {across}\">\n{background}"
        );
        let _ = writeln!(out, "<g stroke=\"currentColor\" stroke-opacity=\"0.18\">");
        let (ticks_x, ticks_y) = (ticks(right, 1.0), ticks(high, 0.0));
        for at in &ticks_y {
            let _ = writeln!(out, "<path d=\"M{LEFT} {0:.1}H{1:.1}\"/>", y(*at), x(right));
        }
        let _ = writeln!(out, "</g>\n<g text-anchor=\"end\">");
        for at in &ticks_y {
            let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", LEFT - 8.0, y(*at) + 4.5, short(*at));
        }
        let _ = writeln!(out, "</g>\n<g text-anchor=\"middle\">");
        for at in &ticks_x {
            let _ =
                writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x(*at), HEIGHT - BOTTOM + 18.0, short(*at));
        }
        let middle = x(right / 2.0);
        let _ = writeln!(out, "<text x=\"{middle:.1}\" y=\"{:.1}\">{across}</text>\n</g>", HEIGHT - 10.0);
        let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{up}</text>", 8.0, TOP - 12.0);
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {TOP}V{:.1}H{:.1}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.6\"/>",
            y(0.0),
            x(right)
        );
        self.series.iter().for_each(|series| series.draw(&mut out, &x, &y));
        out + "</svg>\n"
    }
}

impl Series {
    fn draw(&self, out: &mut String, x: &dyn Fn(f64) -> f64, y: &dyn Fn(f64) -> f64) {
        let corners: Vec<_> = self.points.iter().map(|(at, value)| format!("{:.1},{:.1}", x(*at), y(*value))).collect();
        let look = if self.is_reference {
            "stroke=\"currentColor\" stroke-opacity=\"0.6\" stroke-dasharray=\"5 5\""
        } else {
            "stroke=\"#0072b2\" stroke-width=\"2.5\""
        };
        let _ = writeln!(out, "<polyline points=\"{}\" fill=\"none\" {look}/>", corners.join(" "));
        if let Some((at, value)) = self.points.last() {
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x(*at) + 9.0,
                y(*value) + 4.5,
                markup(self.name)
            );
        }
        if self.is_reference {
            return;
        }
        for (at, value) in &self.points {
            let (x, y) = (x(*at), y(*value));
            let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"#0072b2\"/>");
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-weight=\"600\">{}</text>",
                y + 20.0,
                significant(*value)
            );
        }
    }
}

/// Ticks from 0 to `most`; each step is 1, 2 or 5 times a power of ten, and at least `least`.
fn ticks(most: f64, least: f64) -> Vec<f64> {
    let power = 10_f64.powf((most / TICKS).max(1e-9).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step =
        steps.into_iter().find(|step| *step >= (most / TICKS).max(least) * (1.0 - 1e-9)).unwrap_or(most.max(1.0));
    (0..=100_u32).map(|number| f64::from(number) * step).take_while(|at| *at <= most * (1.0 + 1e-9)).collect()
}

/// Number of a tick, without trailing zeros.
fn short(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Number with three significant digits.
fn significant(number: f64) -> String {
    match number.abs() {
        size if size >= 99.95 => format!("{number:.0}"),
        size if size >= 9.995 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_begin_at_0_and_are_1_2_or_5_times_a_power_of_ten() {
        assert_eq!(ticks(8.0, 0.0), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!(ticks(3.1, 1.0), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ticks(3.1, 0.0), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]);
        assert_eq!(ticks(64.0, 1.0), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
        assert_eq!([0.0, 0.5, 20.0].map(short), ["0", "0.5", "20"]);
    }

    #[test]
    fn a_chart_has_numbers_on_both_axes() {
        let points = vec![(1.0, 1.0), (2.0, 1.9), (4.0, 3.1)];
        let series = vec![Series { name: "measured", points, is_reference: false }];
        let svg = Chart { across: "threads", up: "speed-up", series }.svg();
        for part in [">0</text>", ">4</text>", ">2.5</text>", ">3.10</text>", ">threads</text>"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
    }
}
