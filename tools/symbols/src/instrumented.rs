//! Constructs of code that OPARI has instrumented, from the file that `libora.so` writes to the path in
//! `ORA_POMP_REGIONS`. It has a line for each of OPARI's calls, with the call's return address and the lines of its
//! construct. Debug information does not have correct lines for these calls: they come before the `#line` that precedes
//! the construct.
//!
//! The file gives the construct of an address in two ways:
//!
//! - A body that a compiler has outlined from a construct has one call that starts it, which identifies the
//!   construct.
//! - Between the call that announces a construct to OPARI and OPARI's next call there is only the construct's own
//!   code. Calls of the runtime there belong to the construct.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::debug_file::with_object;
use crate::unwind::Functions;
use untrusted::recording;

/// Environment variable with the path of the file.
pub const VARIABLE: &str = "ORA_POMP_REGIONS";
/// Name of the file in a profile's folder.
pub const FILE: &str = "pomp-regions";

/// A line of the source with a construct.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLine {
    /// Path of the source file.
    pub file: String,
    /// First line; for the barrier at its end, the last line.
    pub line: u32,
}

/// Instrumented objects of a profile's programs, by path.
#[derive(Clone, Debug, Default)]
pub struct Instrumented(HashMap<String, Calls>);

/// OPARI's calls in one object of code.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// The calls, by return address.
    calls: BTreeMap<u64, Call>,
    functions: Functions,
}

#[derive(Clone, Debug)]
struct Call {
    role: Role,
    place: SourceLine,
}

/// Information that a call gives about the code around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Announces a construct: the code that follows is the construct's own.
    Announces,
    /// Starts the construct whose body contains it.
    Begins,
    /// A call that is neither of these.
    Other,
}

impl Role {
    fn of(function: &str) -> Self {
        match function.strip_prefix("POMP2_").unwrap_or_default() {
            "Parallel_fork"
            | "Task_create_begin"
            | "Untied_task_create_begin"
            | "Barrier_enter"
            | "Taskwait_begin"
            | "Critical_enter"
            | "Ordered_enter"
            | "Implicit_barrier_enter" => Self::Announces,
            "Parallel_begin" | "Task_begin" | "Untied_task_begin" => Self::Begins,
            _ => Self::Other,
        }
    }
}

impl Instrumented {
    /// True if no call is known: nothing was instrumented.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads such files. Missing files and malformed lines are ignored.
    pub fn read<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut objects: HashMap<String, Calls> = HashMap::new();
        for path in paths {
            let bytes = recording::read(path).unwrap_or_default();
            for (object, address, call) in calls_of(&String::from_utf8_lossy(&bytes)) {
                objects.entry(object.to_owned()).or_default().calls.insert(address, call);
            }
        }
        for (path, calls) in &mut objects {
            calls.functions = with_object(Path::new(path), |object| Functions::of(object)).unwrap_or_default();
        }
        Self(objects)
    }

    /// Object, address and place of each line of a file; the entry for the fuzzer.
    #[doc(hidden)]
    pub fn lines(text: &str) -> impl Iterator<Item = (&str, u64, SourceLine)> {
        calls_of(text).map(|(object, address, call)| (object, address, call.place))
    }

    /// The calls in the object with this path.
    pub fn of(&self, object: &str) -> Option<&Calls> {
        self.0.get(object)
    }
}

fn calls_of(text: &str) -> impl Iterator<Item = (&str, u64, Call)> {
    // Not `lines`: a file's name may end in a carriage return.
    text.split('\n').filter_map(parse)
}

fn parse(line: &str) -> Option<(&str, u64, Call)> {
    let mut fields = line.split('\t');
    let object = fields.next()?;
    let address = number(fields.next(), 16)?;
    let function = fields.next()?;
    let _construct = fields.next()?;
    let mut line_number = || u32::try_from(number(fields.next(), 10)?).ok();
    let (first, last) = (line_number()?, line_number()?);
    let file = fields.next().filter(|file| !file.is_empty())?.to_owned();
    let line = if function.starts_with("POMP2_Implicit_barrier_") { last } else { first };
    Some((object, address, Call { role: Role::of(function), place: SourceLine { file, line } }))
}

/// Parses a number that consists only of digits: Rust's own parser also accepts a sign.
fn number(digits: Option<&str>, radix: u32) -> Option<u64> {
    u64::from_str_radix(digits.filter(|digits| !digits.starts_with('+'))?, radix).ok()
}

impl Calls {
    /// The construct to which a call belongs, by the call's return address.
    pub fn made_for(&self, returns: u64) -> Option<&SourceLine> {
        let (begin, _) = self.functions.range(returns.checked_sub(1)?)?;
        let (address, call) = self.calls.range(begin..=returns).next_back()?;
        // The library itself reports some waits from within these calls.
        (*address == returns || call.role == Role::Announces).then_some(&call.place)
    }

    /// Lowest return address of the calls that announce the construct: it represents all copies of the call.
    pub fn first_announced(&self, place: &SourceLine) -> Option<u64> {
        let mut own = self.calls.iter().filter(|(_, call)| call.role == Role::Announces && call.place == *place);
        own.next().map(|(address, _)| *address)
    }

    /// The construct whose body is an outlined function, by an address in it.
    pub fn body(&self, address: u64) -> Option<&SourceLine> {
        let (begin, end) = self.functions.range(address)?;
        let mut begins = self.calls.range(begin..=end).filter(|(_, call)| call.role == Role::Begins);
        let (_, first) = begins.next()?;
        begins.all(|(_, other)| other.place == first.place).then_some(&first.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
        /p\t110\tPOMP2_Parallel_fork\tparallel\t14\t27\ta.c\n\
        /p\t120\tPOMP2_Parallel_join\tparallel\t14\t27\ta.c\n\
        /p\t210\tPOMP2_Parallel_begin\tparallel\t14\t27\ta.c\n\
        /p\t220\tPOMP2_For_enter\tfor\t15\t20\ta.c\n\
        /p\t230\tPOMP2_Implicit_barrier_enter\tfor\t15\t20\ta.c\n\
        /p\t240\tPOMP2_Implicit_barrier_exit\tfor\t15\t20\ta.c\n\
        /p\tnonsense\n\
        /q\t110\tPOMP2_Task_begin\ttask\t3\t3\tb c.c\n\
        /q\t118\tPOMP2_Task_begin\ttask\t4\t4\tb c.c\n";

    fn calls(object: &str) -> Calls {
        let mut calls = Calls { functions: Functions::from([(0x100, 0x180), (0x200, 0x280)]), ..Calls::default() };
        for (its, address, call) in TEXT.lines().filter_map(parse).filter(|(its, ..)| *its == object) {
            assert_eq!(its, object);
            calls.calls.insert(address, call);
        }
        calls
    }

    fn line(place: Option<&SourceLine>) -> Option<u32> {
        place.map(|place| place.line)
    }

    #[test]
    fn what_follows_an_announcement_is_the_constructs() {
        let calls = calls("/p");
        assert_eq!(calls.made_for(0x115).unwrap(), &SourceLine { file: "a.c".to_owned(), line: 14 });
        // The call itself, for a region that it reports.
        assert_eq!(line(calls.made_for(0x110)), Some(14));
        assert_eq!(line(calls.made_for(0x109)), None, "nothing was announced");
        assert_eq!(line(calls.made_for(0x125)), None, "the region is over");
        assert_eq!(line(calls.made_for(0x225)), None, "a loop's body has calls of its own");
        assert_eq!(line(calls.made_for(0x235)), Some(20), "the barrier at its end");
        assert_eq!(line(calls.made_for(0x240)), Some(20), "the end of that, where the library tells it");
        assert_eq!(line(calls.made_for(0x241)), None, "it is over");
        assert_eq!(line(calls.made_for(0x205)), None, "another function's");
        assert_eq!(line(calls.made_for(0x300)), None);
    }

    #[test]
    fn the_first_of_its_announcements_stands_for_a_construct() {
        let calls = calls("/p");
        let place = |line| SourceLine { file: "a.c".to_owned(), line };
        assert_eq!(calls.first_announced(&place(14)), Some(0x110));
        assert_eq!(calls.first_announced(&place(20)), Some(0x230), "the barrier at its end");
        assert_eq!(calls.first_announced(&place(15)), None, "a loop is not announced");
    }

    #[test]
    fn a_body_is_known_by_the_call_that_begins_it() {
        assert_eq!(line(calls("/p").body(0x270)), Some(14));
        assert_eq!(line(calls("/p").body(0x170)), None, "no body");
        assert_eq!(line(calls("/q").body(0x111)), None, "two of them are none");
    }

    #[test]
    fn files_may_have_blanks_in_their_names() {
        let (_, _, call) = parse("/p q\t1f\tPOMP2_Task_begin\ttask\t3\t3\tb c.c").unwrap();
        assert_eq!(call.place, SourceLine { file: "b c.c".to_owned(), line: 3 });
        for bad in ["", "/p", "/p\t1f\tPOMP2_Task_begin\ttask\t3\t3\t", "/p\t1f\tPOMP2_Task_begin\ttask\tx\t3\ta.c"] {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }
}
