//! Cache of walked stacks: most of a deep stack is the same as in the previous walk; its frames are verified, not
//! unwound again.

use crate::memory::Memory;
use crate::registers::Frame;
use crate::unwind_rule::Words;

/// Maximum number of frames of a stack.
const DEPTH: usize = 1024;

/// The last two stacks of a thread. All zeros are valid.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Stacks {
    both: [Frames; 2],
    last_is_first: bool,
}

/// A stack: the sampled address, then return addresses, and for each of those the stack words that led there.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Frames {
    addresses: [u64; DEPTH],
    steps: [Taken; DEPTH],
    count: usize,
    /// Number of the list of modules by which it was walked.
    list: u32,
}

/// Result of one unwinding step: the caller's RBP, and the stack words that lead to it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Taken {
    bp: u64,
    words: Words,
}

/// The rest of the previous stack that has not been passed yet. Its frames are in order, except for those of handlers
/// on alternate stacks.
#[derive(Debug)]
pub(crate) struct Before<'a> {
    addresses: &'a [u64],
    steps: &'a [Taken],
}

impl Stacks {
    /// Writes to what a walk reads first, for the reason of [`crate::unwind_rule::Known::touch`].
    pub(crate) fn touch(&mut self) {
        self.both.iter_mut().for_each(|frames| frames.count = 0);
    }

    /// An empty stack, and the last one, if it was walked by the same list of modules.
    pub(crate) fn next(&mut self, list: u32) -> (&mut Frames, Before<'_>) {
        self.last_is_first = !self.last_is_first;
        let [first, second] = &mut self.both;
        let (next, last) = if self.last_is_first { (first, second) } else { (second, first) };
        (next.count, next.list) = (0, list);
        let count = if last.list == list { last.count } else { 0 };
        let (addresses, steps) = last.addresses.get(..count).zip(last.steps.get(..count)).unwrap_or_default();
        (next, Before { addresses, steps })
    }

    /// The last stack that was walked.
    pub(crate) fn last(&self) -> &Frames {
        let [first, second] = &self.both;
        if self.last_is_first { first } else { second }
    }
}

impl Frames {
    /// Appends a frame. Returns false if it doesn't fit.
    pub(crate) fn push(&mut self, address: u64, bp: u64, words: Words) -> bool {
        let place = self.addresses.get_mut(self.count).zip(self.steps.get_mut(self.count));
        let Some((address_place, step_place)) = place else { return false };
        (*address_place, *step_place) = (address, Taken { bp, words });
        self.count += 1;
        true
    }

    pub(crate) fn addresses(&self) -> &[u64] {
        self.addresses.get(..self.count).unwrap_or_default()
    }

    /// Return addresses and the stack slots that hold them; without the first frame, which has none.
    pub(crate) fn returns(&self) -> impl Iterator<Item = (u64, u64)> + Clone {
        let steps = self.steps.get(..self.count).unwrap_or_default();
        self.addresses().iter().copied().zip(steps.iter().map(|step| step.words.slot)).skip(1)
    }
}

impl Before<'_> {
    /// Copies the frames above `frame` from the previous stack, if that stack also contains `frame`. `frame` was just
    /// pushed, and `words` led there. Each copied frame is verified: the same code finds the same frame's caller with
    /// the same stack words. Returns the last frame that was copied.
    pub(crate) fn follow(&mut self, frames: &mut Frames, frame: Frame, words: Words, memory: &mut Memory) -> Frame {
        let mut last = frame;
        if words.bp == Words::MORE || !self.is_at(frame, words) {
            return last;
        }
        while let Some((address, step)) = self.first() {
            let Words { slot, bp } = step.words;
            let is_same = bp != Words::MORE
                && (bp == 0 || memory.read(bp) == Some(step.bp))
                && memory.read(slot) == Some(address);
            if !is_same || !frames.push(address, step.bp, step.words) {
                break;
            }
            last = Frame { ip: address, sp: slot.wrapping_add(8), bp: step.bp };
            self.pass();
        }
        last
    }

    /// True if the frame is in the remaining part, which then starts after it.
    fn is_at(&mut self, frame: Frame, words: Words) -> bool {
        while self.first().is_some_and(|(_, step)| step.words.slot < words.slot) {
            self.pass();
        }
        let found = self.first().filter(|(_, step)| step.words.slot == words.slot);
        if found.is_some() {
            self.pass();
        }
        found.is_some_and(|(address, step)| step.words.bp != Words::MORE && (address, step.bp) == (frame.ip, frame.bp))
    }

    fn first(&self) -> Option<(u64, Taken)> {
        self.addresses.first().copied().zip(self.steps.first().copied())
    }

    fn pass(&mut self) {
        self.addresses = self.addresses.get(1..).unwrap_or_default();
        self.steps = self.steps.get(1..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Piece;

    const LIST: u32 = 7;

    /// A stack of frames that each have a saved RBP and a return address, from `words` on.
    fn push_all(frames: &mut Frames, words: &[u64], from: usize) -> Vec<(Frame, Words)> {
        let at = |index: usize| words.as_ptr().addr() as u64 + 8 * index as u64;
        let pairs = (from..words.len()).step_by(2);
        let all = pairs.map(|index| {
            let (bp, ip) = (words[index], words[index + 1]);
            (Frame { ip, sp: at(index + 2), bp }, Words { slot: at(index + 1), bp: at(index) })
        });
        let all: Vec<_> = all.collect();
        all.iter().for_each(|(frame, words)| assert!(frames.push(frame.ip, frame.bp, *words)));
        all
    }

    /// Walks a stack of ten frames, applies `change`, and walks again from the third frame on. Returns how many frames
    /// are followed.
    fn followed(list: u32, change: impl Fn(&mut [u64])) -> usize {
        let (mut stacks, mut piece) = (none(), Piece::EMPTY);
        let mut words: Vec<u64> = (100..120).collect();
        let (frames, _) = stacks.next(LIST);
        let known = push_all(frames, &words, 0);
        change(&mut words);
        let range = words.as_ptr_range();
        let stack = (range.start.expose_provenance() as u64, range.end.expose_provenance() as u64);
        let mut memory = Memory::new(stack, stack.0, &mut piece);
        let (frames, mut before) = stacks.next(list);
        let (third, of_third) = known[2];
        assert!(frames.push(third.ip, third.bp, of_third));
        let last = before.follow(frames, third, of_third, &mut memory);
        let count = frames.addresses().len();
        let (frame, _) = known[2 + count - 1];
        assert_eq!((last.ip, last.sp, last.bp), (frame.ip, frame.sp, frame.bp));
        assert!(frames.addresses().iter().zip(&known[2..]).all(|(address, (frame, _))| *address == frame.ip));
        count - 1
    }

    fn none() -> Box<Stacks> {
        let step = Taken { bp: 0, words: Words { slot: 0, bp: 0 } };
        let frames = || Frames { addresses: [0; DEPTH], steps: [step; DEPTH], count: 0, list: 0 };
        Box::new(Stacks { both: [frames(), frames()], last_is_first: false })
    }

    #[test]
    fn what_is_as_before_is_followed() {
        assert_eq!(followed(LIST, |_| ()), 7);
        // Below the frame that was found.
        assert_eq!(followed(LIST, |words| words[..6].fill(1)), 7);
    }

    #[test]
    fn what_has_changed_is_not_followed() {
        assert_eq!(followed(LIST, |words| words[13] = 1), 3, "another return address");
        assert_eq!(followed(LIST, |words| words[12] = 1), 3, "another frame");
        assert_eq!(followed(LIST, |words| words[7] = 1), 0);
        assert_eq!(followed(LIST + 1, |_| ()), 0, "other code");
    }

    #[test]
    fn a_frame_that_is_another_one_leads_nowhere_new() {
        let (mut stacks, mut piece) = (none(), Piece::EMPTY);
        let words: Vec<u64> = (100..120).collect();
        let known = push_all(stacks.next(LIST).0, &words, 0);
        let mut memory = Memory::new((0, 0), 0, &mut piece);
        let (frames, mut before) = stacks.next(LIST);
        let (third, of_third) = known[2];
        for other in [Frame { ip: 1, ..third }, Frame { bp: 1, ..third }] {
            assert_eq!(before.follow(frames, other, of_third, &mut memory).ip, other.ip);
        }
        assert!(frames.addresses().is_empty());
    }
}
