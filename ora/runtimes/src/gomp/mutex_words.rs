//! Addresses of one libgomp's mutexes, and the test whether they may be taken without calling libgomp.
#![allow(unsafe_code)] // refers to libgomp's data

use super::entry::Code;
use super::names::Entry;
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, Ordering::*};
use system::arch::{Word, freed, taken};
use system::objects::{Object, any_object};

/// Takes a libgomp mutex as libgomp itself does, unless it is taken: 1 means taken, -1 (2 before gcc 4.7) that threads wait.
#[inline(always)]
pub(super) fn try_take(word: &AtomicI32) -> bool {
    // Acquire: pairs with the releasing exchange in libgomp's unlock (`gomp_mutex_unlock`), as the one in its own lock does. A
    // `try_take` that succeeds publishes nothing.
    word.compare_exchange(0, 1, Acquire, Relaxed).is_ok()
}

/// A mutex in libgomp's own data. Its address is the mutex's wait id.
pub(super) struct Hidden {
    /// Address of the mutex's word; null if libgomp's code was not understood.
    word: AtomicPtr<AtomicI32>,
    /// 1 while a thread holds the mutex; used without the word.
    pub(super) taken: AtomicU32,
}

impl Hidden {
    const fn unknown() -> Self {
        Self { word: AtomicPtr::new(null_mut()), taken: AtomicU32::new(0) }
    }

    /// The mutex's word, if it is known.
    #[inline(always)]
    pub(super) fn word(&self) -> Option<&'static AtomicI32> {
        // SAFETY: null, or the address of an aligned word in the data of the libgomp that the calls are for: `learn` verified it.
        unsafe { self.word.load(Relaxed).as_ref() }
    }
}

/// The mutexes that libgomp's entry points use.
pub(super) struct Mutexes {
    /// The unnamed critical section's mutex.
    pub(super) critical: Hidden,
    /// The mutex of `GOMP_atomic_start`.
    pub(super) atomic: Hidden,
    /// True if a named critical section's word, which the program passes, is such a mutex.
    named: AtomicBool,
}

impl Mutexes {
    pub(super) const fn unknown() -> Self {
        Self { critical: Hidden::unknown(), atomic: Hidden::unknown(), named: AtomicBool::new(false) }
    }

    /// True if the word of a named critical section may be taken by [`try_take`].
    #[inline(always)]
    pub(super) fn knows_named(&self) -> bool {
        self.named.load(Relaxed)
    }

    /// Decodes libgomp's entry points. Called before calls are led to wrappers.
    pub(super) fn learn(&self, function: impl Fn(Entry) -> Option<Code>) {
        use Entry::{GOMP_atomic_end, GOMP_atomic_start, GOMP_critical_end, GOMP_critical_start};
        let set = |hidden: &Hidden, start, end| {
            let word = hidden_word(function(start).zip(function(end)));
            hidden.word.store(word.map_or(null_mut(), with_exposed_provenance_mut), Relaxed);
            hidden.taken.store(0, Relaxed);
        };
        set(&self.critical, GOMP_critical_start, GOMP_critical_end);
        set(&self.atomic, GOMP_atomic_start, GOMP_atomic_end);
        let named = word_of(function(Entry::GOMP_critical_name_start).zip(function(Entry::GOMP_critical_name_end)));
        self.named.store(matches!(named, Some((_, Word::Argument))), Relaxed);
    }
}

/// The word that one entry point takes and the other one frees, and the object that contains them.
fn word_of(functions: Option<(Code, Code)>) -> Option<(Object, Word)> {
    let (start, end) = functions?;
    let mut found = None;
    any_object(&mut |object| {
        let word = |function: *const (), of: fn(&[u8], usize) -> Option<Word>| {
            of(object.code_at(function as usize), function as usize)
        };
        let word = word(start.0, taken).filter(|taken| word(end.0, freed) == Some(*taken));
        found = word.map(|word| (object, word));
        found.is_some()
    });
    found
}

/// The address of that word in the object's data.
fn hidden_word(functions: Option<(Code, Code)>) -> Option<usize> {
    match word_of(functions)? {
        (object, Word::At(address)) if object.has_data(address) && address.is_multiple_of(align_of::<AtomicI32>()) => {
            Some(address)
        }
        _ => None,
    }
}
