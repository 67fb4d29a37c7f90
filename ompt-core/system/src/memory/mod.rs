//! Memory for records that outlive their owners, and the lock-free types through which threads and signal handlers
//! share them.

mod generation;
mod keyed_word;
mod link;
mod numbered_words;
#[cfg(not(loom))]
mod page_size;
#[cfg(any(test, not(loom)))]
mod pages;
#[cfg(not(loom))]
mod pool;
mod reader_pin;
mod records;
#[cfg(not(loom))]
mod scratch;
#[cfg(not(loom))]
mod slab;
mod treiber_stack;

pub use generation::{Generation, read_same};
pub use keyed_word::{Keyed, KeyedWord};
pub use link::{AtomicRef, Link, of_tagged_word, tagged_word};
pub use numbered_words::NumberedWords;
#[cfg(not(loom))]
pub use page_size::{SMALLEST_PAGE, page_size};
#[cfg(not(loom))]
pub use pages::{pages, reserve_pages};
#[cfg(not(loom))]
pub use pool::{Kept, Pool, Pooled};
pub use reader_pin::ReaderPin;
pub use records::{Record, Records};
#[cfg(not(loom))]
pub use scratch::{Scratch, kept};
#[cfg(not(loom))]
pub use slab::{Zeroed, page, slice};
pub use treiber_stack::{StackLink, TreiberStack};
