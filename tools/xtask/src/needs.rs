//! What the gate needs of the machine beside Rust, and how to get it.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// A program that the gate calls, or a file that it reads, and the Debian packages that make it work.
struct Need {
    /// Its name in `PATH`, or its path.
    program: &'static str,
    packages: &'static [&'static str],
    /// What happens without it: `None` when nothing works.
    without: Option<&'static str>,
}

const NEEDS: &[Need] = &[
    Need { program: "gcc", packages: &["gcc", "libc6-dev"], without: None },
    Need { program: "g++", packages: &["g++"], without: None },
    Need { program: "nm", packages: &["binutils"], without: None },
    Need { program: "objdump", packages: &["binutils"], without: None },
    Need { program: "gfortran", packages: &["gfortran"], without: Some("the Fortran tests are SKIPPED") },
    Need {
        program: "python3",
        packages: &["python3", "python3-venv"],
        without: Some("the tests on Python packages are SKIPPED"),
    },
    Need {
        program: "clang-19",
        packages: &["clang-19"],
        without: Some("the tests on programs and tools that clang compiles are SKIPPED"),
    },
    Need {
        program: "/usr/lib/llvm-19/lib/clang/19/include/omp-tools.h",
        packages: &["libomp-19-dev"],
        without: Some("the comparison of our omp-tools.h with LLVM's, and all tests on LLVM's runtime, are SKIPPED"),
    },
    Need {
        program: "/usr/lib/llvm-19/lib/libarcher.so",
        packages: &["libomp-19-dev"],
        without: Some("the tests with the race detector Archer are SKIPPED"),
    },
    Need {
        program: "/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.tsan-x86_64.a",
        packages: &["clang-19", "libclang-rt-19-dev"],
        without: Some("Archer on LLVM's own runtime is not compared: SKIPPED"),
    },
    Need {
        program: "opari2",
        packages: &["opari2"],
        without: Some("the tests on programs that OPARI has instrumented are SKIPPED"),
    },
    Need { program: "valgrind", packages: &["valgrind"], without: Some("the tests under valgrind are SKIPPED") },
];
/// Parts of the Rust tool chain that come as components: the cargo command and the component.
const COMPONENTS: [(&str, &str); 2] = [("fmt", "rustfmt"), ("clippy", "clippy")];

/// Installs what is missing where we may, and says what to do where we may not. What can be done without is returned, as
/// warnings.
pub(crate) fn install() -> Result<Vec<String>> {
    components()?;
    let missing = missing();
    if missing.is_empty() {
        println!("nothing is missing");
        return Ok(Vec::new());
    }
    let mut packages: Vec<&str> = missing.iter().flat_map(|need| need.packages).copied().collect();
    packages.dedup();
    let command = format!("apt-get install -y --no-install-recommends {}", packages.join(" "));
    if is_root() && in_path("apt-get") {
        println!("installing {}", packages.join(", "));
        apt(&["update"])?;
        apt(&[&["install", "-y", "--no-install-recommends"], packages.as_slice()].concat())?;
        return match self::missing().first() {
            None => Ok(Vec::new()),
            Some(need) => bail!("{} is still missing after `{command}`", need.program),
        };
    }
    let next = if in_path("apt-get") {
        format!("sudo apt-get update && sudo {command}")
    } else {
        format!("install with this system's package manager what Debian calls: {}", packages.join(" "))
    };
    let must = |need: &&Need| need.without.is_none() || env::var_os("CI").is_some_and(|ci| ci == "true");
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

/// rustfmt and clippy.
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

fn missing() -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| !in_path(need.program)).collect()
}

/// Whether one of the folders in `PATH` has it; a path is what it is from each of them.
fn in_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Whether this process may install packages.
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    Path::new("/proc/self").metadata().is_ok_and(|process| process.uid() == 0)
}
