//! Plug-ins of libgomp for devices. libgomp opens them at its first use of a device, and finds their functions by `dlsym`. A patch of
//! libgomp's GOT leads its calls of `dlsym` to a function of ours. That returns functions that report an operation and call the plug-in's.
#![allow(unsafe_code)] // libgomp calls it, and it calls plug-ins

use super::call_data::RequestedTeams;
use super::entry::Code;
use ompt_core::device::{self, DataOperation, DeviceChange, Operation, Place};
use ompt_core::thread::here;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering::*};
use system::objects::any_object;

/// The largest number of plug-ins whose operations are reported: libgomp supports two.
const MAX_PLUGINS: usize = 4;

/// Functions of a plug-in (libgomp-plugin.h), in the order of [`NAMES`].
#[derive(Clone, Copy)]
enum Function {
    Devices,
    Allocate,
    Free,
    FromDevice,
    ToDevice,
    Within,
    Run,
    RunAsync,
    Initialize,
    Finalize,
    Load,
    Unload,
}

const FUNCTIONS: usize = NAMES.len();
const NAMES: [&CStr; 12] = [
    c"GOMP_OFFLOAD_get_num_devices",
    c"GOMP_OFFLOAD_alloc",
    c"GOMP_OFFLOAD_free",
    c"GOMP_OFFLOAD_dev2host",
    c"GOMP_OFFLOAD_host2dev",
    c"GOMP_OFFLOAD_dev2dev",
    c"GOMP_OFFLOAD_run",
    c"GOMP_OFFLOAD_async_run",
    c"GOMP_OFFLOAD_init_device",
    c"GOMP_OFFLOAD_fini_device",
    c"GOMP_OFFLOAD_load_image",
    c"GOMP_OFFLOAD_unload_image",
];

/// A plug-in.
struct Plugin {
    /// Its handle; null: there is none.
    handle: AtomicPtr<c_void>,
    /// Number of its devices.
    devices: AtomicI32,
    functions: [AtomicPtr<c_void>; FUNCTIONS],
}

static ALL: [Plugin; MAX_PLUGINS] = [const {
    Plugin {
        handle: AtomicPtr::new(null_mut()),
        devices: AtomicI32::new(0),
        functions: [const { AtomicPtr::new(null_mut()) }; FUNCTIONS],
    }
}; MAX_PLUGINS];

/// Our functions for each plug-in, in the order of [`NAMES`].
static OURS: [[Code; FUNCTIONS]; MAX_PLUGINS] = [ours::<0>(), ours::<1>(), ours::<2>(), ours::<3>()];

const fn ours<const P: usize>() -> [Code; FUNCTIONS] {
    [
        Code(devices::<P> as *const ()),
        Code(allocate::<P> as *const ()),
        Code(free::<P> as *const ()),
        Code(copy::<P, { Function::FromDevice as usize }> as *const ()),
        Code(copy::<P, { Function::ToDevice as usize }> as *const ()),
        Code(copy::<P, { Function::Within as usize }> as *const ()),
        Code(run::<P> as *const ()),
        Code(run_async::<P> as *const ()),
        Code(initialize::<P> as *const ()),
        Code(finalize::<P> as *const ()),
        Code(load::<P> as *const ()),
        Code(unload::<P> as *const ()),
    ]
}

/// Leads the calls of `dlsym` by the libgomp at this base to [`look_up`]. Other runtimes with libgomp's entries, which call `dlsym` for
/// other purposes, have no functions for plug-ins.
pub(super) fn lead(libgomp: usize) {
    any_object(&mut |object| {
        let is_it = object.base() == libgomp;
        if is_it && object.function(c"GOMP_PLUGIN_malloc", None).is_some() {
            object.uses(c"dlsym", &mut |import| {
                if import.word().load(Relaxed) != look_up as *const () as usize {
                    import.redirect(&object, look_up as *const ());
                }
            });
        }
        is_it
    });
}

/// `dlsym`, as libgomp calls it.
///
/// # Safety
/// The requirements of `dlsym`.
unsafe extern "C-unwind" fn look_up(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: libgomp calls `dlsym` with these arguments, by this function's `# Safety`, and with handles of `dlopen` only:
    // the result does not depend on the caller.
    let real = unsafe { libc::dlsym(handle, name) };
    if real.is_null() || name.is_null() {
        return real;
    }
    // SAFETY: not null, so a C string, by this function's `# Safety`.
    let name = unsafe { CStr::from_ptr(name) };
    let of_plugin = NAMES.iter().position(|known| *known == name).zip(number_of(handle));
    let led = of_plugin.and_then(|(function, plugin)| {
        ALL.get(plugin)?.functions.get(function)?.store(real, Relaxed);
        OURS.get(plugin)?.get(function)
    });
    led.map_or(real, |led| led.0.cast_mut().cast())
}

/// The number of the plug-in with that handle, which may be a new one. `None` if there are too many.
fn number_of(handle: *mut c_void) -> Option<usize> {
    ALL.iter().position(|plugin| match plugin.handle.compare_exchange(null_mut(), handle, Relaxed, Relaxed) {
        Ok(_) => true,
        Err(other) => other == handle,
    })
}

#[allow(clippy::indexing_slicing)] // a wrong number does not compile
fn plugin<const P: usize>() -> &'static Plugin {
    const { &ALL[P] }
}

/// A function of the plug-in.
///
/// # Safety
/// `F` is a function pointer type that fits the function (libgomp-plugin.h), and libgomp calls ours instead.
unsafe fn real<const P: usize, F: Copy>(function: Function) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    #[allow(clippy::indexing_slicing)] // `Function` has only smaller numbers
    let address = plugin::<P>().functions[function as usize].load(Relaxed);
    // SAFETY: by this function's `# Safety` the address is not null, and belongs to a function of this type: `look_up` stored it before it
    // returned the address of ours. The assertion compares the sizes.
    unsafe { std::mem::transmute_copy(&address) }
}

/// The number of a plug-in's device among all devices: libgomp counts those of earlier plug-ins first.
fn number<const P: usize>(device: c_int) -> c_int {
    let before: c_int = ALL.iter().take(P).map(|plugin| plugin.devices.load(Relaxed)).sum();
    before + device
}

fn on_host(address: usize) -> Place {
    Place { address, device: device::devices() }
}

/// `GOMP_OFFLOAD_get_num_devices`: since gcc 13 with the program's requirements.
unsafe extern "C-unwind" fn devices<const P: usize>(requirements: usize) -> c_int {
    // SAFETY: `int (void)` or `int (unsigned)`: a register after a function's arguments has no effect (psABI 3.2.3).
    let real: unsafe extern "C-unwind" fn(usize) -> c_int = unsafe { real::<P, _>(Function::Devices) };
    // SAFETY: libgomp makes this very call.
    let devices = unsafe { real(requirements) };
    plugin::<P>().devices.store(devices.max(0), Relaxed);
    devices
}

/// `GOMP_OFFLOAD_alloc`
unsafe extern "C-unwind" fn allocate<const P: usize>(device: c_int, bytes: usize) -> usize {
    // SAFETY: `void *(int, size_t)`.
    let real: unsafe extern "C-unwind" fn(c_int, usize) -> usize = unsafe { real::<P, _>(Function::Allocate) };
    // SAFETY: libgomp makes this very call.
    let run = || unsafe { real(device, bytes) };
    let Some(thread) = here() else { return run() };
    let destination = Place { address: 0, device: number::<P>(device) };
    let data =
        DataOperation { operation: Operation::Allocate, source: on_host(0), destination, bytes, subvolumes: None };
    thread.targets().data_operation(data, || {
        let address = run();
        (address, address)
    })
}

/// `GOMP_OFFLOAD_free`
unsafe extern "C-unwind" fn free<const P: usize>(device: c_int, address: usize) -> bool {
    // SAFETY: `bool (int, void *)`.
    let real: unsafe extern "C-unwind" fn(c_int, usize) -> bool = unsafe { real::<P, _>(Function::Free) };
    // SAFETY: libgomp makes this very call.
    let run = || unsafe { real(device, address) };
    let Some(thread) = here() else { return run() };
    let source = Place { address, device: number::<P>(device) };
    let data =
        DataOperation { operation: Operation::Delete, source, destination: on_host(0), bytes: 0, subvolumes: None };
    thread.targets().data_operation(data, || (run(), 0))
}

/// `GOMP_OFFLOAD_dev2host`, `GOMP_OFFLOAD_host2dev`, `GOMP_OFFLOAD_dev2dev`: device, destination, source, size.
unsafe extern "C-unwind" fn copy<const P: usize, const F: usize>(
    device: c_int,
    to: usize,
    from: usize,
    bytes: usize,
) -> bool {
    const WITHIN: usize = Function::Within as usize;
    const FROM: usize = Function::FromDevice as usize;
    let function = match F {
        FROM => Function::FromDevice,
        WITHIN => Function::Within,
        _ => Function::ToDevice,
    };
    // SAFETY: `bool (int, void *, const void *, size_t)`, all three.
    let real: unsafe extern "C-unwind" fn(c_int, usize, usize, usize) -> bool = unsafe { real::<P, _>(function) };
    // SAFETY: libgomp makes this very call.
    let run = || unsafe { real(device, to, from, bytes) };
    let Some(thread) = here() else { return run() };
    let on_device = |address| Place { address, device: number::<P>(device) };
    let (operation, source, destination) = match function {
        Function::FromDevice => (Operation::FromDevice, on_device(from), on_host(to)),
        Function::Within => (Operation::ToDevice, on_device(from), on_device(to)),
        _ => (Operation::ToDevice, on_host(from), on_device(to)),
    };
    thread
        .targets()
        .data_operation(DataOperation { operation, source, destination, bytes, subvolumes: None }, || (run(), 0))
}

/// `GOMP_OFFLOAD_run`: device, function, variables, arguments for the device.
unsafe extern "C-unwind" fn run<const P: usize>(
    device: c_int,
    function: usize,
    variables: usize,
    arguments: RequestedTeams,
) {
    type Run = unsafe extern "C-unwind" fn(c_int, usize, usize, RequestedTeams);
    // SAFETY: `void (int, void *, void *, void **)`.
    let real: Run = unsafe { real::<P, _>(Function::Run) };
    // SAFETY: libgomp makes this very call.
    let run = || unsafe { real(device, function, variables, arguments) };
    match here() {
        Some(thread) => thread.targets().submit(arguments.read(), run),
        None => run(),
    }
}

/// `GOMP_OFFLOAD_async_run`: the same, with the target task.
unsafe extern "C-unwind" fn run_async<const P: usize>(
    device: c_int,
    function: usize,
    variables: usize,
    arguments: RequestedTeams,
    task: usize,
) {
    type Run = unsafe extern "C-unwind" fn(c_int, usize, usize, RequestedTeams, usize);
    // SAFETY: `void (int, void *, void *, void **, void *)`.
    let real: Run = unsafe { real::<P, _>(Function::RunAsync) };
    // SAFETY: libgomp makes this very call.
    let run = || unsafe { real(device, function, variables, arguments, task) };
    match here() {
        Some(thread) => thread.targets().submit(arguments.read(), run),
        None => run(),
    }
}

fn change(device: c_int, change: DeviceChange) {
    if let Some(thread) = here() {
        thread.targets().change_device(device, change);
    }
}

/// Address of the plug-in's name for its devices (`GOMP_OFFLOAD_get_name`), a constant text.
fn name(plugin: &Plugin) -> usize {
    // SAFETY: libgomp has opened the plug-in and keeps it; the name is a C string.
    let get = unsafe { libc::dlsym(plugin.handle.load(Relaxed), c"GOMP_OFFLOAD_get_name".as_ptr()) };
    if get.is_null() {
        return c"device".as_ptr().expose_provenance();
    }
    // SAFETY: `const char *(void)`.
    let get = unsafe { std::mem::transmute::<*mut c_void, extern "C-unwind" fn() -> usize>(get) };
    get()
}

/// `GOMP_OFFLOAD_init_device`
unsafe extern "C-unwind" fn initialize<const P: usize>(device: c_int) -> bool {
    // SAFETY: `bool (int)`.
    let real: unsafe extern "C-unwind" fn(c_int) -> bool = unsafe { real::<P, _>(Function::Initialize) };
    // SAFETY: libgomp makes this very call.
    let is_there = unsafe { real(device) };
    if is_there {
        change(number::<P>(device), DeviceChange::Initialized { name: name(plugin::<P>()) });
    }
    is_there
}

/// `GOMP_OFFLOAD_fini_device`
unsafe extern "C-unwind" fn finalize<const P: usize>(device: c_int) -> bool {
    change(number::<P>(device), DeviceChange::Finalized);
    // SAFETY: `bool (int)`.
    let real: unsafe extern "C-unwind" fn(c_int) -> bool = unsafe { real::<P, _>(Function::Finalize) };
    // SAFETY: libgomp makes this very call.
    unsafe { real(device) }
}

/// `GOMP_OFFLOAD_load_image`: device, version, image, results; since gcc 12 one more argument for results, since gcc 13
/// two more.
unsafe extern "C-unwind" fn load<const P: usize>(
    device: c_int,
    version: u32,
    image: usize,
    table: usize,
    reverse: usize,
    host_functions: usize,
) -> c_int {
    type Load = unsafe extern "C-unwind" fn(c_int, u32, usize, usize, usize, usize) -> c_int;
    // SAFETY: `int (int, unsigned, const void *, ...)`: registers after a function's arguments have no effect (psABI 3.2.3).
    let real: Load = unsafe { real::<P, _>(Function::Load) };
    // SAFETY: libgomp makes this very call.
    let entries = unsafe { real(device, version, image, table, reverse, host_functions) };
    if entries >= 0 {
        change(number::<P>(device), DeviceChange::Loaded { image });
    }
    entries
}

/// `GOMP_OFFLOAD_unload_image`
unsafe extern "C-unwind" fn unload<const P: usize>(device: c_int, version: u32, image: usize) -> bool {
    change(number::<P>(device), DeviceChange::Unloaded { image });
    // SAFETY: `bool (int, unsigned, const void *)`.
    let real: unsafe extern "C-unwind" fn(c_int, u32, usize) -> bool = unsafe { real::<P, _>(Function::Unload) };
    // SAFETY: libgomp makes this very call.
    unsafe { real(device, version, image) }
}
