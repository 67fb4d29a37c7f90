//! `regions.parquet`: a row for each place of parallel regions, thread and state.

use std::path::Path;

use super::table::{Column, save};
use super::who::{self, Who};
use super::{ParquetError, Texts};
use crate::metrics::Amount;
use crate::profile::{Construct, OUTSIDE};
use crate::report::Report;
use crate::state::State;

/// Sums of a thread in one state, in the regions of one place, without the regions inside them.
struct Row<'p> {
    construct: &'p Construct,
    who: Who<'p>,
    state: State,
    amount: Amount,
}

type Field<'a, 'p> = Column<'a, Row<'p>>;

pub(super) fn write(path: &Path, report: &Report<'_>, texts: &Texts) -> Result<(), ParquetError> {
    let profile = report.profile;
    let mut cells: Vec<_> = report.sums.cells.iter().filter(|((nest, _, _), _)| *nest != OUTSIDE).collect();
    cells.sort_unstable_by_key(|(key, _)| **key);
    let rows = cells.into_iter().filter_map(|((nest, thread, state), amount)| {
        let (construct, _) = profile.code.construct(profile.nests.get(*nest as usize)?.construct)?;
        Some(Row { construct, who: Who::of(profile, *thread)?, state: *state, amount: *amount })
    });
    let mut columns = vec![
        Field::text("function", |row| texts.function(row.construct.function)),
        Field::text("file", |row| texts.file(row.construct.file.as_deref())),
        Field::number("line", |row| Some(row.construct.line.into()).filter(|line| *line > 0)),
    ];
    columns.extend(who::columns(texts, |row: &Row<'_>| &row.who));
    columns.extend([
        Field::text("state", |row| Some(row.state.key().into())),
        Field::number("samples", |row| Some(row.amount.samples)),
        Field::number("work_ns", |row| Some(row.amount.work_ns)),
        Field::number("wait_ns", |row| Some(row.amount.wait_ns)),
        Field::number("cpu_ns", |row| Some(row.amount.cpu_ns)),
    ]);
    save(path, &columns, rows)
}
