//! Link options of `libora_profiler.so`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The shared library starts by itself.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-init=ora_profiler_attach");
    // Signal handlers, exit handlers and thread-exit destructors point into the library: it is never unloaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libora_profiler.so");
}
