//! Reasons why no process was watched.

use std::path::Path;

use crate::build::{self, Compiler};
use crate::outcome::Outcome;
use crate::run::Ending;

/// The reason, as far as it can be known after the run, and the next step. `is_instrumented`: the program, or one of its
/// libraries, is built with -fsanitize=thread.
pub fn reason(is_instrumented: bool, outcome: &Outcome) -> String {
    if !is_instrumented {
        let line = build::build_line(Compiler::Gcc, Path::new("program"));
        return format!(
            "nothing was checked: no process of this run was built with -fsanitize=thread and used OpenMP. Build the program that does, and its \
             libraries, with that option:\n    {line}"
        );
    }
    match outcome.ending() {
        Ending::Code(code) if code != 0 => format!(
            "nothing was checked: the program ended with exit code {code} before it used OpenMP. If ThreadSanitizer did not start, its message \
             is above: `unexpected memory mapping` goes away with `sysctl vm.mmap_rnd_bits=28`, or in a container that allows personality(2)"
        ),
        Ending::Signal { .. } => {
            "nothing was checked: the program died before it used OpenMP. Does it run without `ora race`?".to_owned()
        }
        Ending::Code(_) => "nothing was checked: the program has used no OpenMP. `ora doctor -- PROGRAM` says which runtime it would load, and \
                          whether that can be seen"
            .to_owned(),
    }
}
