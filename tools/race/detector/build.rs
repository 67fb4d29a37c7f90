//! Link options of `libora_race.so`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The runtime and the sanitizer hold addresses of its functions: the library is never unloaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libora_race.so");
}
