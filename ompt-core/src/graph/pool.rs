//! Pool of records that are taken and returned by one thread.

use system::memory::{Link, Zeroed, page};

/// A record that can lie in a pool.
pub(super) trait Linked: Zeroed + Sized {
    /// The link to the next record of a list.
    fn next(&self) -> &Link<Self>;
}

/// Unused records.
pub(super) struct Pool<T>(Link<T>);

system::zeroed!(<T: Linked> Pool { 0 });

impl<T: Linked> Pool<T> {
    /// An unused record; `None` if the system refuses memory.
    pub(super) fn take(&self) -> Option<&'static T> {
        if self.0.get().is_none() {
            page::<T>()?.iter().for_each(|one| self.put(one));
        }
        self.take_unused()
    }

    /// An unused record that is already in the pool; `None` if it is empty.
    pub(super) fn take_unused(&self) -> Option<&'static T> {
        let one = self.0.get()?;
        self.0.set(one.next().get());
        one.next().set(None);
        Some(one)
    }

    /// Returns a record to the pool.
    pub(super) fn put(&self, one: &'static T) {
        one.next().set(self.0.get());
        self.0.set(Some(one));
    }

    /// Replaces the pool's list, which has to be empty.
    pub(super) fn refill(&self, list: Option<&'static T>) {
        self.0.set(list);
    }
}
