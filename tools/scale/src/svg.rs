//! Speed-up over the number of threads, as a picture.

use page::{Chart, Series};

use super::scaling::{Point, Scaling};

/// SVG picture with the speed-up, and the line of ideal speed-up.
pub fn picture(scaling: &Scaling) -> String {
    chart(scaling).picture()
}

/// Curves of the picture.
pub(crate) fn chart(scaling: &Scaling) -> Chart {
    let least = scaling.points.first().map_or(1.0, |first| f64::from(first.threads));
    let curve =
        |of: &dyn Fn(&Point) -> f64| scaling.points.iter().map(|point| (f64::from(point.threads), of(point))).collect();
    let series = vec![
        Series { name: "ideal", points: curve(&|point| f64::from(point.threads) / least), is_reference: true },
        Series { name: "measured", points: curve(&|point| point.speedup), is_reference: false },
    ];
    Chart { across: "threads", up: "speed-up", series }
}
