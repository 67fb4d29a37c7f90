//! Prints the calls of programs and libraries that gcc made for constructs: kind, file and line. `compat-tests/static_loops.py` compares
//! them with clang's.
#![expect(clippy::print_stdout, reason = "its output")]

use std::path::Path;

use symbols::Files;

fn main() {
    let files = Files::default();
    for path in std::env::args_os().skip(1) {
        for call in files.inlined_calls(Path::new(&path)).unwrap_or_default().known {
            let place = call.place.map(|place| format!("{}:{}", place.file, place.line));
            println!("{:?} {}", call.site.kind, place.as_deref().unwrap_or("-"));
        }
    }
}
