//! Link options of `libora_validator.so`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A runtime keeps the addresses of the callbacks, so the library is never unloaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libora_validator.so");
}
