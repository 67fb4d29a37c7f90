//! Fallback functions for each entry, for processes without a libgomp.

use super::entry::Code;
use super::names::{SLOTS, entries};
use super::sequential;

macro_rules! fallbacks {
    (
        twins { $($twin:ident($($tt:ty),*) $(-> $tr:ty)?: $tm:ident::$tf:ident, $tsf:ident;)* }
        exported { $($name:ident($($t:ty),*) $(-> $r:ty)?: $wm:ident::$wf:ident $([$($wx:expr),*])?, $sf:ident $([$($sx:expr),*])?;)* }
        variadic { $($variadic:ident: $vm:ident::$vf:ident, $vom:ident::$vof:ident, $vsf:ident;)* }
        for_calls { $($more:ident($($mt:ty),*) $(-> $mr:ty)?: $mm:ident::$mf:ident $([$($mx:expr),*])?, $msf:ident;)* }
        old { $($old:ident $symbol:literal($($ot:ty),*) $(-> $or:ty)?: $om:ident::$of:ident $([$($ox:expr),*])?, $osf:ident;)* }
        old_for_calls { $($omore:ident $osymbol:literal($($omt:ty),*) $(-> $omr:ty)?: $omm:ident::$omf:ident $([$($omx:expr),*])?, $omsf:ident;)* }
        inner { $($rest:tt)* }
    ) => {
        /// Targets of calls in such a process.
        pub(super) static FALLBACKS: [Code; SLOTS] = [
            $(Code(sequential::$tsf as *const ()),)*
            $(Code(sequential::$sf $(::<$({ $sx }),*>)? as *const ()),)*
            $(Code(sequential::$vsf as *const ()),)*
            $(Code(sequential::$msf as *const ()),)*
            $(Code(sequential::$osf as *const ()),)*
            $(Code(sequential::$omsf as *const ()),)*
        ];
    };
}

entries!(fallbacks);
