//! Dimensions in which a program can be large.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::programs::{OPENMP, Programs, output, undisturbed};

/// Dimension, by the name that `growth.c` has for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dimension {
    pub(super) name: &'static str,
    /// Unit of the sizes.
    pub(super) unit: &'static str,
    /// Sizes, each ten times the previous one.
    pub(super) sizes: &'static [u64],
}

/// All dimensions. The largest sizes are those at which the bare program takes some seconds, or reaches the usual limits of a machine.
pub(super) const ALL: [Dimension; 11] = [
    Dimension { name: "threads", unit: "threads in a team", sizes: &[10, 100, 1_000, 10_000] },
    Dimension { name: "churn", unit: "threads created in turn", sizes: &[100, 1_000, 10_000] },
    Dimension { name: "regions", unit: "regions executed", sizes: &[1_000, 10_000, 100_000, 1_000_000] },
    Dimension { name: "distinct", unit: "distinct regions", sizes: &[10, 100, 1_000, 10_000] },
    Dimension { name: "tasks", unit: "tasks", sizes: &[1_000, 10_000, 100_000, 1_000_000, 10_000_000] },
    Dimension { name: "depth", unit: "tasks inside of each other", sizes: &[100, 1_000, 10_000, 100_000] },
    Dimension { name: "locks", unit: "locks", sizes: &[1_000, 10_000, 100_000, 1_000_000] },
    Dimension { name: "mappings", unit: "mappings, with 200 threads", sizes: &[60, 600, 6_000, 60_000] },
    Dimension { name: "libraries", unit: "libraries, each with a region", sizes: &[10, 100, 1_000] },
    Dimension { name: "processes", unit: "processes forked", sizes: &[20, 200, 2_000] },
    Dimension { name: "stack", unit: "stack frames, for 50 ms", sizes: &[10, 100, 1_000, 10_000, 100_000] },
];

impl Dimension {
    /// Builds the program of a size, with the flags that its command needs.
    pub(super) fn prepare(self, programs: &Programs, size: u64, flags: &[&str]) -> Result<PathBuf> {
        let kind = if flags.is_empty() { "plain" } else { "tsan" };
        let flags = [OPENMP, &["-g"], flags].concat();
        if self.name != "distinct" {
            return programs.compile("growth", &format!("growth-{kind}"), &flags);
        }
        let (source, program) = (programs.file(&format!("distinct{size}.c")), format!("distinct{size}-{kind}"));
        fs::write(&source, distinct(size))?;
        let program = programs.file(&program);
        // Not optimized, because the compiler's time grows with the square of a function's size.
        output(Command::new("gcc").args(&flags).arg("-O0").arg("-o").arg(&program).arg(&source))?;
        Ok(program)
    }

    /// Arguments of the program.
    pub(super) fn arguments(self, programs: &Programs, size: u64) -> Result<Vec<String>> {
        let mut words = vec![self.name.to_owned(), size.to_string()];
        if self.name == "libraries" {
            let folder = programs.file("growth-libraries");
            fs::create_dir_all(&folder)?;
            let one = programs.compile("growth_library", "libgrowth.so", &["-fopenmp", "-g", "-shared", "-fPIC"])?;
            for number in 0..size {
                let path = folder.join(format!("lib{number}.so"));
                if !path.exists() {
                    fs::copy(&one, path)?;
                }
            }
            words.push(folder.display().to_string());
        }
        Ok(words)
    }

    /// Sets the variables that a program of this dimension needs.
    pub(super) fn set_up(self, command: &mut Command) {
        undisturbed(command);
        // If threads of a team far larger than the machine spin, they only wait for processors that others occupy.
        command.env("OMP_WAIT_POLICY", "passive").env("OMP_DYNAMIC", "false");
        if self.name == "depth" {
            command.env("OMP_STACKSIZE", "4G");
        }
    }
}

/// Source of a program with `size` regions, executed one after the other.
fn distinct(size: u64) -> String {
    let mut text = "static int members;\n".to_owned();
    for number in 0..size {
        let _ = writeln!(
            text,
            "static void f{number}(void) {{\n#pragma omp parallel num_threads(2)\n#pragma omp atomic\n  members++;\n}}"
        );
    }
    text += "int main(void) {\n";
    for number in 0..size {
        let _ = writeln!(text, "  f{number}();");
    }
    text + "  return 0;\n}\n"
}
