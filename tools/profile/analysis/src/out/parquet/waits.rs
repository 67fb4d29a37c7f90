//! `waits.parquet`: a row for each thread, kind of wait, place and thing that was waited for.

use std::collections::BTreeMap;
use std::path::Path;

use super::table::{Column, save};
use super::who::{self, Who};
use super::{ParquetError, Texts};
use crate::metrics::Amount;
use crate::profile::{Frame, Profile};
use crate::state::State;

/// Waits of one thread with the same cause, wait id and place.
struct Row<'p> {
    who: Who<'p>,
    state: State,
    wait_id: u64,
    /// The function of the program that waits.
    frame: Option<&'p Frame>,
    amount: Amount,
}

type Field<'a, 'p> = Column<'a, Row<'p>>;

pub(super) fn write(path: &Path, profile: &Profile, texts: &Texts) -> Result<(), ParquetError> {
    let mut sums: BTreeMap<(u32, State, u64, Option<u32>), Amount> = BTreeMap::new();
    for point in profile.samples.iter().filter(|point| point.state.waits()) {
        let wait_id = if point.state.has_wait_id() { point.wait } else { 0 };
        *sums.entry((point.thread, point.state, wait_id, caller(profile, point.context))).or_default() += point;
    }
    let rows = sums.into_iter().filter_map(|((thread, state, wait_id, frame), amount)| {
        let frame = frame.and_then(|frame| profile.code.frame(frame)).map(|(frame, _)| frame);
        Some(Row { who: Who::of(profile, thread)?, state, wait_id, frame, amount })
    });
    let mut columns = vec![
        Field::text("state", |row| Some(row.state.key().into())),
        Field::number("wait_id", |row| Some(row.wait_id).filter(|id| *id > 0)),
    ];
    columns.extend(who::columns(texts, |row: &Row<'_>| &row.who));
    columns.extend([
        Field::text("function", |row| texts.function(row.frame?.function)),
        Field::text("file", |row| texts.file(row.frame?.file.as_deref())),
        Field::number("line", |row| Some(row.frame?.line.into()).filter(|line| *line > 0)),
        Field::number("samples", |row| Some(row.amount.samples)),
        Field::number("wait_ns", |row| Some(row.amount.wait_ns)),
        Field::number("cpu_ns", |row| Some(row.amount.cpu_ns)),
    ]);
    save(path, &columns, rows)
}

/// The innermost frame of the program: that below the pseudo function of the wait.
fn caller(profile: &Profile, context: u32) -> Option<u32> {
    let is_own = |frame: &u32| profile.code.frame(*frame).is_some_and(|(_, function)| !function.is_pseudo());
    profile.frames(context).find(is_own)
}
