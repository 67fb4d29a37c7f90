//! Fallback functions for each entry, for processes without a libgomp.

use super::entry::Code;
use super::names::{SLOTS, entries};
use super::sequential;

macro_rules! fallbacks {
    (
        by_level {
            $($by_level:ident($($by_level_argument:ty),*) $(-> $by_level_result:ty)?:
                $by_level_module:ident::$by_level_wrapper:ident, $by_level_fallback:ident;)*
        }
        exported {
            $($name:ident($($argument:ty),*) $(-> $result:ty)?:
                $module:ident::$wrapper:ident $([$($wrapper_constant:expr),*])?, $fallback:ident $([$($fallback_constant:expr),*])?;)*
        }
        variadic {
            $($variadic:ident: $variadic_module:ident::$variadic_wrapper:ident,
                $variadic_other_module:ident::$variadic_other_wrapper:ident, $variadic_fallback:ident;)*
        }
        ompt_only {
            $($ompt_only:ident($($ompt_only_argument:ty),*) $(-> $ompt_only_result:ty)?:
                $ompt_only_module:ident::$ompt_only_wrapper:ident $([$($ompt_only_constant:expr),*])?, $ompt_only_fallback:ident;)*
        }
        old {
            $($old:ident $old_symbol:literal($($old_argument:ty),*) $(-> $old_result:ty)?:
                $old_module:ident::$old_wrapper:ident $([$($old_constant:expr),*])?, $old_fallback:ident;)*
        }
        old_ompt_only {
            $($old_ompt_only:ident $old_ompt_only_symbol:literal($($old_ompt_only_argument:ty),*) $(-> $old_ompt_only_result:ty)?:
                $old_ompt_only_module:ident::$old_ompt_only_wrapper:ident $([$($old_ompt_only_constant:expr),*])?,
                $old_ompt_only_fallback:ident;)*
        }
        inner { $($rest:tt)* }
    ) => {
        /// Targets of calls in such a process.
        pub(super) static FALLBACKS: [Code; SLOTS] = [
            $(Code(sequential::$by_level_fallback as *const ()),)*
            $(Code(sequential::$fallback $(::<$({ $fallback_constant }),*>)? as *const ()),)*
            $(Code(sequential::$variadic_fallback as *const ()),)*
            $(Code(sequential::$ompt_only_fallback as *const ()),)*
            $(Code(sequential::$old_fallback as *const ()),)*
            $(Code(sequential::$old_ompt_only_fallback as *const ()),)*
        ];
    };
}

entries!(fallbacks);
