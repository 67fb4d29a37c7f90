//! A file of code that is read on demand, with a bound on the memory that its content takes.
//!
//! Tables of such a file can refer to the same bytes any number of times: a million symbols in one long name, or a thousand
//! sections in one place. A cache that keeps each answer would need memory in proportion to their product.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

use object::{ReadCache, ReadRef};

/// Number of bytes that are read of any file, in addition to [`PER_BYTE`] times its size.
const ALWAYS: u64 = 64 << 20;
const PER_BYTE: u64 = 2;
/// Maximum number of bytes that are read of the largest files, and of sparse ones.
const MAX: u64 = 1 << 30;
/// Maximum length of a name that is read, in bytes.
const LONGEST_NAME: u64 = 64 << 10;

/// Size of a read in bytes. Names of neighbouring symbols are usually neighbours as well.
const BLOCK: usize = 64 << 10;

/// A file whose last block stays in memory when the position changes.
#[derive(Debug)]
struct Blocks {
    reader: BufReader<File>,
    position: u64,
}

impl Read for Blocks {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.reader.read(into)?;
        self.position += bytes as u64;
        Ok(bytes)
    }
}

impl Seek for Blocks {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = match to {
            SeekFrom::Start(position) => {
                self.reader.seek_relative(position.wrapping_sub(self.position).cast_signed())?;
                position
            }
            other => self.reader.seek(other)?,
        };
        Ok(self.position)
    }
}

/// A file, and how many bytes may still be read. Past the bound each read fails, as in a truncated file.
#[derive(Debug)]
pub struct BoundedFile {
    cache: ReadCache<Blocks>,
    left: Cell<u64>,
}

impl BoundedFile {
    /// The file, of which nothing has been read.
    pub fn new(file: File) -> Self {
        let cache = ReadCache::new(Blocks { reader: BufReader::with_capacity(BLOCK, file), position: 0 });
        let size = (&cache).len().unwrap_or(0);
        let left = Cell::new(size.saturating_mul(PER_BYTE).saturating_add(ALWAYS).min(MAX));
        Self { cache, left }
    }

    fn take(&self, bytes: u64) -> Result<(), ()> {
        // An empty name also takes an entry of the cache.
        let left = self.left.get().checked_sub(bytes.saturating_add(1)).ok_or(());
        self.left.set(left.unwrap_or(0));
        left.map(|_| ())
    }
}

impl<'a> ReadRef<'a> for &'a BoundedFile {
    fn len(self) -> Result<u64, ()> {
        (&self.cache).len()
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        self.take(size)?;
        self.cache.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        self.take(0)?;
        let end = range.end.min(range.start.saturating_add(LONGEST_NAME));
        let found = self.cache.read_bytes_at_until(range.start..end, delimiter);
        // A name without an end was searched through as well.
        self.take(found.map_or(LONGEST_NAME, |name| name.len() as u64))?;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn what_is_read_of_a_file_has_a_bound_however_often_its_tables_name_it() {
        let mut file = tempfile::tempfile().unwrap();
        let names = [vec![b'a'; 1 << 16], vec![0]].concat();
        file.write_all(&names).unwrap();
        let file = BoundedFile::new(file);
        let mut total = 0;
        for offset in (0..1 << 16).cycle().take(100_000) {
            total += (&file).read_bytes_at_until(offset..1 << 20, 0).map_or(0, |name| name.len() as u64);
        }
        assert!(total <= ALWAYS + PER_BYTE * names.len() as u64, "{total}");
        assert!((&file).read_bytes_at(0, 16).is_err());
    }

    #[test]
    fn bytes_are_those_of_their_position_in_any_order() {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..=250).cycle().flat_map(|byte| [byte; 7]).take(4 * BLOCK).collect();
        file.write_all(&bytes).unwrap();
        let file = BoundedFile::new(file);
        for (at, size) in [(9, 4), (3 * BLOCK, 100), (5, 2 * BLOCK), (BLOCK - 1, 2), (4 * BLOCK - 1, 1), (0, 9)] {
            assert_eq!((&file).read_bytes_at(at as u64, size as u64), Ok(&bytes[at..at + size]));
        }
        assert_eq!((&file).len(), Ok(bytes.len() as u64));
        assert!((&file).read_bytes_at(4 * BLOCK as u64 - 1, 2).is_err());
        assert_eq!((&file).read_bytes_at(7, 3), Ok(&bytes[7..10]));
    }

    #[test]
    fn a_section_of_holes_takes_no_memory() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(4 << 30).unwrap();
        let file = BoundedFile::new(file);
        assert!((&file).read_bytes_at(0, 4 << 30).is_err());
    }
}
