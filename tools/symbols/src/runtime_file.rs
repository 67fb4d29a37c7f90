//! Files of OpenMP runtimes, recognized by their names.

/// Prefixes of the names of GNU's, LLVM's and Intel's files.
const STEMS: [&str; 3] = ["libgomp", "libomp", "libiomp5"];

/// The OpenMP runtime for a file of this path or name, by its stem: `libgomp` for `/usr/lib/libgomp.so.1`, and for
/// `libgomp-a34b3233.so.1.0.0`, which comes with a Python package.
pub fn runtime(path: &str) -> Option<&'static str> {
    let name = file_name(path);
    STEMS.into_iter().find(|stem| is_library(name, stem))
}

/// True if a file name is that of a library with this stem, and not of one whose stem only starts with it.
pub fn is_library(name: &str, stem: &str) -> bool {
    let rest = name.strip_prefix(stem).filter(|rest| rest.contains(".so"));
    rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}

/// The name of a mapped file, as before it was deleted; for a memory file, the name given by its creator.
pub fn file_name(path: &str) -> &str {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_prefix("memfd:").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_known_by_their_stem_and_not_by_its_first_letters() {
        for (path, stem) in [
            ("/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0", Some("libgomp")),
            ("/p/libgomp-a34b3233.so.1.0.0", Some("libgomp")),
            ("libomp.so.5 (deleted)", Some("libomp")),
            ("/memfd:libiomp5.so (deleted)", Some("libiomp5")),
            ("/usr/lib/libomptarget.so.19", None),
            ("/home/libgomp/prog", None),
            ("", None),
        ] {
            assert_eq!(runtime(path), stem, "{path}");
        }
    }
}
