//! Arguments of entries, as tuples, and the positions of bounds among them. `call_data` has the data that pointers among the arguments
//! refer to.
#![allow(unsafe_code)] // calls functions, and reads the program's memory

use super::names::W;
use std::cell::Cell;
use std::marker::PhantomData;

/// Addresses of the program's outlined functions, by the use that libgomp makes of them.
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
    /// Runs it in each thread of a team, with the data that follows.
    RegionFunction
    /// Runs it once, with the arguments that follow or a copy.
    TaskFunction
    /// Runs it once for each chunk of a taskloop, with the arguments that follow or a copy.
    LoopFunction
    /// Runs it on a device, with the addresses that the call maps.
    TargetFunction
    /// Runs it once for each team of a league, with the data that follows, on the calling thread.
    LeagueFunction
}

/// The address to which libgomp writes a bound of the thread's share of a loop; none if the program passes null.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Bound<'call>(usize, PhantomData<&'call Cell<u64>>);

impl Bound<'_> {
    const NONE: Self = Self(0, PhantomData);

    /// The bound. If the thread got no share, the value is arbitrary.
    pub(super) fn read(self) -> Option<u64> {
        // SAFETY: not 0, and so a `long *` or `unsigned long long *` of compiled code (libgomp_g.h), to a variable of the calling thread
        // that lives as long as the call. Only arguments of the generated wrappers are such values.
        (self.0 != 0).then(|| unsafe { (self.0 as *const u64).read() })
    }
}

/// The array with the iteration counts of a doacross nest's loops, or the array with the loop variables of an iteration.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Numbers<'call>(*const u64, PhantomData<&'call u64>);

/// The number of loops of a doacross nest; only its lower half is significant (`unsigned`).
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Loops(usize);

/// The loops of a doacross nest, outermost first.
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
        // SAFETY: the arguments of one call (`words!`): compiled code passes an array with as many counts as the first argument says
        // (`unsigned ncounts, long *counts`, libgomp_g.h).
        (0..self.loops).map(move |i| unsafe { self.counts.0.wrapping_add(i).read() })
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

/// Arguments of an entry with work to share; entries with different numbers of arguments have the same wrapper.
pub(super) trait Words: Arguments {
    type Array: AsRef<[usize]>;

    /// The arguments.
    fn words(&self) -> Self::Array;

    /// The addresses to which libgomp writes the bounds of the thread's share of a loop.
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
arguments!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l, M m);

/// `COUNT, words; addresses for bounds; words` (the addresses, and what follows, may be missing).
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
