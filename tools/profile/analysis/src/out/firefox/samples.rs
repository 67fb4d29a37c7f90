//! The samples of a thread, in columns.

use serde::Serialize;

use super::table::{Shared, Tables};
use crate::out::Weighted;

/// Columns of the format. Times are in milliseconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Samples {
    stack: Vec<Option<usize>>,
    time: Vec<f64>,
    weight: Vec<f64>,
    weight_type: &'static str,
    /// CPU time of the interval that ends with the row.
    #[serde(rename = "threadCPUDelta")]
    cpu_delta: Vec<u64>,
    length: usize,
}

impl Samples {
    /// Converts a thread's stacks, ordered by time.
    pub(super) fn new(began_ns: u64, stacks: &[Weighted], tables: &mut Tables, shared: &mut Shared) -> Self {
        let ms = |ns: u64| ns as f64 / 1e6;
        let rows = if stacks.is_empty() { 0 } else { stacks.len() + 1 };
        let [mut time, mut weight] = [(); 2].map(|()| Vec::with_capacity(rows));
        let (mut stack, mut cpu_delta) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        for spent in stacks {
            if cpu_delta.is_empty() {
                cpu_delta.push(0);
            }
            stack.push(tables.stack(shared, spent));
            time.push(ms(begin(spent).saturating_sub(began_ns)));
            weight.push(ms(spent.wall_ns));
            cpu_delta.push(spent.cpu_ns);
        }
        if let Some(last) = stacks.last() {
            stack.push(None);
            time.push(ms(last.at_ns.saturating_sub(began_ns)));
            weight.push(0.0);
        }
        Self { length: stack.len(), stack, time, weight, weight_type: "tracing-ms", cpu_delta }
    }
}

/// Start of the time that a stack represents.
pub(super) fn begin(stack: &Weighted) -> u64 {
    stack.at_ns.saturating_sub(stack.wall_ns)
}
