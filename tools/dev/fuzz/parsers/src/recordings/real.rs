//! Small recordings of a program that actually ran, made by the `ora` command in the same folder.

use std::fs;
use std::io::{self, Error};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Recording;

/// Nested regions, tasks with dependences, locks; with an argument, the program is killed at its end.
const PROGRAM: &str = "#include <omp.h>
#include <signal.h>
static volatile double sum;
static void work(int n) { for (int i = 0; i < n; i++) sum += i; }
int main(int argc, char **argv) {
    (void)argv;
    omp_set_max_active_levels(2);
    for (int round = 0; round < 4; round++) {
        #pragma omp parallel num_threads(2)
        {
            work(400000);
            #pragma omp critical
            work(100000);
            #pragma omp single
            for (int t = 0; t < 8; t++) {
                #pragma omp task depend(inout: sum)
                work(100000);
            }
            #pragma omp parallel num_threads(2)
            work(200000);
            #pragma omp for schedule(dynamic)
            for (int i = 0; i < 8; i++) work(20000);
        }
    }
    return argc > 1 ? raise(SIGKILL) : 0;
}
";

/// Records the program four times: a profile, a packed trace, a trace with samples, and a trace of a killed process.
///
/// # Errors
/// If there is no compiler, or a command fails.
pub fn recordings(ora: &Path, folder: &Path) -> io::Result<Vec<Recording>> {
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    fs::write(&source, PROGRAM)?;
    let mut compiler = Command::new("gcc");
    succeed(compiler.args(["-g", "-O1", "-fopenmp", "-o"]).args([&program, &source]))?;
    let [profile, packed, sampled, killed] = ["profile", "packed", "sampled", "killed"].map(|name| folder.join(name));
    let run = |options: &[&str], to: &PathBuf, arguments: &[&str]| {
        let mut command = Command::new(ora);
        command.args(options).arg("-o").arg(to).arg("--").arg(&program).args(arguments);
        command.env("OMP_NUM_THREADS", "2").stdout(Stdio::null()).stderr(Stdio::null()).status()
    };
    run(&["profile", "-F", "1000"], &profile, &[])?;
    run(&["trace"], &packed, &[])?;
    run(&["trace", "--sample", "1000"], &sampled, &[])?;
    run(&["trace"], &killed, &["killed"])?;
    [profile, packed, sampled, killed].iter().map(|folder| read(folder)).collect()
}

/// Runs a command, which must succeed.
fn succeed(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(Error::other(format!("{:?}: {status}", command.get_program()))) }
}

/// Recording of the first process in a folder.
fn read(folder: &Path) -> io::Result<Recording> {
    let processes = profile_analysis::input::folders(&[folder.to_owned()]).map_err(Error::other)?;
    Recording::read(processes.first().ok_or(io::ErrorKind::NotFound)?)
}
