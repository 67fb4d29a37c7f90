//! Clauses for whole sources: `/*W*/` and `/*R*/` (`!W`, `!R`) mark the lines of the accesses.

use super::tests::finding;
use super::*;
use crate::finding::Region;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

/// The advice for the two marked accesses of a source, whose innermost functions are `f`, and their callers.
pub(super) fn advice_in(name: &str, source: &str) -> String {
    let folder = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir().unwrap();
    let file = folder.path().join(name).to_string_lossy().into_owned();
    std::fs::write(&file, source).unwrap();
    let mut sources = Sources::default();
    let mark = |line: &str, mark: &str| {
        let is_guarded = ["atomic", "update"].iter().any(|word| line.contains(&format!("/*{word} {mark}*/")));
        is_guarded || line.contains(&format!("/*{mark}*/")) || line.contains(&format!("!{mark}"))
    };
    let numbered = || (1_u32..).zip(source.lines());
    let functions: Vec<(u32, String)> = numbered()
        .filter(|(_, line)| !line.starts_with([' ', '#', '}', '!', '/']) && line.contains('('))
        .map(|(number, line)| {
            (number, line.split('(').next().unwrap().rsplit([' ', '*', ':']).next().unwrap().to_owned())
        })
        .collect();
    let frame = |line: u32| {
        let function = functions.iter().rfind(|(first, _)| *first <= line).map(|(_, name)| name.clone());
        Frame { function: function.unwrap_or_default(), file: Some(file.clone()), line, ..Frame::default() }
    };
    let region = numbered().find(|(_, line)| line.contains("omp parallel")).map_or(0, |(number, _)| number);
    let mut sides = Vec::new();
    for (number, line) in numbered() {
        for (write, what) in [(true, "W"), (false, "R")] {
            if mark(line, what) {
                let mut stack = vec![frame(number)];
                let called = |line: &str| line.contains(&format!("/*call {what}*/"));
                stack.extend(numbered().filter(|(_, line)| called(line)).map(|(number, _)| frame(number)));
                let text = sources.line(&stack[0]).map(str::to_owned);
                let region = Region { at: Some(frame(region)), id: 1, team: 4 };
                let update = line.contains(&format!("/*update {what}*/"));
                let atomic = update || line.contains(&format!("/*atomic {what}*/"));
                let write = write || update;
                sides.push(Side { write, atomic, direct: true, stack, text, region: Some(region), ..Side::default() });
            }
        }
    }
    let two =
        if sides.len() == 1 { [sides[0].clone(), sides[0].clone()] } else { [sides[0].clone(), sides[1].clone()] };
    let mut finding = finding(two[0].clone(), two[1].clone());
    finding.variable.is_in_one_file = name.starts_with("a.");
    finding.variable.name = None;
    likely(&finding, &mut sources).join("; ")
}

pub(super) fn in_c(body: &str) -> String {
    advice_in("a.c", body)
}

#[test]
fn a_value_that_is_read_after_the_region_is_not_private() {
    let flag = |after: &str| {
        in_c(&format!(
            "int f(int n) {{\n int found = 0;\n#pragma omp parallel for\n for (int i = 0; i < n; i++)\n  if (i % 7 == 3) found = 1; /*W*/\n {after}\n}}\n"
        ))
    };
    for after in ["return found;", "if (n) g(found);", "while (!found) g();", "{ int *p = &found; g(p); }"] {
        assert_eq!(flag(after), "`#pragma omp atomic write`", "{after}");
    }
    let half = |before: &str, body: &str, after: &str| {
        in_c(&format!(
            "void f(int n) {{\n double half;\n {before}\n#pragma omp parallel for\n for (int i = 0; i < n; i++) {{\n  {body}\n  }}\n {after}\n}}\n"
        ))
    };
    let private = "`private(half)`, if no thread needs another one's value";
    let body = "half = i / 2; /*W*/ a[i] = half;";
    assert_eq!(half("", body, ""), private);
    assert_eq!(half("", body, "for (half = 0; half < 3; half++) g(half);"), private);
    assert_eq!(half("", body, "half = 1; g(half);"), private);
    assert_eq!(half("", body, "g(half);"), "`lastprivate(half)`");
    assert_eq!(half("", body, "if (n) half = 1; g(half);"), "`lastprivate(half)`");
    assert_eq!(half("", body, "g(\"half\"); // half"), private);
    // Each of these reads what another iteration, or the code before the region, has written.
    for (before, body) in [
        ("", "if (i > 3) half = i; /*W*/ a[i] = half;"),
        ("half = 3;", "a[i] = half; half = i; /*W*/"),
        ("double *p = &half;", "half = i; /*W*/ a[i] = *p;"),
    ] {
        assert_eq!(half(before, body, ""), "", "{before} {body}");
    }
}

#[test]
fn a_value_that_the_next_turn_of_an_outer_loop_reads_is_not_private() {
    let source = |first: &str| {
        in_c(&format!(
            "void f(int n) {{\n double t = 0;\n for (int k = 0; k < 9; k++) {{\n  {first}\n#pragma omp parallel for\n  for (int i = 0; i < n; i++) {{\n   t = a[i]; /*W*/\n   b[i] = t;\n  }}\n }}\n}}\n"
        ))
    };
    assert_eq!(source("g(t);"), "`lastprivate(t)`");
    assert!(source("t = 1; g(t);").starts_with("`private(t)`"));
}

#[test]
fn only_an_automatic_variable_of_the_function_may_be_private() {
    let source = |before: &str, local: &str| {
        in_c(&format!(
            "{before}\nvoid f(int n) {{\n {local}\n#pragma omp parallel for\n for (int i = 0; i < n; i++) {{\n  t = a[i]; /*W*/\n  b[i] = t;\n  }}\n}}\n"
        ))
    };
    assert!(source("", "double t;").starts_with("`private(t)`"));
    for (before, local) in [
        ("double t;", ""),
        ("static double t;", ""),
        ("extern double t;", ""),
        ("", "static double t;"),
        ("", "extern double t;"),
        ("", "double t; lambda: ;"),
        ("#define HALF (t / 2)", "double t;"),
        ("", "double t;\n#ifdef FAST\n n--;\n#endif"),
    ] {
        assert_eq!(source(before, local), "", "{before} {local}");
    }
    let member = "struct S { double t; void f(int n); };\nvoid S::f(int n) {\n#pragma omp parallel for\n for (int i = 0; i < n; i++) {\n  t = a[i]; /*W*/\n  b[i] = t;\n }\n}\n";
    assert_eq!(advice_in("a.cc", member), "");
    let reference = "void f(double &t) {\n#pragma omp parallel for\n for (int i = 0; i < 9; i++) {\n  t = a[i]; /*W*/\n  b[i] = t;\n }\n}\n";
    assert_eq!(advice_in("a.cc", reference), "");
}

#[test]
fn what_one_thread_writes_for_all_is_not_private() {
    let source = |construct: &str| {
        in_c(&format!(
            "void f(int n) {{\n int t;\n#pragma omp parallel\n {{\n#pragma omp {construct}\n  t = g(n); /*W*/\n  h(t); /*R*/\n }}\n}}\n"
        ))
    };
    assert!(source("master").starts_with("`#pragma omp barrier` after the `master`"));
    assert!(source("single nowait").starts_with("leave out the `nowait`"));
    assert_eq!(source("sections"), "");
}

#[test]
fn a_shared_clause_gives_way() {
    let source = "void f(int n) {\n double t;\n#pragma omp parallel for default(none) \\\n  shared(a, b, t, n)\n for (int i = 0; i < n; i++) {\n  t = a[i]; /*W*/\n  b[i] = t;\n }\n}\n";
    assert_eq!(in_c(source), "`private(t)` in place of its `shared` clause, if no thread needs another one's value");
    for clause in ["firstprivate(t)", "reduction(+:t)", "lastprivate(t)"] {
        assert_eq!(in_c(&source.replace("shared(a, b, t, n)", clause)), "", "{clause}");
    }
}

#[test]
fn an_extremum_is_kept_by_a_test_of_what_is_assigned() {
    let source = |body: &str| {
        in_c(&format!(
            "int f(int n) {{\n int best = 0, at = 0;\n#pragma omp parallel for\n for (int i = 0; i < n; i++) {{\n  {body} /*W*/ /*R*/\n }}\n return best + at;\n}}\n"
        ))
    };
    let critical = "`#pragma omp critical` around the `if` at a.c:5";
    for (body, operator) in [
        ("if (a[i] > best) best = a[i];", "max"),
        ("if (best < a[i]) { best = a[i]; }", "max"),
        ("if (a[i] <= best) best = a[i];", "min"),
        ("if (i % 3 == 1 && best >= a[i]) best = a[i];", "min"),
    ] {
        assert_eq!(source(body), format!("`reduction({operator}:best)`; {critical}"), "{body}");
    }
    for (body, operator) in [("best = a[i] > best ? a[i] : best;", "max"), ("best = MIN(best, a[i]);", "min")] {
        assert_eq!(source(body), format!("`reduction({operator}:best)`; `#pragma omp critical`"), "{body}");
    }
    let called = source("if (ok(i) && a[i] > best) { best = a[i]; at = i; }");
    assert_eq!(called, critical.replace("critical`", "critical(best)`"));
    // The compared value isn't the assigned one, or another value is stored with it.
    for body in
        ["if (a[i] > best) best = b[i];", "if (a[i] > best) { best = a[i]; at = i; }", "if (best < 0) best = a[i];"]
    {
        assert_eq!(source(body), critical, "{body}");
    }
    let used = source("if (i > best) g();\n  if (a[i] > best) best = a[i];");
    assert_eq!(used, critical.replace("a.c:5", "a.c:6"));
}

#[test]
fn the_index_of_an_extremum_is_kept_with_it() {
    let source = "int f(int n) {\n int best = 0, at = 0;\n#pragma omp parallel for\n for (int i = 0; i < n; i++)\n  if (a[i] > best) {\n   best = a[i];\n   at = i; /*W*/\n  }\n return at;\n}\n";
    assert_eq!(in_c(source), "`#pragma omp critical` around the `if` at a.c:5");
}

#[test]
fn a_lazily_made_value_is_no_extremum() {
    let source = |body: &str| {
        in_c(&format!(
            "static int level = -1;\nint f(void) {{\n {body} /*W*/ /*R*/\n return level;\n}}\nint main() {{\n#pragma omp parallel\n f(); /*call W*/ /*call R*/\n}}\n"
        ))
    };
    let both = "initialise `level` before the region; `#pragma omp critical(level)` around the `if` at a.c:3";
    for body in [
        "if (level < 0) level = getenv(\"L\") ? 2 : 1;",
        "if (!level) level = setup();",
        "if (level <= 0) { setup(); level = 1; }",
    ] {
        assert_eq!(source(body), both, "{body}");
    }
    assert_eq!(source("if (level < 0) { level = 1; return 1; }"), "initialise `level` before the region");
    let table = "static int ready, table[16];\nstatic void fill(void) {\n for (int i = 0; i < 16; i++) table[i] = i; /*W*/\n}\nint get(int i) {\n if (!ready) { fill(); ready = 1; } /*call W*/\n return table[i]; /*R*/\n}\nint main() {\n#pragma omp parallel\n get(3);\n}\n";
    let advice = in_c(table);
    assert_eq!(advice, "initialise `ready` before the region; `#pragma omp critical(ready)` around the `if` at a.c:6");
    // The first value depends on the argument, so it can't be set in advance.
    let first = "static int first = -1;\nvoid f(int i) {\n if (first < 0) first = i; /*W*/ /*R*/\n}\n";
    assert_eq!(in_c(first), "`#pragma omp critical` around the `if` at a.c:3");
}

#[test]
fn a_sum_whose_value_is_used_meanwhile_has_no_reduction() {
    let source = |more: &str, update: &str| {
        in_c(&format!(
            "int f(int n) {{\n int sum = 0;\n#pragma omp parallel for\n for (int i = 0; i < n; i++) {{\n  {update} /*W*/\n  {more}\n }}\n return sum;\n}}\n"
        ))
    };
    assert_eq!(source("", "sum += a[i];"), "`reduction(+:sum)`; `#pragma omp atomic`");
    assert_eq!(source("sum -= b[i];", "sum += a[i];"), "`reduction(+:sum)`; `#pragma omp atomic`");
    assert_eq!(source("", "sum = sum + a[i] * 2;"), "`reduction(+:sum)`; `#pragma omp atomic`");
    for more in ["if (sum > 9) g();", "b[i] = sum;", "sum *= 2;", "g(&sum);"] {
        assert_eq!(source(more, "sum += a[i];"), "`#pragma omp atomic`", "{more}");
    }
    for update in ["sum = sum * a[i] + b[i];", "sum = a[i] + b[i] * sum;", "sum = sum + sum;"] {
        assert_eq!(source("", update), "", "{update}");
    }
}

#[test]
fn a_variable_that_each_thread_has_decides_nothing() {
    let source = "static int last;\nvoid f(int n) {\n int k = 0;\n while (n--)\n  if (k < 3) { k++; last = n; } /*W*/ /*R*/\n}\n";
    assert_eq!(in_c(source), "");
    let called = "static int last;\nvoid g(int n) {\n last = n; /*W*/ /*R*/\n}\nstatic int tries;\nvoid f(int n) {\n if (tries < n) { tries++; g(n); } /*call W*/ /*call R*/\n}\n";
    assert_eq!(in_c(called), "");
}

#[test]
fn a_sum_in_a_task_has_no_reduction_of_its_region() {
    let source = "int f(int n) {\n int sum = 0;\n#pragma omp parallel\n {\n#pragma omp task shared(sum)\n  sum += n; /*W*/\n }\n return sum;\n}\n";
    assert_eq!(in_c(source), "`#pragma omp atomic`");
}

#[test]
fn a_sum_in_a_function_that_the_region_calls_has_no_reduction() {
    let source = "static long sum;\nvoid f(int i) {\n sum += i; /*W*/\n}\nint main() {\n#pragma omp parallel for\n for (int i = 0; i < 9; i++) f(i);\n}\n";
    assert_eq!(in_c(source), "`#pragma omp atomic`");
    let global = "static long sum;\nint main(void) {\n#pragma omp parallel for\n for (int i = 0; i < 9; i++) sum += i; /*W*/\n}\n";
    assert_eq!(in_c(global), "`reduction(+:sum)`; `#pragma omp atomic`");
    let either = global
        .replace("#pragma", "#ifdef SLOW\n#pragma omp parallel\n#else\n#pragma")
        .replace(" for (", "#endif\n for (");
    assert_eq!(in_c(&either), "`reduction(+:sum)`; `#pragma omp atomic`");
    // What another file can name, or a part of this one that is not here, may be updated there.
    let both = "`reduction(+:sum)`; `#pragma omp atomic`";
    let visible = global.replace("static ", "");
    assert_eq!(
        [in_c(&visible), advice_in("one.c", global), advice_in("one.c", &visible)],
        [both, both, "`#pragma omp atomic`"]
    );
    for declaration in ["extern long sum;", "static long sum;\n#include \"work.h\"", "static long sum, *all = &sum;"] {
        assert_eq!(in_c(&global.replace("static long sum;", declaration)), "`#pragma omp atomic`", "{declaration}");
    }
    let module = |declaration: &str| {
        let rest = "contains\nsubroutine f(n)\n  integer :: n, i\n  !$omp parallel do\n  do i = 1, n\n    sum = sum + i !W !R\n  end do\nend subroutine\nend module\n";
        advice_in("one.f90", &format!("module m\n  {declaration}\n{rest}")).replace("!$", "#pragma ")
    };
    assert_eq!([module("integer, private :: sum"), module("integer :: sum")], [both, "`#pragma omp atomic`"]);
    // The region in a team of a league ends beside those of the others.
    let league = global.replace("#pragma omp parallel", "#pragma omp teams\n#pragma omp parallel");
    assert_eq!(in_c(&league), "`#pragma omp atomic`");
    assert_eq!(in_c(&global.replace("omp parallel for", "omp teams distribute parallel for")), both);
    let shown = format!("{global}void show(void) {{\n print(sum);\n}}\n");
    assert_eq!(in_c(&shown), "`#pragma omp atomic`");
}

#[test]
fn what_all_threads_write_alike_is_for_one_or_atomic() {
    let source = "static int threads;\nvoid f(void) {\n#pragma omp parallel\n {\n  threads = omp_get_num_threads(); /*W*/\n  g();\n }\n}\n";
    assert_eq!(in_c(source), "`#pragma omp single`; `#pragma omp atomic write`");
    let in_loop = source
        .replace("parallel", "parallel for")
        .replace(" {\n  threads", " for (int i = 0; i < 9; i++) {\n  threads");
    assert_eq!(in_c(&in_loop), "`#pragma omp atomic write`");
    let polled = "int f(int n) {\n int done = 0;\n#pragma omp parallel for\n for (int i = 0; i < n; i++) {\n  if (done) continue; /*R*/\n  if (a[i] == 3) done = 1; /*W*/\n }\n return done;\n}\n";
    assert_eq!(
        in_c(polled),
        "`#pragma omp atomic write seq_cst` at a.c:6 and `#pragma omp atomic read seq_cst` at a.c:5"
    );
}

#[test]
fn fortran_has_the_same_rules() {
    let source = |body: &str, after: &str| {
        advice_in(
            "a.f90",
            &format!(
                "subroutine f(n)\n  integer :: n, i\n  real :: best, t\n  logical :: found\n  !$omp parallel do\n  do i = 1, n\n    {body}\n  end do\n  {after}\nend subroutine\n"
            ),
        )
    };
    assert_eq!(
        source("if (a(i) > Best) Best = a(i) !W !R", "print *, best"),
        "`reduction(max:best)`; `!$omp critical` around the `if` at a.f90:7"
    );
    assert_eq!(
        source("if (a(i) .lt. best) then !R\n best = a(i) !W\n end if", "print *, best"),
        "`reduction(min:best)`; `!$omp critical` around the `if` at a.f90:7"
    );
    assert_eq!(source("best = max(best, a(i)) !W !R", "print *, best"), "`reduction(max:best)`; `!$omp atomic`");
    assert_eq!(source("t = a(i) !W\n b(i) = t !R", ""), "`private(t)`, if no thread needs another one's value");
    assert_eq!(source("t = a(i) !W\n b(i) = t", "print *, t"), "`lastprivate(t)`");
    assert_eq!(source("if (i > 3) found = .true. !W", "print *, found"), "`!$omp atomic write`");
    let module = "module m\n  real :: t\ncontains\nsubroutine f(n)\n  integer :: n, i\n  !$omp parallel do\n  do i = 1, n\n    t = a(i) !W\n    b(i) = t\n  end do\nend subroutine\nend module\n";
    assert_eq!(advice_in("a.f90", module), "");
    let argument = "subroutine f(n, t)\n  integer :: n, i\n  real :: t\n  !$omp parallel do\n  do i = 1, n\n    t = a(i) !W\n    b(i) = t\n  end do\nend subroutine\n";
    assert_eq!(advice_in("a.f90", argument), "");
}

#[test]
fn a_saved_state_is_for_each_thread() {
    let c = |declaration: &str, next: &str| {
        in_c(&format!(
            "int draw(void) {{\n {declaration}\n {next} /*W*/ /*R*/\n return seed;\n}}\nint main() {{\n#pragma omp parallel\n draw();\n}}\n"
        ))
    };
    let state = "`#pragma omp threadprivate(seed)` below its declaration at a.c:2, and a different start value for each thread: \
                 with the declared one all threads would compute the same values";
    assert_eq!(c("static unsigned seed = 1;", "seed = seed * 1103 + 12345;"), state);
    assert_eq!(c("static unsigned seed = 1;", "seed = next(seed);"), state);
    assert_eq!(c("extern unsigned seed;", "seed = next(seed);"), "");
    assert_eq!(c("static unsigned seed = 1;", "seed = next();"), "");
    let fortran = |declaration: &str| {
        advice_in(
            "a.f90",
            &format!(
                "integer function draw()\n {declaration}\n seed = iand(Seed * 1103, 1048575) !W !R\n draw = seed\nend function\n"
            ),
        )
    };
    let state = state.replace("#pragma omp", "!$omp").replace("a.c", "a.f90");
    assert_eq!(fortran("integer, save :: seed = 5"), state);
    assert_eq!(fortran("integer :: seed = 5"), state);
    assert_eq!(fortran("integer :: seed"), "");
}
