//! Atomics, from `std` or, under `--cfg loom`, from `loom`, which tries every order that the memory model allows.

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

#[cfg(loom)]
pub use loom::thread::yield_now;
#[cfg(not(loom))]
pub use std::thread::yield_now;

/// A constructor that is `const` except in models: each of their runs creates loom's atomics anew.
#[doc(hidden)]
#[macro_export]
macro_rules! const_unless_loom {
    ($(#[$doc:meta])* $vis:vis $name:ident => $value:expr) => {
        $(#[$doc])*
        #[cfg(not(loom))]
        $vis const fn $name() -> Self { $value }
        $(#[$doc])*
        #[cfg(loom)]
        $vis fn $name() -> Self { $value }
    };
}
pub use const_unless_loom;
