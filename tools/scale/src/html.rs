//! Page for browsers.

use page::{Cell, Document, Part, Quantity, Table, Tile, View};
use terminal::quantity::count;

use crate::scaling::{Point, Scaling};
use crate::svg;
use crate::table::{place_name, sentences};

/// Returns the page of a measurement of this program.
pub fn document(name: &str, repeat: u32, scaling: &Scaling) -> Document {
    let mut view = View { name: name.to_owned(), ..View::default() };
    let (first, last) = (scaling.points.first(), scaling.points.last());
    let range = first
        .zip(last)
        .map_or_else(String::new, |(first, last)| format!("{} to {} threads", first.threads, last.threads));
    view.about =
        vec![range.into(), format!("{} with each number, in turns", count(repeat.into(), "run", "runs")).into()];
    view.tiles = tiles(scaling);
    if let Some(last) = last {
        let all_ns = last.wall_ns * f64::from(last.threads);
        view.findings = last.findings.iter().map(|finding| finding.on_page(last.wall_ns, all_ns)).collect();
    }
    view.notes = sentences(scaling);
    view.tables = vec![points(scaling), regions(scaling)];
    view.silence = "No rule found a fault that costs at least 1 % of the wall time with the most threads.".to_owned();
    view.fact("command", name);
    view.fact("runs with each number of threads", Quantity::Count(repeat.into()));
    view.fact("ora", env!("CARGO_PKG_VERSION"));
    view.exports = [
        ("ora scale --json -o FILE -- PROGRAM", "all figures as JSON"),
        ("ora scale --svg FILE -- PROGRAM", "the picture alone"),
    ]
    .map(|(command, what)| (command.to_owned(), what.to_owned()))
    .to_vec();
    Document { title: format!("Scaling of {name}"), views: vec![view], chart: Some(svg::chart(scaling)) }
}

fn tiles(scaling: &Scaling) -> Vec<Tile> {
    let (Some(first), Some(last), Some(best)) = (scaling.points.first(), scaling.points.last(), scaling.best()) else {
        return Vec::new();
    };
    let threads = |point: &Point| count(u64::from(point.threads), "thread", "threads");
    let mut tiles = vec![
        Tile::new("fastest with", threads(best).into(), "more make it no faster by 5 % or more"),
        Tile::new("wall time there", Quantity::Time(best.wall_ns), format!("with {}", threads(best))),
        Tile::new("speed-up", Quantity::Number(best.speedup), format!("over {}", threads(first))),
    ];
    let factors = [("parallel", last.parallel), ("computation", last.computation)];
    let factors = factors.into_iter().filter_map(|(name, part)| Some((name, Quantity::Part(part?)))).collect();
    let tile = Tile::new("efficiency", Quantity::Part(last.efficiency), format!("with {}", threads(last)));
    tiles.push(Tile { factors, ..tile.of(last.efficiency) });
    if let Some(part) = scaling.serial_part() {
        tiles.push(
            Tile::new("outside of regions", Quantity::Part(part), format!("of the wall time with {}", threads(first)))
                .of(part),
        );
    }
    tiles
}

fn points(scaling: &Scaling) -> Table {
    let part = |part: Option<f64>| part.map_or_else(|| Cell::from("-"), |part| Quantity::Part(part).into());
    let row = |point: &Point| {
        vec![
            Quantity::Count(point.threads.into()).into(),
            Quantity::Time(point.wall_ns).into(),
            Quantity::Number(point.speedup).into(),
            part(Some(point.efficiency)),
            part(point.parallel),
            part(point.computation),
        ]
    };
    Table {
        part: Part::Where,
        title: "By number of threads",
        note: "efficiency = parallel (running time / threads\u{2019} wall time) \u{d7} computation (running time with the fewest threads / here)",
        heads: ["threads", "wall time", "speed-up", "efficiency", "parallel", "computation"]
            .map(str::to_owned)
            .to_vec(),
        rows: scaling.points.iter().map(row).collect(),
    }
}

fn regions(scaling: &Scaling) -> Table {
    let mut heads = vec!["wall time in".to_owned()];
    heads.extend(scaling.points.iter().map(|point| count(u64::from(point.threads), "thread", "threads")));
    heads.push("speed-up".to_owned());
    let row = |row: &crate::scaling::Row| {
        let mut cells = vec![Cell::from(place_name(row.place.as_ref()))];
        cells.extend(row.walls_ns.iter().map(|ns| Cell::from(Quantity::Time(*ns))));
        let is_known = row.walls_ns.first().is_some_and(|ns| *ns > 0.0);
        cells.push(if is_known { Quantity::Number(row.speedup).into() } else { "-".into() });
        cells
    };
    Table {
        part: Part::Where,
        title: "Regions by number of threads",
        note: "",
        heads,
        rows: scaling.rows().iter().map(row).collect(),
    }
}
