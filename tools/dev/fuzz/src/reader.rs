//! A file's bytes as a sequence of choices.

/// Reads choices; returns zeros once the bytes are used up.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Creates a reader at the start.
    pub fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// True if everything has been read.
    pub fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads the next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    /// Reads the next 32 bits.
    pub fn word(&mut self) -> i32 {
        i32::from_le_bytes([(); 4].map(|()| self.byte()))
    }

    /// Chooses an element by the next byte.
    ///
    /// # Panics
    /// If `choices` is empty.
    pub fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        let index = usize::from(self.byte()) % choices.len().max(1);
        choices.get(index).copied().expect("there is a choice")
    }

    /// Reads up to `count` bytes.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        taken
    }
}
