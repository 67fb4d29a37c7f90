//! Programs that the gate needs beside Rust, and their installation.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// A program that the gate calls, or a file that it reads, and the Debian packages that make it work.
struct Need {
    /// Name in `PATH`, or path.
    program: &'static str,
    packages: &'static [&'static str],
    /// Consequence of its absence; `None`: nothing works without it.
    without: Option<&'static str>,
    /// True if only the slow steps need it.
    long: bool,
}

impl Need {
    const fn new(program: &'static str, packages: &'static [&'static str]) -> Self {
        Self { program, packages, without: None, long: false }
    }

    const fn or(self, without: &'static str) -> Self {
        Self { without: Some(without), ..self }
    }

    const fn for_long(self) -> Self {
        Self { long: true, ..self }
    }
}

/// A browser, for the test of the flame graph.
pub(crate) const BROWSER: &str = "/usr/bin/chromium";

const NEEDS: &[Need] = &[
    Need::new("gcc", &["gcc", "libc6-dev"]),
    Need::new("g++", &["g++"]),
    Need::new("nm", &["binutils"]),
    Need::new("objdump", &["binutils"]),
    Need::new("pkg-config", &["pkg-config"]),
    Need::new("cmake", &["cmake", "make"]).or("the example of a CMake project is SKIPPED"),
    Need::new("patchelf", &["patchelf"]).or("an installed libora.so has no versioned name: not tried"),
    Need::new("gdb", &["gdb"]).or("the tests of ora.py are SKIPPED"),
    Need::new("musl-gcc", &["musl-tools"]).or("whether ora attach refuses programs for musl is not tried: SKIPPED"),
    Need::new("groff", &["groff-base"]).or("the man pages are not checked for warnings of the formatter: SKIPPED"),
    Need::new("gfortran", &["gfortran"]).or("the Fortran tests are SKIPPED"),
    Need::new("python3", &["python3", "python3-venv"]).or("the tests on Python packages are SKIPPED"),
    Need::new("clang-19", &["clang-19"]).or("the tests on programs and tools that clang compiles are SKIPPED"),
    Need::new("/usr/lib/llvm-19/lib/clang/19/include/omp-tools.h", &["libomp-19-dev"])
        .or("the comparison of our omp-tools.h with LLVM's, and all tests on LLVM's runtime, are SKIPPED"),
    Need::new("/usr/lib/llvm-19/lib/libarcher.so", &["libomp-19-dev"])
        .or("the tests with the race detector Archer are SKIPPED"),
    Need::new("/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.tsan-x86_64.a", &["clang-19", "libclang-rt-19-dev"])
        .or("Archer on LLVM's own runtime is not compared, and with --long no sanitizer's checks are compiled in: SKIPPED"),
    Need::new("llvm-symbolizer-19", &["llvm-19"])
        .or("reports of clang's sanitizers name no lines: what needs these sanitizers is SKIPPED"),
    Need::new("musl-gcc", &["musl-tools"]).or("the tests on programs for musl are SKIPPED"),
    Need::new("busybox", &["busybox-static"]).or("the tests on children of static programs are SKIPPED"),
    Need::new("/lib/ld-linux.so.2", &["libc6-i386"]).or("the tests on 32-bit programs are SKIPPED"),
    Need::new("firejail", &["firejail"]).or("the tests on firejail are SKIPPED"),
    Need::new("bwrap", &["bubblewrap"]).or("the tests on sandboxes are SKIPPED"),
    Need::new("opari2", &["opari2"]).or("the tests on programs that OPARI has instrumented are SKIPPED"),
    Need::new("otf2-print", &["otf2-tools"]).or("archives in the Open Trace Format are not read back: SKIPPED"),
    Need::new("valgrind", &["valgrind"]).or("the tests under valgrind are SKIPPED"),
    Need::new(BROWSER, &["chromium"]).or("no browser draws and searches a flame graph: SKIPPED").for_long(),
    Need::new("mpicc", &["libopenmpi-dev"]).or("the ranks of an MPI job are not profiled: SKIPPED").for_long(),
    Need::new("mpirun", &["openmpi-bin"]).or("the ranks of an MPI job are not profiled: SKIPPED").for_long(),
    Need::new("mpicc.mpich", &["libmpich-dev"]).or("jobs under MPICH are not tried: SKIPPED").for_long(),
    Need::new("mpirun.mpich", &["mpich"]).or("jobs under MPICH are not tried: SKIPPED").for_long(),
    Need::new("lintian", &["lintian"]).or("the Debian packages are not checked by Debian's rules: SKIPPED").for_long(),
    Need::new("dpkg-deb", &["dpkg"]).or("no Debian packages are built: a release fails").for_long(),
    Need::new("debootstrap", &["debootstrap"])
        .or("the Debian package is not tried on an empty system: SKIPPED")
        .for_long(),
];
/// Parts of the Rust tool chain that come as components: the cargo command and the component.
const COMPONENTS: [(&str, &str); 2] = [("fmt", "rustfmt"), ("clippy", "clippy")];

/// Installs missing programs if permitted; else prints the command to install them. Returns warnings about optional
/// ones.
pub(crate) fn install(long: bool) -> Result<Vec<String>> {
    components()?;
    let missing = missing(long);
    if missing.is_empty() {
        println!("nothing is missing");
        return Ok(Vec::new());
    }
    let mut packages: Vec<&str> = missing.iter().flat_map(|need| need.packages).copied().collect();
    packages.sort_unstable();
    packages.dedup();
    let command = format!("apt-get install -y --no-install-recommends {}", packages.join(" "));
    if is_root() && in_path("apt-get") {
        println!("installing {}", packages.join(", "));
        // Lists that are there may do.
        let updated = apt(&["update"]);
        if let Err(error) = &updated {
            println!("WARNING: {error:#}: going on with the lists of packages that are here");
        }
        apt(&[&["install", "-y", "--no-install-recommends"], packages.as_slice()].concat())?;
        return match self::missing(long).first() {
            None => Ok(Vec::new()),
            Some(need) => bail!("{} is still missing after `{command}`", need.program),
        };
    }
    let next = if in_path("apt-get") {
        format!("sudo apt-get update && sudo {command}")
    } else {
        format!("install with this system's package manager what Debian calls: {}", packages.join(" "))
    };
    let must = |need: &&Need| need.without.is_none() || is_ci();
    let vital: Vec<&str> = missing.iter().copied().filter(must).map(|need| need.program).collect();
    if !vital.is_empty() {
        bail!("missing: {}. Next: {next}", vital.join(", "));
    }
    let warning =
        |need: &Need| format!("{} is missing: {}. To have it: {next}", need.program, need.without.unwrap_or_default());
    let warnings: Vec<String> = missing.into_iter().map(warning).collect();
    for warning in &warnings {
        println!("WARNING: {warning}");
    }
    Ok(warnings)
}

/// The packages of all that the tests need without `--long`.
pub(crate) fn packages() -> Vec<&'static str> {
    NEEDS.iter().filter(|need| !need.long).flat_map(|need| need.packages).copied().collect()
}

/// Installs rustfmt and clippy.
fn components() -> Result<()> {
    for (command, component) in COMPONENTS {
        let present = workspace::cargo()
            .args([command, "--version"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("can't start cargo")?
            .success();
        if present {
            continue;
        }
        if !in_path("rustup") {
            bail!("`cargo {command}` is missing. Next: install {component} for this Rust tool chain");
        }
        println!("installing {component}");
        workspace::run(Command::new("rustup").current_dir(workspace::root()).args(["component", "add", component]))?;
    }
    Ok(())
}

fn apt(arguments: &[&str]) -> Result<()> {
    workspace::run(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}

fn missing(long: bool) -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| (long || !need.long) && !in_path(need.program)).collect()
}

/// True if a folder in `PATH` has the program, or if it is the path of a file.
pub(crate) fn in_path(program: &str) -> bool {
    place(program).is_some()
}

/// The files of all programs that the gate calls, as far as they are here.
pub(crate) fn found() -> impl Iterator<Item = PathBuf> {
    NEEDS.iter().filter_map(|need| place(need.program))
}

fn place(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// True if a missing optional part is a failure, and the machine is the gate's own.
pub(crate) fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|ci| ci == "true")
}

/// True if this process may install packages.
pub(crate) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    Path::new("/proc/self").metadata().is_ok_and(|process| process.uid() == 0)
}
