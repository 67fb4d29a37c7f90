//! Functions, lines and calls of a profile.

use serde::Serialize;

use super::Sum;

/// A function.
///
/// It is the author's, with the outlined bodies of its constructs. In the user's view there are functions like
/// `<OMP-implicit_barrier>`, for the runtime's actions on behalf of the program.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneFunction<'a> {
    /// Its name.
    pub(in crate::json) name: &'a str,
    /// Its source file.
    pub(in crate::json) file: Option<&'a str>,
    /// File name of its object; empty: unknown.
    pub(in crate::json) object: &'a str,
    /// Samples whose leaf it is.
    pub(in crate::json) own: Sum,
    /// Samples that have it on their stack, once however often it is there.
    pub(in crate::json) with_calls: Sum,
}

/// A line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneLine<'a> {
    /// Its source file.
    pub(in crate::json) file: &'a str,
    /// Its number.
    pub(in crate::json) line: u32,
    /// Samples whose leaf it is.
    pub(in crate::json) own: Sum,
    /// Samples that have it on their stack.
    pub(in crate::json) with_calls: Sum,
}

/// A call.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneCall<'a> {
    /// The caller: its place in `calls`, from 0. The first call stands for everything: its `parent` and
    /// `function` are `null`.
    pub(in crate::json) parent: Option<usize>,
    /// Its place in `functions`.
    pub(in crate::json) function: Option<u32>,
    /// The construct, in the outlined body of one.
    pub(in crate::json) construct: Option<OneConstruct<'a>>,
    /// True if the function also calls itself directly; such calls are counted here, and have no rows of their
    /// own.
    pub(in crate::json) calls_itself: bool,
    /// Samples whose leaf it is.
    pub(in crate::json) own: Sum,
    /// Samples in it and in what it calls.
    pub(in crate::json) with_calls: Sum,
}

/// A construct.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneConstruct<'a> {
    /// `"parallel"`, `"task"` or `"other"`.
    pub(in crate::json) kind: &'static str,
    /// Its source file.
    pub(in crate::json) file: Option<&'a str>,
    /// Its line.
    pub(in crate::json) line: Option<u32>,
    /// Of code without symbols: the address to which the call of the runtime returns (`"prog+0x1234"`).
    pub(in crate::json) call: Option<&'a str>,
}
