//! Link options of `libora_request_log.so`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The shared library starts by itself; the rlib does not.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-init=ora_request_log_attach");
    // Collectors keep the address of the function, so the library is never unloaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libora_request_log.so");
}
