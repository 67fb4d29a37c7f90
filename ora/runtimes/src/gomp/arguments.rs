//! Arguments of entries, as tuples.
#![allow(unsafe_code)] // calls functions

use super::names::W;

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

/// Arguments that are all words: entries of several lengths have one wrapper.
pub(super) trait Words: Arguments {
    type Array: AsRef<[usize]>;

    /// The arguments.
    fn words(self) -> Self::Array;
}

/// Arguments of an entry that starts a region: the first two are the region's function and its data.
pub(super) trait RegionWords: Words {
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

macro_rules! words {
    ($count:literal $($type:ident $name:ident),*) => {
        impl Words for ($($type,)*) {
            type Array = [usize; $count];

            #[inline(always)]
            fn words(self) -> Self::Array {
                let ($($name,)*) = self;
                [$($name),*]
            }
        }
    };
}

words!(0);
words!(1 W a);
words!(2 W a, W b);
words!(3 W a, W b, W c);
words!(4 W a, W b, W c, W d);
words!(5 W a, W b, W c, W d, W e);
words!(6 W a, W b, W c, W d, W e, W f);
words!(7 W a, W b, W c, W d, W e, W f, W g);
words!(8 W a, W b, W c, W d, W e, W f, W g, W h);
words!(9 W a, W b, W c, W d, W e, W f, W g, W h, W i);
words!(10 W a, W b, W c, W d, W e, W f, W g, W h, W i, W j);

macro_rules! region_words {
    ($($type:ident $name:ident),*) => {
        impl RegionWords for (W, W, $($type,)*) {
            #[inline(always)]
            fn with(self, function: usize, data: usize) -> Self {
                let (_, _, $($name,)*) = self;
                (function, data, $($name,)*)
            }
        }
    };
}

region_words!(W a);
region_words!(W a, W b);
region_words!(W a, W b, W c);
region_words!(W a, W b, W c, W d);
region_words!(W a, W b, W c, W d, W e);
region_words!(W a, W b, W c, W d, W e, W f);
