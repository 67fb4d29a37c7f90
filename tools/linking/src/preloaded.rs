//! Names of the libraries that the command preloads.

/// The library of this project.
pub const LIBRARY: &str = "libora.so";
/// The name by which programs that are linked to the library find it. Systems without the development files have only
/// this name.
pub const VERSIONED: &str = "libora.so.0";
/// The built-in collectors.
pub const COLLECTORS: &str = "libora_collectors.so";
/// The collector of `ora profile`.
pub const PROFILER: &str = "libora_profiler.so";
/// The OMPT tool of `ora validate`, which checks a runtime.
pub const VALIDATOR: &str = "libora_validator.so";
/// The race detector of `ora race`.
pub const RACE: &str = "libora_race.so";
/// The recorder of `ora trace`.
pub const TRACER: &str = "libora_tracer.so";
/// The recorder of requests.
pub const REQUEST_LOG: &str = "libora_request_log.so";
/// The guard, which removes the preloaded libraries from the environments of programs that can't load them.
pub const GUARD: &str = "libora_guard.so";
/// All libraries that belong to the command.
pub const ALL: [&str; 8] = [LIBRARY, COLLECTORS, PROFILER, VALIDATOR, RACE, TRACER, REQUEST_LOG, GUARD];
