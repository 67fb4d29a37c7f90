//! Barriers and polls in whole sources, marked as in [`super::clause_tests`].

use super::clause_tests::{advice_in, in_c};

#[test]
fn what_one_thread_writes_for_the_others_needs_a_barrier_not_an_atomic() {
    let source = |body: &str| {
        in_c(&format!("int f(int n) {{\n int t = 0;\n#pragma omp parallel\n {{\n{body}\n }}\n return t;\n}}\n"))
    };
    let tail = "\n#pragma omp for reduction(+:t) /*update R*/\n for (int i = 0; i < n; i++) t += i;";
    let barrier = "`#pragma omp barrier` after the ";
    for (block, after) in [
        ("#pragma omp master\n  t = 9; /*W*/", "`master` construct at a.c:5"),
        ("#pragma omp masked\n {\n  t = 9; /*W*/\n }", "`masked` construct at a.c:5"),
        ("if (omp_get_thread_num() == 0) t = 9; /*W*/", "`if` at a.c:5"),
        ("int me = omp_get_thread_num();\n if (me == 0)\n  t = 9; /*W*/", "`if` at a.c:6"),
        ("for (int k = 0; k < 9; k++) {\n#pragma omp master\n  t = 9; /*W*/", "`master` construct at a.c:6"),
    ] {
        let end = if block.starts_with("for") { "\n }" } else { "" };
        let advice = source(&format!("{block}{tail}{end}"));
        assert!(advice.starts_with(&format!("{barrier}{after}")), "{block}: {advice}");
    }
    assert!(source(&format!("#pragma omp single nowait\n  t = 9; /*W*/{tail}")).starts_with("leave out the `nowait`"));
    // The barrier is there: the next turn writes while others still read.
    let turns =
        "for (int k = 0; k < 9; k++) {\n#pragma omp master\n  t = k; /*W*/\n#pragma omp barrier\n  h(t); /*R*/\n }";
    assert_eq!(source(turns), "");
    // Not all threads would come to the barrier, both add in any order, or the read polls.
    for body in [
        format!("if (n > 3) {{\n#pragma omp master\n  t = 9; /*W*/{tail}\n }}"),
        "while (next()) {\n if (omp_get_thread_num() == 0) t = 9; /*W*/\n g(t); /*R*/\n }".to_owned(),
        format!("#pragma omp master\n  t++; /*W*/{tail}"),
        "#pragma omp master\n  t = 1; /*W*/\n while (!seen) seen = t; /*atomic R*/".to_owned(),
    ] {
        assert!(!source(&body).contains("barrier"), "{body}");
    }
}

#[test]
fn a_nowait_is_named_only_if_its_barrier_would_be_between_the_accesses() {
    let source = |body: &str| {
        in_c(&format!(
            "int f(int n) {{\n int t = 0, me = omp_get_thread_num();\n#pragma omp parallel\n {{\n{body}\n }}\n return t;\n}}\n"
        ))
    };
    let nowait = "leave out the `nowait` at a.c:5: without it a barrier is between the accesses";
    let sum =
        "#pragma omp for nowait\n for (int i = 0; i < n; i++) {\n#pragma omp atomic\n  t += i; /*update W*/\n }\n";
    assert_eq!(source(&format!("{sum}#pragma omp single\n  half = t / 2; /*R*/")), nowait);
    assert_eq!(source(&format!("{sum} if (me == n) t = 0; /*W*/")), nowait);
    assert_eq!(
        source("#pragma omp for nowait\n for (int i = 0; i < n; i++)\n  a[i] = i; /*W*/\n h(a[me]); /*R*/"),
        nowait
    );
    // Both accesses are after the construct, or in it, or its barrier is there.
    let other = "#pragma omp for nowait\n for (int i = 0; i < n; i++)\n  a[i] = i;\n";
    assert_eq!(source(&format!("{other} if (me == n)\n  t = 9; /*W*/\n h(t); /*R*/")), "");
    let inside = "#pragma omp for nowait\n for (int i = 0; i < n; i++) {\n  a[i] = i; /*W*/\n h(a[i + 1]); /*R*/\n }";
    assert!(source(inside).starts_with("an iteration uses the part of `a` that another one writes"));
    assert_eq!(
        source(&sum.replace(" nowait", "").replace("t += i; /*update W*/\n }", "t += i; /*update W*/\n h(t); /*R*/ }")),
        ""
    );
    // In a loop around both, the next turn's construct comes before another thread's read.
    let turns = |end: &str| {
        source(
            &format!(" for (int k = 0; k < 9; k++) {{ /*k*/\n{other} h(a[me]); /*R*/\n{end} }}")
                .replace("a[i] = i;", "a[i] = i; /*W*/"),
        )
    };
    assert_eq!(turns(""), "");
    assert_eq!(turns("#pragma omp barrier\n"), nowait.replace("a.c:5", "a.c:6"));
    // A function that the construct calls may be anywhere in the file.
    let called = "int f(int n) {\n#pragma omp parallel\n {\n#pragma omp for nowait\n for (int i = 0; i < n; i++) g(i); /*call W*/\n h(t); /*R*/\n }\n}\nvoid g(int i) {\n t = i; /*W*/\n}\n";
    assert_eq!(in_c(called), nowait.replace("a.c:5", "a.c:4"));
    let fortran = "subroutine f(n)\n  integer :: n, i\n  !$omp parallel\n  !$omp do\n  do i = 1, n\n    a(i) = i !W\n  end do\n  !$omp end do nowait\n  call h(a(n)) !R\n  !$omp end parallel\nend subroutine\n";
    assert_eq!(advice_in("a.f90", fortran), nowait.replace("a.c:5", "a.f90:8"));
}

#[test]
fn a_read_that_polls_gets_the_protection_of_the_flag() {
    let source = |write: &str, read: &str| {
        in_c(&format!(
            "int f(int n) {{\n int done = 0;\n#pragma omp parallel for\n for (int i = 0; i < n; i++) {{\n  {read}\n#pragma omp atomic\n  {write} /*update W*/\n }}\n return done;\n}}\n"
        ))
    };
    let poll = "if (done) continue; /*R*/";
    assert_eq!(source("done = 1;", poll), "`#pragma omp atomic read` at a.c:5 as well");
    assert_eq!(source("done = i;", poll), "");
    // It takes its place by the number that others increment meanwhile.
    assert_eq!(source("done++;", "a[done] = i; /*R*/"), "");
}
