//! The race detector of `ora race`.
//!
//! The shared library `libora_race.so` is preloaded beside `libora.so`. It tells ThreadSanitizer which accesses OpenMP
//! orders, and writes the races that ThreadSanitizer then finds as lines of [`race_data`].

pub use race_data::VERSION;
