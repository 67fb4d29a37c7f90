//! Link options of `libora_collectors.so`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The shared library starts by itself. The rlib does not: `ora` links it for the layout of the shared memory only.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-init=ora_collectors_attach");
    // A thread-exit destructor and an exit handler point into the library: it is never unloaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libora_collectors.so");
}
