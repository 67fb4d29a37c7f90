//! `ora run`: the program with the library, and with one collector of the user's.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::args::Run;
use crate::ending::Ending;
use crate::{libraries, program};

/// Becomes the program, so nothing stands between it and whoever started `ora`.
///
/// # Errors
/// When it can't be started; there is no other way to come back.
pub(crate) fn run(args: &Run) -> Result<Ending> {
    let mut preloaded = vec![libraries::find(libraries::LIBRARY)?];
    match args.collector.as_slice() {
        [] => {}
        [one] => preloaded.push(collector(one)?),
        [first, second, ..] => bail!(
            "cannot run both {} and {}: the interface has one session at a time, so the second collector's START would be \
             refused. Run the program once with each",
            first.display(),
            second.display(),
        ),
    }
    let error = program::command(&args.program, &preloaded)?.exec();
    let name = args.program.first().map(std::ffi::OsString::as_os_str).unwrap_or_default();
    Err(program::cannot_start(name, &error).into())
}

/// The collector's full path, which still holds after the program has changed its folder.
fn collector(given: &Path) -> Result<PathBuf> {
    let path = given.canonicalize().with_context(|| format!("cannot load the collector {}", given.display()))?;
    let mut head = [0; 18];
    File::open(&path)
        .and_then(|mut file| file.read_exact(&mut head))
        .with_context(|| format!("cannot read the collector {}", given.display()))?;
    // Magic number, 64 bits, shared object (ELF specification, "ELF header").
    let shared_library = head.starts_with(b"\x7fELF\x02") && head.ends_with(&[3, 0]);
    if !shared_library {
        bail!(
            "{} is not a shared library for x86-64. Build the collector with `gcc -shared -fPIC -o libmine.so mine.c`",
            given.display(),
        );
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_a_shared_library_that_exists() {
        let refused = |path: &str| format!("{:#}", collector(Path::new(path)).unwrap_err());
        assert!(refused("/no/such/lib.so").contains("cannot load the collector /no/such/lib.so"));
        assert!(refused("/etc/passwd").contains("not a shared library"));
        assert!(refused("/dev/null").contains("cannot read"));
    }
}
