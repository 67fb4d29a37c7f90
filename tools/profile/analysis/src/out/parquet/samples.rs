//! `samples.parquet`: a row for each sample of each thread.

use std::path::Path;

use profile_format::Moment;

use super::table::{Column, save};
use super::who::{self, Who};
use super::{ParquetError, Texts};
use crate::profile::{OUTSIDE, Point, Profile};

/// A sample with its thread and process.
struct Row<'p> {
    point: &'p Point,
    who: Who<'p>,
}

type Field<'a, 'p> = Column<'a, Row<'p>>;

pub(super) fn write(path: &Path, profile: &Profile, texts: &Texts) -> Result<(), ParquetError> {
    let rows = profile.all_samples().filter_map(|point| Some(Row { point, who: Who::of(profile, point.thread)? }));
    let leaf = |row: &Row<'_>| profile.frames(row.point.context).next().and_then(|frame| profile.code.frame(frame));
    let construct = |row: &Row<'_>| {
        let nest = profile.nests.get(row.point.nest as usize).filter(|_| row.point.nest != OUTSIDE)?;
        profile.code.construct(nest.construct).map(|(construct, _)| construct)
    };
    let mut columns = Vec::from(who::columns(texts, |row: &Row<'_>| &row.who));
    columns.extend([
        Field::number("at_ns", |row| Some(row.point.at_ns)),
        Field::number("wall_ns", |row| Some(row.point.wall_ns)),
        Field::number("cpu_ns", |row| Some(row.point.cpu_ns)),
        Field::text("state", |row| Some(row.point.state.key().into())),
        Field::truth("waits", |row| row.point.state.waits()),
        Field::truth("at_wait_end", |row| row.point.moment != Moment::Tick),
        Field::truth("outside_of_openmp", |row| row.who.thread.outside),
        Field::number("stack", |row| Some(row.point.context.into())),
        Field::text("function", |row| texts.function(leaf(row)?.0.function)),
        Field::text("file", |row| texts.file(leaf(row)?.0.file.as_deref())),
        Field::number("line", |row| Some(leaf(row)?.0.line.into()).filter(|line| *line > 0)),
        Field::number("region", |row| Some(row.point.region).filter(|region| *region > 0)),
        Field::text("region_function", |row| texts.function(construct(row)?.function)),
        Field::text("region_file", |row| texts.file(construct(row)?.file.as_deref())),
        Field::number("region_line", |row| Some(construct(row)?.line.into()).filter(|line| *line > 0)),
        Field::number("wait_id", |row| Some(row.point.wait).filter(|wait| *wait > 0)),
    ]);
    save(path, &columns, rows)
}
