//! A table of any kind of row, one group of rows after the other.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::ParquetError;

/// Rows in a group. Engines read groups in parallel; a writer holds one of them in memory.
const GROUP: usize = 1 << 18;

/// A column: its name, and its value in each row; `None` is null.
pub(super) struct Column<'a, R> {
    name: &'static str,
    values: Values<'a, R>,
}

/// Function that reads a value of a row.
type Get<'a, R, T> = Box<dyn Fn(&R) -> Option<T> + 'a>;

enum Values<'a, R> {
    Number(Get<'a, R, i64>),
    Text(Get<'a, R, ByteArray>),
    Truth(Get<'a, R, bool>),
}

impl<'a, R> Column<'a, R> {
    /// A column of numbers. A number that is too large for Parquet's signed numbers becomes the largest.
    pub(super) fn number(name: &'static str, of: impl Fn(&R) -> Option<u64> + 'a) -> Self {
        let signed = move |row: &R| of(row).map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        Self { name, values: Values::Number(Box::new(signed)) }
    }

    /// A column of strings.
    pub(super) fn text(name: &'static str, of: impl Fn(&R) -> Option<ByteArray> + 'a) -> Self {
        Self { name, values: Values::Text(Box::new(of)) }
    }

    /// A column of truth values.
    pub(super) fn truth(name: &'static str, of: impl Fn(&R) -> bool + 'a) -> Self {
        Self { name, values: Values::Truth(Box::new(move |row| Some(of(row)))) }
    }

    fn schema(&self) -> Result<Arc<Type>, ParquetError> {
        let (physical, logical) = match self.values {
            Values::Number(_) => (Physical::INT64, None),
            Values::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Values::Truth(_) => (Physical::BOOLEAN, None),
        };
        let column = Type::primitive_type_builder(self.name, physical).with_logical_type(logical);
        Ok(Arc::new(column.with_repetition(Repetition::OPTIONAL).build()?))
    }

    fn write(&self, rows: &[R], group: &mut SerializedRowGroupWriter<'_, File>) -> Result<(), ParquetError> {
        match &self.values {
            Values::Number(of) => write::<Int64Type, R>(of, rows, group),
            Values::Text(of) => write::<ByteArrayType, R>(of, rows, group),
            Values::Truth(of) => write::<BoolType, R>(of, rows, group),
        }
    }
}

fn write<T: DataType, R>(
    of: &Get<'_, R, T::T>,
    rows: &[R],
    group: &mut SerializedRowGroupWriter<'_, File>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    let (mut values, mut levels) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in rows {
        let value = of(row);
        levels.push(i16::from(value.is_some()));
        values.extend(value);
    }
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    Ok(column.close()?)
}

/// Writes a table to a file.
///
/// # Errors
/// If the system refuses the file, or writing to it.
pub(super) fn save<R>(
    path: &Path,
    columns: &[Column<'_, R>],
    rows: impl IntoIterator<Item = R>,
) -> Result<(), ParquetError> {
    let fields = columns.iter().map(Column::schema).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("ora").with_fields(fields).build()?);
    let mut file = SerializedFileWriter::new(File::create(path)?, schema, Arc::new(WriterProperties::default()))?;
    let mut rows = rows.into_iter();
    let mut chunk = Vec::new();
    loop {
        chunk.clear();
        chunk.extend(rows.by_ref().take(GROUP));
        if chunk.is_empty() {
            break;
        }
        let mut group = file.next_row_group()?;
        for column in columns {
            column.write(&chunk, &mut group)?;
        }
        group.close()?;
    }
    file.close()?;
    Ok(())
}
