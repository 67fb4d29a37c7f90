//! The requirements.

use crate::Requirement;
use crate::trial::Trial;

/// OpenMP program that fails if its region has no thread.
const OPENMP: (&str, &str) = (
    "source.c",
    "#include <omp.h>\n\
     int main(void) {\n    int n = 0;\n#pragma omp parallel reduction(+ : n)\n    n += omp_get_thread_num() >= 0;\n    return n < 1;\n}\n",
);
/// Program that includes no header.
const EMPTY: (&str, &str) = ("source.c", "int main(void) { return 0; }\n");
/// Program that every MPI library can build and run.
const MPI_PROGRAM: (&str, &str) = (
    "source.c",
    "#include <mpi.h>\n\
     int main(int argc, char **argv) {\n    MPI_Init(&argc, &argv);\n    MPI_Barrier(MPI_COMM_WORLD);\n    return MPI_Finalize();\n}\n",
);
/// Program without the C library, which calls Linux's 32-bit `exit`.
const OF_32_BITS: (&str, &str) =
    ("source.c", "void _start(void) { __asm__ volatile(\"int $0x80\" : : \"a\"(1), \"b\"(0)); }\n");

/// Commands that compile or run a source.
const fn program(source: (&'static str, &'static str), commands: &'static [&'static [&'static str]]) -> Trial {
    Trial { source, commands, files: &[] }
}

/// Commands that need no source: most of them print a version.
const fn command(commands: &'static [&'static [&'static str]]) -> Trial {
    program(("", ""), commands)
}

const fn file(files: &'static [&'static str]) -> Trial {
    Trial { source: ("", ""), commands: &[], files }
}

/// Path of a browser, for the test of the flame graph.
pub const BROWSER: &str = "/usr/bin/chromium";

/// Declares each requirement, and [`ALL`], the list of them.
macro_rules! requirements {
    ($($(#[$doc:meta])* $name:ident = $new:expr;)*) => {
        $($(#[$doc])* pub static $name: Requirement = $new;)*

        /// All of them, in the order in which they are tried.
        pub static ALL: &[&Requirement] = &[$(&$name),*];
    };
}

requirements! {
    /// gcc with OpenMP.
    GCC = Requirement::new("gcc with OpenMP", &["gcc", "libc6-dev"],
        program(OPENMP, &[&["gcc", "-fopenmp", "source.c", "-o", "program"], &["./program"]]));
    /// g++.
    GXX = Requirement::new("g++", &["g++"],
        program(("source.cc", "#include <vector>\nint main() { return (int)std::vector<int>().size(); }\n"),
            &[&["g++", "-fopenmp", "source.cc", "-o", "program"], &["./program"]]));
    /// Readers of ELF files.
    BINUTILS = Requirement::new("nm, objdump and readelf", &["binutils"],
        command(&[&["nm", "--version"], &["objdump", "--version"], &["readelf", "--version"]]));
    /// pkg-config.
    PKG_CONFIG = Requirement::new("pkg-config", &["pkg-config"], command(&[&["pkg-config", "--version"]]));
    /// CMake and a build program for it.
    CMAKE = Requirement::new("cmake", &["cmake", "make"], command(&[&["cmake", "--version"], &["make", "--version"]]))
        .or("the example of a CMake project is SKIPPED");
    /// gdb with Python.
    GDB = Requirement::new("gdb with Python", &["gdb"],
        command(&[&["gdb", "-q", "-batch", "-nx", "-ex", "python print(1)"]]))
        .or("the tests of ora.py, and of processes under a debugger, are SKIPPED");
    /// A compiler for musl.
    MUSL = Requirement::new("musl-gcc", &["musl-tools"],
        program(EMPTY, &[&["musl-gcc", "source.c", "-o", "program"], &["./program"]]))
        .or("the tests on programs for musl are SKIPPED");
    /// The formatter of man pages.
    GROFF = Requirement::new("groff", &["groff-base"], command(&[&["groff", "--version"]]))
        .or("the man pages are not checked for warnings of the formatter: SKIPPED");
    /// gfortran with OpenMP.
    GFORTRAN = Requirement::new("gfortran with OpenMP", &["gfortran"],
        program(("source.f90", "program source\n  use omp_lib\n  if (omp_get_max_threads() < 1) stop 1\nend program\n"),
            &[&["gfortran", "-fopenmp", "source.f90", "-o", "program"], &["./program"]]))
        .or("the Fortran tests are SKIPPED");
    /// gcc's ThreadSanitizer. The program is only linked, not run: some releases don't start on today's kernels, which `ora race` works
    /// around.
    GCC_TSAN = Requirement::new("gcc's ThreadSanitizer", &["gcc"],
        program(EMPTY, &[&["gcc", "-fsanitize=thread", "source.c", "-o", "program"]]))
        .or("the tests of ora race are SKIPPED");
    /// libgomp for static programs.
    LIBGOMP_A = Requirement::new("libgomp.a", &["gcc"],
        program(OPENMP, &[&["gcc", "-fopenmp", "-static", "source.c", "-o", "program"], &["./program"]]))
        .or("the tests on static OpenMP programs are SKIPPED");
    /// Python.
    PYTHON = Requirement::new("python3", &["python3"], command(&[&["python3", "-c", ""]]))
        .or("the tests on Python are SKIPPED");
    /// Python's virtual environments.
    VENV = Requirement::new("python3 with venv", &["python3", "python3-venv"],
        command(&[&["python3", "-c", "import ensurepip, venv"]]))
        .or("the tests on Python packages are SKIPPED");
    /// clang with OpenMP: its own header, and LLVM's runtime.
    CLANG = Requirement::new("clang-{llvm} with OpenMP", &["clang-{llvm}", "libomp-{llvm}-dev"],
        program(OPENMP, &[
            &["clang-{llvm}", "-fopenmp", "-L/usr/lib/llvm-{llvm}/lib", "-Wl,-rpath,/usr/lib/llvm-{llvm}/lib", "source.c",
              "-o", "program"],
            &["./program"]]))
        .or("the tests on programs and tools that clang compiles are SKIPPED");
    /// clang++.
    CLANGXX = Requirement::new("clang++-{llvm}", &["clang-{llvm}", "g++"],
        program(("source.cc", "#include <vector>\nint main() { return (int)std::vector<int>().size(); }\n"),
            &[&["clang++-{llvm}", "source.cc", "-o", "program"], &["./program"]]))
        .or("what clang compiles of C++ is SKIPPED");
    /// LLVM's OpenMP runtime under gcc's programs.
    LIBOMP = Requirement::new("LLVM's OpenMP runtime", &["libomp-{llvm}-dev"],
        program(OPENMP, &[
            &["gcc", "-fopenmp", "source.c", "-Wl,--no-as-needed", "/usr/lib/llvm-{llvm}/lib/libomp.so.5", "-o", "program"],
            &["./program"]]))
        .or("all tests on LLVM's runtime are SKIPPED");
    /// LLVM's header for tools.
    OMP_TOOLS = Requirement::new("LLVM's omp-tools.h", &["libomp-{llvm}-dev"],
        program(EMPTY, &[
            &["gcc", "-c", "-include", "/usr/lib/llvm-{llvm}/lib/clang/{llvm}/include/omp-tools.h", "source.c"]]))
        .or("the comparison of our omp-tools.h with LLVM's is SKIPPED");
    /// LLVM's Archer.
    ARCHER = Requirement::new("Archer", &["libomp-{llvm}-dev"], file(&["/usr/lib/llvm-{llvm}/lib/libarcher.so"]))
        .or("the tests with the race detector Archer are SKIPPED");
    /// clang's ThreadSanitizer, linked into programs. Like gcc's, the program is only linked.
    CLANG_TSAN = Requirement::new("clang-{llvm}'s ThreadSanitizer", &["clang-{llvm}", "libclang-rt-{llvm}-dev"],
        program(EMPTY, &[&["clang-{llvm}", "-fsanitize=thread", "source.c", "-o", "program"]]))
        .or("Archer on LLVM's own runtime is not compared, and with --long no sanitizer's checks are compiled in: SKIPPED");
    /// clang's ThreadSanitizer as a shared library.
    CLANG_TSAN_SO = Requirement::new("clang-{llvm}'s shared ThreadSanitizer", &["clang-{llvm}", "libclang-rt-{llvm}-dev"],
        Trial {
            source: EMPTY,
            commands: &[&["clang-{llvm}", "-fsanitize=thread", "-shared-libsan", "source.c", "-o", "program"]],
            files: &["/usr/lib/llvm-{llvm}/lib/clang/{llvm}/lib/linux/libclang_rt.tsan-x86_64.so"],
        })
        .or("programs with the sanitizer beside them are SKIPPED");
    /// Names and lines for reports of clang's sanitizers.
    SYMBOLIZER = Requirement::new("llvm-symbolizer-{llvm}", &["llvm-{llvm}"],
        command(&[&["llvm-symbolizer-{llvm}", "--version"]]))
        .or("reports of clang's sanitizers name no lines: what needs these sanitizers is SKIPPED");
    /// A static shell.
    BUSYBOX = Requirement::new("busybox", &["busybox-static"], command(&[&["busybox", "sh", "-c", "exit 0"]]))
        .or("the tests on children of static programs are SKIPPED");
    /// A kernel, a compiler and a dynamic linker for 32-bit programs.
    BITS_32 = Requirement::new("32-bit programs", &["libc6-i386"],
        program(OF_32_BITS, &[
            &["gcc", "-m32", "-nostdlib", "-fno-stack-protector", "-fPIE", "-pie", "-Wl,-dynamic-linker,/lib/ld-linux.so.2",
              "source.c", "-o", "program"],
            &["./program"]]))
        .or("the tests on 32-bit programs are SKIPPED");
    /// firejail. It refuses some users, even for `--version`. Tests find out by themselves whether it is allowed to do anything here.
    FIREJAIL = Requirement::new("firejail", &["firejail"],
        command(&[&["sh", "-c", "command -v firejail || { echo firejail is missing; exit 1; }"]]))
        .or("the tests on firejail are SKIPPED");
    /// bubblewrap. Tests find out by themselves whether it is allowed to do anything here.
    BWRAP = Requirement::new("bwrap", &["bubblewrap"], command(&[&["bwrap", "--version"]]))
        .or("the tests on sandboxes are SKIPPED");
    /// OPARI.
    OPARI = Requirement::new("opari2", &["opari2"], program(OPENMP, &[&["opari2", "source.c", "instrumented.c"]]))
        .or("the tests on programs that OPARI has instrumented are SKIPPED");
    /// OTF2's reader.
    OTF2_PRINT = Requirement::new("otf2-print", &["otf2-tools"], command(&[&["otf2-print", "--version"]]))
        .or("archives in the Open Trace Format are not read back: SKIPPED");
    /// valgrind. Its version is not enough: it fails on programs if the dynamic linker has no symbols.
    VALGRIND = Requirement::new("valgrind", &["valgrind"],
        program(EMPTY, &[
            &["gcc", "source.c", "-o", "program"],
            &["valgrind", "--quiet", "--error-exitcode=9", "./program"]]))
        .or("the tests under valgrind are SKIPPED");
    /// A browser.
    CHROMIUM = Requirement::new("chromium", &["chromium"], command(&[&[BROWSER, "--version"]]))
        .or("no browser draws and searches a flame graph: SKIPPED").for_long();
    /// MPI: compiler, headers, library and launcher.
    MPI = Requirement::new("MPI", &["libopenmpi-dev", "openmpi-bin"],
        program(MPI_PROGRAM, &[
            &["mpicc", "source.c", "-o", "program"],
            &["mpirun", "--oversubscribe", "-n", "2", "./program"]]))
        .or("the ranks of an MPI job are not profiled: SKIPPED").for_long();
    /// Open MPI.
    OPENMPI = Requirement::new("Open MPI", &["libopenmpi-dev", "openmpi-bin"],
        program(MPI_PROGRAM, &[
            &["mpicc.openmpi", "source.c", "-o", "program"],
            &["mpirun.openmpi", "--oversubscribe", "-n", "2", "./program"]]))
        .or("jobs under Open MPI are not tried: SKIPPED").for_long();
    /// MPICH.
    MPICH = Requirement::new("MPICH", &["libmpich-dev", "mpich"],
        program(MPI_PROGRAM, &[
            &["mpicc.mpich", "source.c", "-o", "program"],
            &["mpirun.mpich", "-n", "2", "./program"]]))
        .or("jobs under MPICH are not tried: SKIPPED").for_long();
    /// Debian's rules for packages.
    LINTIAN = Requirement::new("lintian", &["lintian"], command(&[&["lintian", "--version"]]))
        .or("the Debian packages are not checked by Debian's rules: SKIPPED").for_long();
    /// Builder of Debian packages.
    DEBHELPER = Requirement::new("debhelper", &["debhelper"], file(&["/usr/bin/dh", "/usr/bin/dpkg-buildpackage"]))
        .or("no Debian packages are built: a release fails").for_long();
    /// Builder of empty systems.
    DEBOOTSTRAP = Requirement::new("debootstrap", &["debootstrap"], command(&[&["debootstrap", "--version"]]))
        .or("the Debian package is not tried on an empty system: SKIPPED").for_long();
}
