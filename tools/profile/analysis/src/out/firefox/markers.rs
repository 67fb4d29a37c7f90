//! The markers of a thread, in columns.

use serde::Serialize;
use serde_json::{Value, json};

use super::table::Shared;
use super::{Category, Marker};

/// Name of the only kind of markers here.
const SCHEMA: &str = "OpenMP";
/// The format's code for a marker with start and end.
const INTERVAL: u32 = 1;

/// Columns of the format. Times are in milliseconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Markers<'m> {
    data: Vec<Data<'m>>,
    name: Vec<usize>,
    start_time: Vec<f64>,
    end_time: Vec<f64>,
    phase: Vec<u32>,
    category: Vec<u32>,
    length: usize,
}

/// Particulars of a marker.
#[derive(Debug, Serialize)]
struct Data<'m> {
    r#type: &'static str,
    place: &'m str,
}

impl<'m> Markers<'m> {
    /// Converts a thread's markers, ordered by their starts.
    pub(super) fn new(began_ns: u64, markers: &'m [Marker], shared: &mut Shared) -> Self {
        let ms = |ns: u64| ns.saturating_sub(began_ns) as f64 / 1e6;
        let category = |marker: &Marker| if marker.waits { Category::Wait } else { Category::Work };
        Self {
            data: markers.iter().map(|marker| Data { r#type: SCHEMA, place: &marker.place }).collect(),
            name: markers.iter().map(|marker| shared.string(&marker.name)).collect(),
            start_time: markers.iter().map(|marker| ms(marker.begin_ns)).collect(),
            end_time: markers.iter().map(|marker| ms(marker.end_ns)).collect(),
            phase: markers.iter().map(|_| INTERVAL).collect(),
            category: markers.iter().map(|marker| category(marker) as u32).collect(),
            length: markers.len(),
        }
    }
}

/// Description of the markers, for the profiler's chart, table and overview.
pub(super) fn schema() -> Value {
    json!([{
        "name": SCHEMA,
        "display": ["marker-chart", "marker-table", "timeline-overview"],
        "tooltipLabel": "{marker.name}",
        "tableLabel": "{marker.data.place}",
        "chartLabel": "{marker.data.place}",
        "description": "What a thread does in OpenMP's words",
        "fields": [{"key": "place", "label": "Place", "format": "string"}],
    }])
}
