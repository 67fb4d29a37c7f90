//! The objects that were loaded since the last question: the linker appends each to the end of its list.

use super::image::{Image, any_image};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Maximum number of objects that are distinguished from those before them.
const CAPACITY: usize = 64;

/// Addresses of the objects that were loaded last.
#[derive(Clone, Debug)]
pub struct Newest {
    extents: [Range<u64>; CAPACITY],
    count: usize,
}

impl Newest {
    /// The addresses of each; `None` if there are more than [`newest`] distinguishes, as in its first answer.
    pub fn extents(&self) -> Option<&[Range<u64>]> {
        self.extents.get(..self.count)
    }
}

/// The objects that were loaded since the last call with the same `seen`, in which the linker's count of loaded objects is kept. It
/// is `u64::MAX` before the first call.
///
/// An object that was there before may be among them if others were unloaded, or are in another namespace. Takes the lock of
/// [`any_image`], and lists the objects only if there are new ones.
pub fn newest(seen: &AtomicU64) -> Newest {
    let mut newest = Newest { extents: [const { 0..0 }; CAPACITY], count: 0 };
    any_image(&mut |_, number| {
        let loads = number >> 32;
        let new = loads.checked_sub(seen.swap(loads, Relaxed)).and_then(|new| usize::try_from(new).ok());
        newest.count = new.unwrap_or(usize::MAX);
        // Nothing is loaded or unloaded before this call ends.
        if (1..=CAPACITY).contains(&newest.count) {
            newest.fill();
        }
        true
    });
    newest
}

impl Newest {
    /// Fills in the last objects of the list.
    fn fill(&mut self) {
        let mut images = [const { None::<Image> }; CAPACITY];
        let mut listed: usize = 0;
        any_image(&mut |image, _| {
            let place = listed.checked_rem(self.count).and_then(|place| images.get_mut(place));
            place.into_iter().for_each(|place| *place = Some(image));
            listed += 1;
            false
        });
        self.count = self.count.min(listed);
        for (extent, image) in self.extents.iter_mut().zip(images.iter().flatten()) {
            let Range { start, end } = image.extent();
            *extent = start as u64..end as u64;
        }
    }
}
