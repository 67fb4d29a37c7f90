//! The library's allocator, with a reserve for when the system refuses memory: the program must not end because of the
//! validator. From then on no event is checked: the reserve is for the requests of the present event.

use reserve_allocator::WithReserve;

#[global_allocator]
static ALLOCATOR: WithReserve = WithReserve::new();

/// True if memory of the reserve is used.
pub(crate) fn is_of_reserve() -> bool {
    ALLOCATOR.is_used()
}
