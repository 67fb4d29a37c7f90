//! Table of calls that gcc's code makes for a construct, by their return addresses.
//!
//! The `ora` command writes the table for the files of a program (`ORA_CALL_SITES`), and `libora.so` reads it while the program starts. All
//! numbers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4, 4 | number of objects, number of all call sites |
//! | 40 for each object | build ID, padded with zeros to 32 bytes; its length; number of the object's call sites |
//! | 8 for each call site | return address in the object's file << 8, [`Kind`] |
//!
//! The call sites of an object are sorted. Reading allocates nothing.

/// First bytes of a table; the last one is the version of the format.
pub const MAGIC: [u8; 8] = *b"ORACALL\x01";
/// Largest size of a table, in bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// Largest size of a build ID, in bytes.
pub const MAX_BUILD_ID: usize = 32;

const HEAD: usize = 16;
const OBJECT: usize = MAX_BUILD_ID + 8;
const SITE: usize = 8;
/// Bits of a call site's word below the address.
const KIND_BITS: u32 = 8;

/// Purpose of a call that the compiler made for a construct.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The second call of the pair with which a loop with a static schedule begins (`omp_get_thread_num`).
    Loop = 1,
    /// The second call for a `distribute` construct (`omp_get_team_num`).
    Distribute,
    /// The barrier at the end of a loop.
    LoopEnd,
    /// The barrier at the end of a `single` construct.
    SingleEnd,
    /// An implicit barrier of another construct.
    OtherEnd,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Loop, Self::Distribute, Self::LoopEnd, Self::SingleEnd, Self::OtherEnd];

    fn of(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u64 == number)
    }

    /// True for an implicit barrier.
    pub fn is_barrier(self) -> bool {
        matches!(self, Self::LoopEnd | Self::SingleEnd | Self::OtherEnd)
    }
}

/// One call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// Address in the object's file to which the call returns.
    pub address: u64,
    /// Purpose of the call.
    pub kind: Kind,
}

impl Site {
    fn word(self) -> u64 {
        self.address << KIND_BITS | self.kind as u64
    }
}

/// Bytes that are not a table: damaged, or from another version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// A table in memory.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    objects: &'a [u8],
    sites: &'a [u8],
}

/// An object of a table.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    /// Build ID of the file.
    pub build_id: &'a [u8],
    /// Its calls.
    pub sites: Sites<'a>,
}

/// Sorted calls of one object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sites<'a>(&'a [u8]);

impl<'a> Table<'a> {
    /// Checks the sizes in a table, and the order of its call sites.
    ///
    /// # Errors
    /// If the bytes are not a table.
    pub fn of(bytes: &'a [u8]) -> Result<Self, Damaged> {
        let (head, rest) = bytes.split_at_checked(HEAD).ok_or(Damaged)?;
        let (magic, counts) = head.split_at_checked(MAGIC.len()).ok_or(Damaged)?;
        let length = |index: usize, size: usize| number(counts, index)?.checked_mul(size);
        let (Some(objects), Some(sites)) = (length(0, OBJECT), length(1, SITE)) else { return Err(Damaged) };
        let (objects, sites) = rest.split_at_checked(objects).filter(|(_, it)| it.len() == sites).ok_or(Damaged)?;
        let table = Self { objects, sites };
        let count: usize = table.counts().try_fold(0_usize, usize::checked_add).ok_or(Damaged)?;
        let is_whole = magic == MAGIC && Some(count) == number(counts, 1);
        (is_whole && table.objects().all(|object| object.sites.are_sorted())).then_some(table).ok_or(Damaged)
    }

    fn counts(self) -> impl Iterator<Item = usize> {
        let (records, _) = self.objects.as_chunks::<OBJECT>();
        records
            .iter()
            .map(|record| record.split_at_checked(MAX_BUILD_ID + 4).and_then(|(_, it)| number(it, 0)).unwrap_or(0))
    }

    /// The objects with their calls.
    pub fn objects(self) -> impl Iterator<Item = Object<'a>> {
        let (records, _) = self.objects.as_chunks::<OBJECT>();
        let mut left = self.sites;
        records.iter().zip(self.counts()).map_while(move |(record, count)| {
            let (id, length) = record.split_at_checked(MAX_BUILD_ID)?;
            let (own, rest) = left.split_at_checked(count.checked_mul(SITE)?)?;
            left = rest;
            Some(Object { build_id: id.get(..number(length, 0)?).unwrap_or_default(), sites: Sites(own) })
        })
    }
}

impl Sites<'_> {
    /// Number of calls.
    pub fn count(self) -> usize {
        self.0.len() / SITE
    }

    /// The calls, sorted by their addresses.
    pub fn iter(self) -> impl Iterator<Item = Site> {
        (0..self.count()).filter_map(move |index| {
            let word = self.word(index)?;
            Some(Site { address: word >> KIND_BITS, kind: Kind::of(word & 0xff)? })
        })
    }

    /// Purpose of the call that returns to an address. Async-signal-safe: loads.
    #[inline]
    pub fn kind(self, address: u64) -> Option<Kind> {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = low + (high - low) / 2;
            let word = self.word(middle)?;
            match (word >> KIND_BITS).cmp(&address) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Kind::of(word & 0xff),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn word(self, index: usize) -> Option<u64> {
        let (words, _) = self.0.as_chunks::<SITE>();
        words.get(index).map(|word| u64::from_le_bytes(*word))
    }

    fn are_sorted(self) -> bool {
        (1..self.count()).all(|index| self.word(index - 1) < self.word(index))
    }
}

/// The number at position `index` among four-byte numbers.
fn number(bytes: &[u8], index: usize) -> Option<usize> {
    let (numbers, _) = bytes.as_chunks::<4>();
    usize::try_from(u32::from_le_bytes(*numbers.get(index)?)).ok()
}

/// Writes a table of objects, by build ID, with their calls. Objects whose build IDs this format doesn't allow are omitted.
pub fn table(objects: &[(Vec<u8>, Vec<Site>)]) -> Vec<u8> {
    let fits = |object: &&(Vec<u8>, Vec<Site>)| (1..=MAX_BUILD_ID).contains(&object.0.len());
    let objects: Vec<_> = objects.iter().filter(fits).collect();
    let (mut records, mut words) = (Vec::new(), Vec::new());
    for (build_id, sites) in &objects {
        let mut own: Vec<u64> = sites.iter().map(|site| site.word()).collect();
        own.sort_unstable();
        own.dedup();
        let mut id = build_id.clone();
        id.resize(MAX_BUILD_ID, 0);
        records.extend(id);
        records.extend(le(build_id.len()).into_iter().chain(le(own.len())));
        words.extend(own.into_iter().flat_map(u64::to_le_bytes));
    }
    [&MAGIC[..], &le(objects.len()), &le(words.len() / SITE), &records, &words].concat()
}

fn le(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

#[cfg(test)]
mod tests;
