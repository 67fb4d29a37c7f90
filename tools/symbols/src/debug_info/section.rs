//! Sections of debug information as passed to their reader: shared bytes, with a bound on the work on them.
//!
//! Debug information can be made so that it costs far more time than it has bytes: lists of ranges that many units share, long
//! strings that many entries refer to, inlined functions nested by the million. Each step of reading is counted here, and the
//! depth of the stack is checked; past a bound, or once the time of all look-ups is used up, the information reads as if it was
//! truncated.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use addr2line::gimli::{self, Error, Reader, ReaderOffsetId, RunTimeEndian};
use untrusted::content::Content;

use crate::time;

/// Number of steps for each byte, and for every file. Large Rust programs need one step for three bytes.
const STEPS_PER_BYTE: u64 = 4;
const STEPS: u64 = 1 << 26;
/// Bound for the largest files: about ten seconds.
const MAX_STEPS: u64 = 1 << 31;
/// Number of bytes of a string or a search that count as one step.
const BYTES_PER_STEP: usize = 8;
/// Number of steps, a power of two, after which the time is compared.
const STEPS_PER_CLOCK: u64 = 1 << 14;
/// Size of the stack for one look-up, in bytes. A nested inlined function takes about 400.
const STACK: usize = 1 << 20;

thread_local! {
    /// Address in the frame of the look-up that is reading; 0 if there is none, and the reader is not nested.
    static LOOK_UP: Cell<usize> = const { Cell::new(0) };
}

/// Calls `look_up`, which reads sections, with a bound for the depth of its stack.
pub(super) fn with_bounded_stack<T>(look_up: impl FnOnce() -> T) -> T {
    let before = LOOK_UP.replace(stack_address());
    let found = look_up();
    LOOK_UP.set(before);
    found
}

#[inline(never)]
fn stack_address() -> usize {
    let local = 0_u8;
    std::hint::black_box(&raw const local).addr()
}

/// Bytes with a bound on the steps of reading them.
pub(super) struct Bounded {
    content: Content,
    steps: Cell<u64>,
}

impl Bounded {
    pub(super) fn new(content: Content) -> Self {
        let steps = STEPS.saturating_add(STEPS_PER_BYTE.saturating_mul(content.len() as u64)).min(MAX_STEPS);
        Self { content, steps: Cell::new(steps) }
    }

    /// Bytes that can't be read in more than `steps` steps.
    #[cfg(test)]
    pub(super) fn with_steps(bytes: &[u8], steps: u64) -> Self {
        Self { content: Content::Copied(bytes.to_vec()), steps: Cell::new(steps) }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.content
    }
}

/// A part of a file, or of a section that was decompressed.
#[derive(Clone)]
pub(crate) struct Section {
    bytes: Rc<Bounded>,
    start: usize,
    end: usize,
    endian: RunTimeEndian,
}

impl fmt::Debug for Section {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Section").field("start", &self.start).field("end", &self.end).finish_non_exhaustive()
    }
}

impl Section {
    /// The part from `start` to `end`; empty if that is not within the bytes.
    pub(super) fn new(bytes: &Rc<Bounded>, start: usize, end: usize, endian: RunTimeEndian) -> Self {
        let (start, end) = if start <= end && end <= bytes.bytes().len() { (start, end) } else { (0, 0) };
        Self { bytes: Rc::clone(bytes), start, end, endian }
    }

    /// A copy of a section of this machine's byte order.
    pub(crate) fn copy(bytes: &[u8]) -> Self {
        let endian = if cfg!(target_endian = "little") { RunTimeEndian::Little } else { RunTimeEndian::Big };
        Self::new(&Rc::new(Bounded::new(Content::Copied(bytes.to_vec()))), 0, bytes.len(), endian)
    }

    pub(super) fn empty(endian: RunTimeEndian) -> Self {
        Self::new(&Rc::new(Bounded::new(Content::Copied(Vec::new()))), 0, 0, endian)
    }

    #[inline]
    fn rest(&self) -> &[u8] {
        self.bytes.content.get(self.start..self.end).unwrap_or_default()
    }

    #[inline]
    fn cut_off(&self) -> Error {
        Error::UnexpectedEof(self.offset_id())
    }

    /// Counts work on `bytes` bytes.
    #[inline]
    fn count(&self, bytes: usize) -> gimli::Result<()> {
        let steps = 1 + (bytes / BYTES_PER_STEP) as u64;
        let before = self.bytes.steps.get();
        let left = before.checked_sub(steps).ok_or_else(|| self.cut_off())?;
        self.bytes.steps.set(left);
        if left / STEPS_PER_CLOCK != before / STEPS_PER_CLOCK && time::is_over() {
            self.bytes.steps.set(0);
        }
        let local = 0_u8;
        let look_up = LOOK_UP.get();
        let depth = look_up.abs_diff((&raw const local).addr());
        if depth > STACK && look_up != 0 { Err(self.cut_off()) } else { Ok(()) }
    }

    #[inline]
    fn advance(&mut self, bytes: usize) -> gimli::Result<()> {
        if self.end - self.start < bytes {
            return Err(self.cut_off());
        }
        self.start += bytes;
        Ok(())
    }
}

impl Reader for Section {
    type Endian = RunTimeEndian;
    type Offset = usize;

    #[inline]
    fn endian(&self) -> RunTimeEndian {
        self.endian
    }

    #[inline]
    fn len(&self) -> usize {
        self.end - self.start
    }

    #[inline]
    fn empty(&mut self) {
        self.end = self.start;
    }

    #[inline]
    fn truncate(&mut self, len: usize) -> gimli::Result<()> {
        if self.len() < len {
            return Err(self.cut_off());
        }
        self.end = self.start + len;
        Ok(())
    }

    #[inline]
    fn offset_from(&self, base: &Self) -> usize {
        self.start.wrapping_sub(base.start)
    }

    #[inline]
    fn offset_id(&self) -> ReaderOffsetId {
        ReaderOffsetId(self.bytes.content.as_ptr().addr().wrapping_add(self.start) as u64)
    }

    #[inline]
    fn lookup_offset_id(&self, id: ReaderOffsetId) -> Option<usize> {
        let offset = usize::try_from(id.0.checked_sub(self.offset_id().0)?).ok()?;
        (offset <= self.len()).then_some(offset)
    }

    #[inline]
    fn find(&self, byte: u8) -> gimli::Result<usize> {
        let found = memchr::memchr(byte, self.rest());
        self.count(found.unwrap_or(self.len()))?;
        found.ok_or_else(|| self.cut_off())
    }

    #[inline]
    fn skip(&mut self, len: usize) -> gimli::Result<()> {
        self.count(0)?;
        self.advance(len)
    }

    #[inline]
    fn split(&mut self, len: usize) -> gimli::Result<Self> {
        self.count(0)?;
        let start = self.start;
        self.advance(len)?;
        Ok(Self { end: start + len, start, ..self.clone() })
    }

    #[inline]
    fn to_slice(&self) -> gimli::Result<Cow<'_, [u8]>> {
        self.count(self.len())?;
        Ok(self.rest().into())
    }

    #[inline]
    fn to_string(&self) -> gimli::Result<Cow<'_, str>> {
        self.count(self.len())?;
        std::str::from_utf8(self.rest()).map(Cow::from).map_err(|_| Error::BadUtf8)
    }

    #[inline]
    fn to_string_lossy(&self) -> gimli::Result<Cow<'_, str>> {
        self.count(self.len())?;
        Ok(String::from_utf8_lossy(self.rest()))
    }

    #[inline]
    fn read_u8(&mut self) -> gimli::Result<u8> {
        self.count(0)?;
        let byte = *self.rest().first().ok_or_else(|| self.cut_off())?;
        self.start += 1;
        Ok(byte)
    }

    #[inline]
    fn read_slice(&mut self, buffer: &mut [u8]) -> gimli::Result<()> {
        self.count(buffer.len())?;
        buffer.copy_from_slice(self.rest().get(..buffer.len()).ok_or_else(|| self.cut_off())?);
        self.start += buffer.len();
        Ok(())
    }
}
