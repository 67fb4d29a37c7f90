//! Arguments of entries, as tuples, and what the program's pointers among them refer to.
#![allow(unsafe_code)] // calls functions, and reads the program's memory

use super::names::W;
use ompt_core::detail::{Dependence, DependenceKind};
use std::cell::Cell;
use std::marker::PhantomData;

/// Addresses of the program's outlined functions, by what libgomp does with them.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $(
            $(#[$doc])*
            #[repr(transparent)]
            #[derive(Clone, Copy)]
            pub(super) struct $name(pub(super) W);
        )*
    };
}

functions! {
    /// Runs it in each thread of a team, with the data that follow.
    RegionFunction
    /// Runs it once, with the arguments that follow or a copy.
    TaskFunction
    /// The same for each chunk of a taskloop.
    LoopFunction
    /// Runs it on a device, with the addresses that the call maps.
    TargetFunction
    /// Runs it once for each team of a league, with the data that follow, on the calling thread.
    LeagueFunction
}

/// A place where libgomp writes a bound of the thread's share of a loop; none where the program passes null.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Bound<'call>(usize, PhantomData<&'call Cell<u64>>);

impl Bound<'_> {
    const NONE: Self = Self(0, PhantomData);

    /// The bound. Without a share it is any number.
    pub(super) fn read(self) -> Option<u64> {
        // SAFETY: not 0, and so a `long *` or `unsigned long long *` of compiled code (libgomp_g.h), to a variable of the calling
        // thread's that lives as long as the call. Only the generated wrappers' arguments are such values.
        (self.0 != 0).then(|| unsafe { (self.0 as *const u64).read() })
    }
}

/// The array with the numbers of iterations of a doacross nest's loops, or the one with the loop variables of an iteration.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Numbers<'call>(*const u64, PhantomData<&'call u64>);

/// The number of loops of a doacross nest, of which the lower half counts (`unsigned`).
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Loops(usize);

/// The loops of a doacross nest, the outermost first.
#[derive(Clone, Copy)]
pub(super) struct Nest<'call> {
    loops: usize,
    counts: Numbers<'call>,
}

impl Nest<'_> {
    /// No loops.
    pub(super) const NONE: Self = Self { loops: 0, counts: Numbers(std::ptr::null(), PhantomData) };

    /// The number of iterations of each loop.
    pub(super) fn counts(self) -> impl Iterator<Item = u64> {
        // SAFETY: the arguments of one call (`words!`): compiled code passes an array of as many counts as the first one says
        // (`unsigned ncounts, long *counts`, libgomp_g.h).
        (0..self.loops).map(move |i| unsafe { self.counts.0.wrapping_add(i).read() })
    }
}

/// The dependences of a new task: the list that compiled code passes to libgomp.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Dependences<'call>(*const usize, PhantomData<&'call usize>);

impl<'call> Dependences<'call> {
    /// The list at this address.
    ///
    /// # Safety
    /// Compiled code passes the address to libgomp as that of a list of dependences, in a call that lasts as long as the result.
    pub(super) unsafe fn at(address: usize) -> Self {
        Self(address as *const usize, PhantomData)
    }

    /// The list, once its counts are read.
    pub(super) fn read(self) -> List<'call> {
        List::read(self)
    }

    /// True if the list is empty, as an iterator without values leaves it.
    pub(super) fn is_empty(self) -> bool {
        self.read().all == 0
    }
}

/// A dependence list (libgomp's `task.c`, `gomp_task_handle_depend`). gcc counts `out` among `inout`.
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
        // SAFETY: compiled code passes a list (`Dependences`) of two words at least, and five where the first is 0 (libgomp's
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

    /// The dependence of this number; one of nothing from [`len`](Self::len) on.
    pub(super) fn dependence(&self, i: usize) -> Dependence {
        if i >= self.all {
            return Dependence { variable: 0, kind: DependenceKind::Inout };
        }
        // SAFETY: less than `all`: so many addresses follow the counts in the list that `read` was given.
        let address = unsafe { self.addresses.wrapping_add(i).read() };
        let kind = if i < self.inout {
            DependenceKind::Inout
        } else if i < self.inout + self.mutexinoutset {
            DependenceKind::Mutexinoutset
        } else if i < self.inout + self.mutexinoutset + self.input {
            DependenceKind::In
        } else {
            // SAFETY: addresses behind those of kind `in` are of objects `omp_depend_t` (libgomp's `gomp_task_handle_depend`):
            // two words, the variable's address and the kind.
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

/// The arguments of an entry: a tuple of numbers and pointers.
pub(super) trait Arguments: Copy {
    /// A function that takes these arguments.
    type Function<R>: Copy;

    /// Calls a function.
    ///
    /// # Safety
    /// It may be called with these arguments.
    unsafe fn pass_to<R>(self, function: Self::Function<R>) -> R;
}

/// Arguments of an entry with work to share, of which several lengths have one wrapper.
pub(super) trait Words: Arguments {
    type Array: AsRef<[usize]>;

    /// The arguments.
    fn words(&self) -> Self::Array;

    /// The places where libgomp writes the bounds of the thread's share of a loop.
    #[inline(always)]
    fn places(&self) -> [Bound<'_>; 2] {
        [Bound::NONE; 2]
    }

    /// The loops of a doacross nest; none for other entries.
    #[inline(always)]
    fn nest(&self) -> Nest<'_> {
        Nest::NONE
    }
}

/// Arguments of an entry that starts a region: its function, its data, its number of threads, and others.
pub(super) trait RegionWords: Arguments {
    /// Function, data and number of threads.
    fn region(&self) -> [usize; 3];

    /// The amount of work that the construct itself has to share, if any.
    fn amount(&self) -> [usize; 3];

    /// The arguments with another function and other data.
    fn with(self, function: usize, data: usize) -> Self;
}

macro_rules! arguments {
    ($($type:ident $name:ident),*) => {
        impl<$($type: Copy),*> Arguments for ($($type,)*) {
            type Function<RESULT> = unsafe extern "C-unwind" fn($($type),*) -> RESULT;

            #[inline(always)]
            unsafe fn pass_to<RESULT>(self, function: Self::Function<RESULT>) -> RESULT {
                let ($($name,)*) = self;
                // SAFETY: by this function's `# Safety` it may be called.
                unsafe { function($($name),*) }
            }
        }
    };
}

arguments!();
arguments!(A a);
arguments!(A a, B b);
arguments!(A a, B b, C c);
arguments!(A a, B b, C c, D d);
arguments!(A a, B b, C c, D d, E e);
arguments!(A a, B b, C c, D d, E e, F f);
arguments!(A a, B b, C c, D d, E e, F f, G g);
arguments!(A a, B b, C c, D d, E e, F f, G g, H h);
arguments!(A a, B b, C c, D d, E e, F f, G g, H h, I i);
arguments!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j);
arguments!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k);

/// `COUNT, words; places for bounds; words` (the places, and what follows, may be missing).
macro_rules! words {
    ($count:literal $($name:ident),*) => {
        words!(@ $count [$($name: W = |$name| $name),*] {});
    };
    ($count:literal $($name:ident),*; $begin:ident, $end:ident; $($last:ident),*) => {
        words!(@ $count [
            $($name: W = |$name| $name,)* $begin: Bound<'_> = |place| place.0, $end: Bound<'_> = |place| place.0
            $(, $last: W = |$last| $last)*
        ] {
            #[inline(always)]
            #[allow(unused_variables)]
            fn places(&self) -> [Bound<'_>; 2] {
                let ($($name,)* $begin, $end, $($last,)*) = *self;
                [$begin, $end]
            }
        });
    };
    (nest $count:literal $($name:ident),*; $begin:ident, $end:ident; $($last:ident),*) => {
        words!(@ $count [
            loops: Loops = |loops| loops.0, counts: Numbers<'_> = |counts| counts.0 as usize, $($name: W = |$name| $name,)*
            $begin: Bound<'_> = |place| place.0, $end: Bound<'_> = |place| place.0 $(, $last: W = |$last| $last)*
        ] {
            #[inline(always)]
            #[allow(unused_variables)]
            fn places(&self) -> [Bound<'_>; 2] {
                let (_, _, $($name,)* $begin, $end, $($last,)*) = *self;
                [$begin, $end]
            }

            #[inline(always)]
            fn nest(&self) -> Nest<'_> {
                Nest { loops: self.0.0 & 0xffff_ffff, counts: self.1 }
            }
        });
    };
    (@ $count:literal [$($name:ident: $type:ty = |$value:ident| $word:expr),*] { $($rest:tt)* }) => {
        impl Words for ($($type,)*) {
            type Array = [usize; $count];

            #[inline(always)]
            fn words(&self) -> Self::Array {
                let ($($name,)*) = *self;
                [$({ let $value = $name; $word }),*]
            }

            $($rest)*
        }
    };
}

words!(0);
words!(1 a);
words!(3 a, b, c);
words!(2 ; y, z; );
words!(5 a, b, c; y, z; );
words!(6 a, b, c, d; y, z; );
words!(7 a, b, c, d, e; y, z; );
words!(9 a, b, c, d, e; y, z; p, q);
words!(10 a, b, c, d, e, f; y, z; p, q);
words!(nest 4 ; y, z; );
words!(nest 5 a; y, z; );
words!(nest 8 a, b; y, z; p, q);

macro_rules! region_words {
    ($($type:ident $name:ident),*) => {
        impl RegionWords for (RegionFunction, W, W, $($type,)*) {
            #[inline(always)]
            fn region(&self) -> [usize; 3] {
                [self.0.0, self.1, self.2]
            }

            #[inline(always)]
            fn amount(&self) -> [usize; 3] {
                let (_, _, _, $($name,)*) = *self;
                let words: &[usize] = &[$($name),*];
                [0, 1, 2].map(|i| words.get(i).copied().unwrap_or(0))
            }

            #[inline(always)]
            fn with(self, function: usize, data: usize) -> Self {
                let (_, _, threads, $($name,)*) = self;
                (RegionFunction(function), data, threads, $($name,)*)
            }
        }
    };
}

region_words!();
region_words!(W a);
region_words!(W a, W b);
region_words!(W a, W b, W c);
region_words!(W a, W b, W c, W d);
region_words!(W a, W b, W c, W d, W e);

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(words: &[usize], expected: &[Dependence]) {
        // SAFETY: `words` is a list as gcc lays it out, with as many words as its counts say.
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
}
