//! The library's allocator, with a reserve for when the system refuses memory: the program must not end because of the
//! validator. Once the reserve is used, no more events are checked: it is meant for the allocations of the current
//! event.

use reserve_allocator::WithReserve;

#[global_allocator]
static ALLOCATOR: WithReserve = WithReserve::new();

/// True if memory of the reserve has been used.
pub(crate) fn is_of_reserve() -> bool {
    ALLOCATOR.is_used()
}
