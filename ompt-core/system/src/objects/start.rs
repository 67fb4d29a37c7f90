//! The objects that the process started with.

use super::{Object, any_object};
use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The number of objects that the process started with: the executable, what is preloaded, and what these need. They
/// are never unloaded, and come before all others.
pub fn count_at_start() -> usize {
    /// 0: not counted yet.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let known = COUNT.load(Relaxed);
    if known != 0 {
        return known;
    }
    // Objects up to the last one that is needed by an object before that point.
    let (mut count, mut seen) = (1, 0);
    while seen < count {
        let mut index = 0;
        let (from, to) = (seen, count);
        any_object(&mut |object| {
            if index >= from {
                object.needed().for_each(|name| count = count.max(position(name).map_or(0, |position| position + 1)));
            }
            index += 1;
            index >= to
        });
        seen = to;
    }
    COUNT.store(count, Relaxed);
    count
}

/// The position of the first object of this name in loading order.
fn position(name: &CStr) -> Option<usize> {
    let mut index = 0;
    let is_it = |object: &Object| object.names().iter().flatten().any(|own| *own == name);
    let found = any_object(&mut |object| {
        let found = is_it(&object);
        index += usize::from(!found);
        found
    });
    found.then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_is_there_from_the_start() {
        assert!(position(c"libc.so.6").is_some_and(|position| position < count_at_start()));
    }
}
