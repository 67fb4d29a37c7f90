//! `stacks.parquet`: the frames of each stack that a sample names, a row for each frame.

use std::path::Path;

use super::table::{Column, save};
use super::{ParquetError, Texts};
use crate::profile::Profile;

/// A frame in a stack.
struct Row {
    stack: u32,
    /// Number of calls below it: 0 for the leaf.
    depth: u32,
    frame: u32,
}

type Field<'a> = Column<'a, Row>;

pub(super) fn write(path: &Path, profile: &Profile, texts: &Texts) -> Result<(), ParquetError> {
    let mut named = vec![false; profile.contexts.len()];
    for point in profile.all_samples() {
        named.get_mut(point.context as usize).into_iter().for_each(|one| *one = true);
    }
    let stacks = (0..).zip(named).filter(|(_, named)| *named);
    let rows = stacks
        .flat_map(|(stack, _)| (0..).zip(profile.frames(stack)).map(move |(depth, frame)| Row { stack, depth, frame }));
    let frame = |row: &Row| profile.code.frame(row.frame);
    let columns = [
        Field::number("stack", |row| Some(row.stack.into())),
        Field::number("depth", |row| Some(row.depth.into())),
        Field::text("function", |row| texts.function(frame(row)?.0.function)),
        Field::text("file", |row| texts.file(frame(row)?.0.file.as_deref())),
        Field::number("line", |row| Some(frame(row)?.0.line.into()).filter(|line| *line > 0)),
        Field::text("object", |row| Some(frame(row)?.1.object.as_str().into())),
    ];
    save(path, &columns, rows)
}
