//! Link options of `libora.so`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Dispatch slots, thread records and a thread-exit destructor point into the library: it is never unloaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libora.so");
}
