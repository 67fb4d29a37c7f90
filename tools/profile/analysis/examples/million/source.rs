//! A C++ program with some thousand functions, and others inlined into them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

const FUNCTIONS: usize = 1500;

const BEGIN: &str = "
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

template <int N> struct Field {
    std::vector<double> cells = std::vector<double>(N % 50 + 8);
    double &at(std::size_t i) { return cells[i % cells.size()]; }
    double sum() const { return std::accumulate(cells.begin(), cells.end(), 0.0); }
    void relax() { for (std::size_t i = 1; i < cells.size(); i++) at(i) = 0.5 * (at(i) + at(i - 1)) + N; }
    void order() { std::sort(cells.begin(), cells.end(), [](double a, double b) { return a * N < b * N; }); }
};
";

/// Builds the program beside this executable, unless it is there.
pub(crate) fn program() -> PathBuf {
    let here = env::current_exe().unwrap();
    let folder = here.parent().unwrap().join("million-program");
    let (source, program) = (folder.join("prog.cc"), folder.join("prog"));
    let text = text();
    if !fs::read_to_string(&source).is_ok_and(|old| old == text) || !program.is_file() {
        println!("building {}", program.display());
        fs::create_dir_all(&folder).unwrap();
        fs::write(&source, text).unwrap();
        compile(&source, &program);
    }
    program
}

fn compile(source: &Path, program: &Path) {
    let mut command = process::Command::new("g++");
    command.args(["-g", "-O2", "-fopenmp", "-o"]).arg(program).arg(source);
    assert!(command.status().unwrap().success());
}

fn text() -> String {
    let mut text = BEGIN.to_owned();
    for number in 0..FUNCTIONS {
        let _ = writeln!(text, "double work_{number}(int depth, std::map<std::string, int> &seen);");
    }
    for number in 0..FUNCTIONS {
        let next = (number * 31 + 11) % FUNCTIONS;
        // Sorting instantiates most of the code.
        let order = if number % 12 == 0 { "field.order();" } else { "" };
        let (begin, end) = if number % 30 == 0 {
            ("#pragma omp parallel for reduction(+ : sum)\n", "")
        } else {
            ("", "seen[std::to_string(depth)]++;")
        };
        let _ = writeln!(
            text,
            "__attribute__((noinline)) double work_{number}(int depth, std::map<std::string, int> &seen) {{
    Field<{number}> field;
    field.relax();
    {order}
    double sum = field.sum();
{begin}    for (int i = 0; i < depth; i++) {{
        sum += field.at(i) * i;
    }}
    {end}
    return depth > 0 ? sum + work_{next}(depth - 1, seen) : sum;
}}"
        );
    }
    text + "int main(int argc, char **) {
    std::map<std::string, int> seen;
    return work_0(argc * 30, seen) > 1e9;
}
"
}
