//! Tables in Apache Parquet, for engines whose data may exceed the memory of one machine: DuckDB, Polars, Spark.
//!
//! `table` writes any table, `who` has the columns of threads; the others have the rest. `parquet.md` of the command describes them.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

mod regions;
mod samples;
mod stacks;
mod table;
mod waits;
mod who;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use bytes::Bytes;
use parquet::data_type::ByteArray;

use crate::profile::Profile;
use crate::report::Report;

/// Reason why a table is not written.
#[derive(Debug, thiserror::Error)]
pub enum ParquetError {
    /// The system refuses access.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// An error of the writer itself.
    #[error(transparent)]
    Writer(#[from] parquet::errors::ParquetError),
}

/// Writes `samples.parquet`, `stacks.parquet`, `regions.parquet` and `waits.parquet` into a folder, which is created if
/// it is missing.
///
/// # Errors
/// If the system refuses the folder or a file.
pub fn write(folder: &Path, report: &Report<'_>) -> Result<(), ParquetError> {
    fs::create_dir_all(folder)?;
    let texts = Texts::of(report.profile);
    samples::write(&folder.join("samples.parquet"), report.profile, &texts)?;
    stacks::write(&folder.join("stacks.parquet"), report.profile, &texts)?;
    regions::write(&folder.join("regions.parquet"), report, &texts)?;
    waits::write(&folder.join("waits.parquet"), report.profile, &texts)
}

/// Strings of a profile, shared by all rows that have them.
struct Texts {
    functions: Vec<ByteArray>,
    /// Files of frames and of constructs.
    files: BTreeMap<String, ByteArray>,
    hosts: Vec<Option<ByteArray>>,
}

impl Texts {
    fn of(profile: &Profile) -> Self {
        let code = &profile.code;
        let of_frames = code.frames().iter().filter_map(|frame| frame.file.clone());
        let of_constructs = code.constructs().iter().filter_map(|construct| construct.file.clone());
        let shared = |text: &str| ByteArray::from(Bytes::copy_from_slice(text.as_bytes()));
        Self {
            functions: code.functions().iter().map(|function| shared(&function.name)).collect(),
            files: of_frames.chain(of_constructs).map(|file| (file.clone(), shared(&file))).collect(),
            hosts: profile.processes.iter().map(|process| process.facts.host.as_deref().map(shared)).collect(),
        }
    }

    fn function(&self, number: u32) -> Option<ByteArray> {
        self.functions.get(number as usize).cloned()
    }

    fn file(&self, name: Option<&str>) -> Option<ByteArray> {
        self.files.get(name?).cloned()
    }

    fn host(&self, process: u32) -> Option<ByteArray> {
        self.hosts.get(process as usize)?.clone()
    }
}
