//! Data words: 64 bits for the tool that the runtime keeps with a thread, a parallel region or a task.
#![allow(unsafe_code)] // a word of the runtime's memory, and its bits as the tool's type

use ompt_abi::v5::ompt_data_t;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::*};

/// Type of a data word: a value that fits into 64 bits, and for which zero bits mean "never set".
///
/// # Soundness
///
/// The library reads a word as the type that the tool has chosen for it in [`Tool::Thread`], [`Tool::Parallel`] or [`Tool::Task`]. That is
/// sound for these reasons:
///
/// - A word's bits are 0 or come from [`Word::into_bits`] of the same type. The runtime initializes a word to
///   `ompt_data_none` and leaves it to the tool (OpenMP 5.0, section 4.4.4.2), and only [`Data::set`] and the setters of
///   [`Runtime`] write it.
/// - Several threads may use the word of one region or task simultaneously: words are read and written atomically.
/// - A word may outlive the meaning that a tool gave it, and a late callback or a signal handler may then read it. So a word
///   never owns memory, and nothing is freed through it: the reference in `Option<&'static T>` is valid forever. A [`Pool`]
///   makes records reusable.
///
/// [`Pool`]: crate::Pool
/// [`Tool::Thread`]: crate::Tool::Thread
/// [`Tool::Parallel`]: crate::Tool::Parallel
/// [`Tool::Task`]: crate::Tool::Task
/// [`Runtime`]: crate::Runtime
pub trait Word: Copy + Send + Sync + 'static {
    /// Bits of the value.
    fn into_bits(self) -> u64;

    /// Value with these bits.
    ///
    /// # Safety
    /// `bits` is 0 or came from [`Word::into_bits`] of this type, in this process.
    unsafe fn from_bits(bits: u64) -> Self;
}

/// No word: the tool keeps nothing.
impl Word for () {
    fn into_bits(self) -> u64 {
        0
    }

    unsafe fn from_bits(_: u64) -> Self {}
}

/// A number; 0 until it is set.
impl Word for u64 {
    fn into_bits(self) -> u64 {
        self
    }

    unsafe fn from_bits(bits: u64) -> Self {
        bits
    }
}

/// A record that lives as long as the process, as [`Pool`](crate::Pool) and [`Box::leak`] create it; `None` until it is set.
impl<T: Sync + 'static> Word for Option<&'static T> {
    fn into_bits(self) -> u64 {
        self.map_or(0, |record| std::ptr::from_ref(record).expose_provenance() as u64)
    }

    #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
    unsafe fn from_bits(bits: u64) -> Self {
        // SAFETY: null, or the address of a `&'static T` (by this function's `# Safety`), whose provenance `into_bits` has exposed.
        unsafe { std::ptr::with_exposed_provenance::<T>(bits as usize).as_ref() }
    }
}

/// Data word of a thread, region or task, for the duration of a callback.
///
/// If the runtime passes no word (for a region that has already ended, OpenMP 5.0, section 4.5.2), it reads as never set, and setting it
/// has no effect.
pub struct Data<'a, W> {
    word: Option<&'a AtomicU64>,
    kind: PhantomData<W>,
}

impl<W> fmt::Debug for Data<'_, W> {
    /// Shows the bits of the word, because the content of a record may be changing.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Data").field(&self.word.map(|word| word.load(Relaxed))).finish()
    }
}

impl<W: Word> Data<'_, W> {
    /// Wraps the runtime's word at an address.
    ///
    /// # Safety
    /// `data` is null, or a data word for values of type `W` that is valid for the lifetime that the caller gives the result. Only tools of
    /// this crate use it in the meantime.
    pub(crate) unsafe fn at(data: *mut ompt_data_t) -> Self {
        // SAFETY: null, or 8 aligned bytes, as the layout check in `ompt-abi` asserts, that stay valid (by this function's `# Safety`).
        let word = unsafe { data.cast::<AtomicU64>().as_ref() };
        Self { word, kind: PhantomData }
    }

    /// True if the runtime has passed a word.
    pub fn is_there(&self) -> bool {
        self.word.is_some()
    }

    /// Value of the word. Async-signal-safe.
    pub fn get(&self) -> W {
        // Acquire: pairs with the store in `set`, so that the record that a reference leads to is visible.
        let bits = self.word.map_or(0, |word| word.load(Acquire));
        // SAFETY: 0, or stored by `set` as a `W` (`Word`, "Soundness").
        unsafe { W::from_bits(bits) }
    }

    /// Sets the word. Async-signal-safe.
    pub fn set(&self, value: W) {
        if let Some(word) = self.word {
            // Release: pairs with the load in `get`.
            word.store(value.into_bits(), Release);
        }
    }
}
