//! A long list that is released piece by piece, while its items are taken one after the other.

/// Length of a piece in bytes: memory that malloc returns to the system when it is freed (mallopt(3), `M_MMAP_THRESHOLD`).
const PIECE: usize = 64 << 20;

/// A list of which items are only added and taken in order.
#[derive(Clone, Debug)]
pub struct Pieces<T>(Vec<Vec<T>>);

impl<T> Default for Pieces<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Pieces<T> {
    pub(crate) fn push(&mut self, item: T) {
        match self.0.last_mut().filter(|last| last.len() < PIECE / size_of::<T>().max(1)) {
            Some(last) => last.push(item),
            None => self.0.push(vec![item]),
        }
    }

    /// Iterates over the items in their order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    /// Number of items.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}

impl<T> FromIterator<T> for Pieces<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut pieces = Self::default();
        items.into_iter().for_each(|item| pieces.push(item));
        pieces
    }
}

impl<T> IntoIterator for Pieces<T> {
    type Item = T;
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<Vec<T>>>;

    /// Each piece is released when its last item has been taken.
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().flatten()
    }
}
