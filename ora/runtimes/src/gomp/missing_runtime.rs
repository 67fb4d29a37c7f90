//! A program that was linked to `libora.so` and therefore to no OpenMP runtime. This library defines everything that gcc's code calls. With
//! `--as-needed`, the default on Debian and Ubuntu, the linker then drops libgomp, as nothing needs it any more.

use super::entry::calls_openmp;
use system::linker::Held;
use system::objects::any_object;
use system::warning::Warning;

/// Loads the libgomp that gcc would have linked into the global scope, if the program calls OpenMP functions and has no runtime because it
/// was linked to this library. Returns true if there is one now. Called while libraries are being loaded.
pub(super) fn bring_runtime() -> bool {
    if !any_object(&mut |object| {
        let mut calls = false;
        if object.needed().any(|name| name.to_bytes().starts_with(b"libora.so")) {
            object.imports(calls_openmp, &mut |_| calls = true);
        }
        calls
    }) {
        return false;
    }
    let runtime = Held::open_for_all(c"libgomp.so.1");
    if runtime.is_none() {
        static ALONE: Warning = Warning::new();
        ALONE.say(&[
            b"ora: this program runs on one thread: it is linked to libora.so only, and there is no libgomp.so.1\n",
        ]);
    }
    runtime.map(Held::stays).is_some()
}
