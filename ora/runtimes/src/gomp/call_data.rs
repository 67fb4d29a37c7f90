//! Data to which pointers among an entry's arguments refer: lists of dependences, messages, sizes of a rectangle, and arguments for
//! devices.
#![allow(unsafe_code)] // reads the program's memory

use ompt_core::detail::{Dependence, DependenceKind};
use std::ffi::CStr;
use std::marker::PhantomData;

/// The dependences of a new task: the list that compiled code passes to libgomp.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Dependences<'call>(*const usize, PhantomData<&'call usize>);

impl<'call> Dependences<'call> {
    /// The list at this address, or none at null.
    ///
    /// # Safety
    /// Compiled code passes the address to libgomp as that of a list of dependences, or null, in a call that lasts as long as the result is
    /// used.
    pub(super) unsafe fn at(address: usize) -> Self {
        Self(address as *const usize, PhantomData)
    }

    /// The list, once its counts are read.
    pub(super) fn read(self) -> List<'call> {
        List::read(self)
    }

    /// The list, unless there is none or it is empty.
    pub(super) fn any(self) -> Option<Self> {
        Some(self).filter(|list| !list.0.is_null() && !list.is_empty())
    }

    /// True if the list is empty, as it is for an iterator without values.
    pub(super) fn is_empty(self) -> bool {
        self.read().all == 0
    }
}

/// A dependence list (libgomp's `task.c`, `gomp_task_handle_depend`). gcc counts `out` as `inout`.
#[derive(Clone, Copy)]
pub(super) struct List<'call> {
    addresses: *const usize,
    list: PhantomData<&'call usize>,
    all: usize,
    inout: usize,
    mutexinoutset: usize,
    /// Number of `in` dependences; dependence objects follow them.
    input: usize,
}

impl<'call> List<'call> {
    fn read(Dependences(depend, list): Dependences<'call>) -> Self {
        // SAFETY: compiled code passes a list (`Dependences`) of at least two words, and at least five if the first is 0 (libgomp's
        // `gomp_task_handle_depend`): no `i` below is larger.
        let word = |i: usize| unsafe { depend.wrapping_add(i).read() };
        match word(0) {
            0 => {
                let (inout, mutexinoutset, input) = (word(2), word(3), word(4));
                Self { addresses: depend.wrapping_add(5), list, all: word(1), inout, mutexinoutset, input }
            }
            all => {
                let inout = word(1);
                let input = all.saturating_sub(inout);
                Self { addresses: depend.wrapping_add(2), list, all, inout, mutexinoutset: 0, input }
            }
        }
    }

    /// The number of dependences.
    pub(super) fn len(&self) -> usize {
        self.all
    }

    /// The dependence with this number; an empty one from [`len`](Self::len) on.
    pub(super) fn dependence(&self, i: usize) -> Dependence {
        if i >= self.all {
            return Dependence { variable: 0, kind: DependenceKind::Inout };
        }
        // SAFETY: less than `all`: that many addresses follow the counts in the list that `read` was given.
        let address = unsafe { self.addresses.wrapping_add(i).read() };
        let kind = if i < self.inout {
            DependenceKind::Inout
        } else if i < self.inout + self.mutexinoutset {
            DependenceKind::Mutexinoutset
        } else if i < self.inout + self.mutexinoutset + self.input {
            DependenceKind::In
        } else {
            // SAFETY: the addresses after those of kind `in` point to `omp_depend_t` objects (libgomp's `gomp_task_handle_depend`): two
            // words, the variable's address and the kind.
            return Self::object(unsafe { *(address as *const [usize; 2]) });
        };
        Dependence { variable: address as u64, kind }
    }

    /// The numbers are those of `omp_depend_t` in gcc (`gomp-constants.h`, `GOMP_DEPEND_*`).
    fn object([address, kind]: [usize; 2]) -> Dependence {
        let kind = match kind {
            1 => DependenceKind::In,
            4 => DependenceKind::Mutexinoutset,
            5 => DependenceKind::Inoutset,
            _ => DependenceKind::Inout,
        };
        Dependence { variable: address as u64, kind }
    }
}

/// The program's message: the address of a text, or null.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Message(usize);

/// Replaces a length: the message is a C string.
const UP_TO_NUL: usize = usize::MAX;

impl Message {
    /// Address and length of the message.
    pub(super) fn text(self, length: usize) -> (usize, usize) {
        if self.0 == 0 {
            return (0, 0);
        }
        if length != UP_TO_NUL {
            return (self.0, length);
        }
        // SAFETY: compiled code passes a C string with this length (gcc's omp-low.cc, libgomp's error.c). Only arguments of the generated
        // wrappers are such values.
        (self.0, unsafe { CStr::from_ptr(self.0 as *const _) }.count_bytes())
    }
}

/// The sizes of a rectangle's dimensions.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Volume(*const usize);

impl Volume {
    /// The address of the array.
    pub(super) fn address(self) -> *const u64 {
        self.0.cast()
    }

    /// The number of elements; `None` if libgomp refuses the volume.
    pub(super) fn elements(self, dimensions: i32) -> Option<usize> {
        let dimensions = usize::try_from(dimensions).ok().filter(|dimensions| *dimensions > 0 && !self.0.is_null())?;
        // SAFETY: the program passes an array with a size for each dimension to `omp_target_memcpy_rect` (OpenMP 5.0, 3.6.5). Only
        // arguments of the generated wrappers are such values.
        let size = |i| unsafe { self.0.wrapping_add(i).read() };
        (0..dimensions).map(size).try_fold(1, usize::checked_mul)
    }
}

/// The array of arguments for devices, or null.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct RequestedTeams(*const usize);

// gcc's `gomp-constants.h`, `GOMP_TARGET_ARG_*`.
const DEVICE: usize = 0x7f;
const ALL_DEVICES: usize = 0;
/// The value is the next element.
const VALUE_FOLLOWS: usize = 1 << 7;
const KIND: usize = 0xff << 8;
const TEAMS: usize = 1 << 8;
/// Lowest bit of a 16-bit value, unless the value follows.
const VALUE: u32 = 16;
/// The value that gcc 14 passes for a region without a teams construct. gcc 12 passes that one team is requested.
const NO_TEAMS: isize = -2;

impl RequestedTeams {
    /// The number of teams: 1 for a region without a teams construct; 0 for any number.
    pub(super) fn read(self) -> u32 {
        let mut place = self.0;
        while !place.is_null() {
            // SAFETY: compiled code passes an array that ends with a null element (gcc's `get_target_arguments`), at which this loop stops.
            // Only arguments of the generated wrappers are such values.
            let word = unsafe { place.read() };
            if word == 0 {
                break;
            }
            place = place.wrapping_add(1);
            let value = if word & VALUE_FOLLOWS == 0 {
                (word.cast_signed() >> VALUE).cast_unsigned()
            } else {
                // SAFETY: an element with this bit is followed by its value (gcc's `push_target_argument_according_to_value`).
                let value = unsafe { place.read() };
                place = place.wrapping_add(1);
                value
            };
            if word & KIND == TEAMS && word & DEVICE == ALL_DEVICES {
                let value = value.cast_signed();
                return if value == NO_TEAMS { 1 } else { u32::try_from(value).unwrap_or(0) };
            }
        }
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(words: &[usize], expected: &[Dependence]) {
        // SAFETY: `words` is laid out like gcc's lists, with as many words as its counts say.
        let list = unsafe { Dependences::at(words.as_ptr().addr()) }.read();
        assert!((0..list.len()).map(|i| list.dependence(i)).eq(expected.iter().copied()), "{words:?}");
    }

    fn of(variable: u64, kind: DependenceKind) -> Dependence {
        Dependence { variable, kind }
    }

    #[test]
    fn both_layouts_and_dependence_objects_are_understood() {
        use DependenceKind::*;
        holds(&[3, 1, 100, 200, 300], &[of(100, Inout), of(200, In), of(300, In)]);
        let objects = [[500_usize, 1], [600, 5]];
        let object = |i: usize| objects[i].as_ptr() as usize;
        let words = [0, 5, 1, 1, 1, 100, 200, 300, object(0), object(1)];
        let expected = [of(100, Inout), of(200, Mutexinoutset), of(300, In), of(500, In), of(600, Inoutset)];
        holds(&words, &expected);
        holds(&[0, 0, 0, 0, 0], &[]);
    }

    fn teams(array: &[usize]) -> u32 {
        RequestedTeams(array.as_ptr()).read()
    }

    #[test]
    fn the_number_of_teams_is_found_among_other_arguments() {
        let limit = 2 << 8;
        assert_eq!(RequestedTeams(std::ptr::null()).read(), 1);
        assert_eq!(teams(&[0]), 1);
        assert_eq!(teams(&[TEAMS | 5 << 16, limit, 0]), 5);
        assert_eq!(teams(&[limit | VALUE_FOLLOWS, TEAMS, TEAMS | VALUE_FOLLOWS, 70_000, 0]), 70_000);
        assert_eq!(teams(&[limit, TEAMS, 0]), 0);
    }

    #[test]
    fn a_region_without_a_teams_construct_has_one() {
        assert_eq!(teams(&[TEAMS | 1 << 16, 2 << 8, 0]), 1);
        // The form in which gcc 14 passes it.
        assert_eq!(teams(&[(-130_816_isize).cast_unsigned(), 2 << 8, 0]), 1);
    }
}
