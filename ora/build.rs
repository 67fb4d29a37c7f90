//! Link options of `libora.so`.

use std::env;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Name in the dependencies of programs that are linked to `libora.so`. Its number is increased when they would have to be rebuilt.
const SONAME: &str = "libora.so.0";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Dispatch slots, thread records and a thread-exit destructor point into the library, so it is never unloaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{SONAME}");
    // A program that is linked to the library in one of cargo's two folders asks for that name there. Where it can't be made, only such a
    // program lacks it.
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    let Some(products) = Path::new(&out).ancestors().nth(3) else { return };
    for folder in [products.to_owned(), products.join("deps")] {
        let _ = symlink("libora.so", folder.join(SONAME));
    }
}
