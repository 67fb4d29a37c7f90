//! Table of supported events: it agrees with the test programs, and `docs/reference/support.md` agrees with it.

use std::fs;

use compat_tests::forge::Forge;
use compat_tests::library::{crate_dir, project_dir};
use compat_tests::pomp::{Form, opari_is_here};
use compat_tests::stacks::{self, ALL, Stack};
use compat_tests::support::{INSTRUMENTED, Table, column, in_page, instrumented, on_stack, page, path};

#[test]
#[ignore = "slow: --all runs it"]
fn the_table_of_support_is_what_the_programs_show() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let columns = std::thread::scope(|scope| {
        let forge = &forge;
        let name = |stack: &Stack| stacks::column((stack.compiler, stack.runtime));
        let run = move |stack: Stack| (name(&stack), column(forge, &|source| on_stack(forge, &stack, source)));
        let run_instrumented = move |(name, form): (&str, Form)| {
            (name.to_owned(), column(forge, &|source| instrumented(forge, form, source)))
        };
        let stacks = ALL.into_iter().filter_map(|stack| Stack::find(stack, "the_table_of_support"));
        let mut threads: Vec<_> = stacks.map(|stack| scope.spawn(move || run(stack))).collect();
        if opari_is_here("the_table_of_support") {
            threads.extend(INSTRUMENTED.map(|form| scope.spawn(move || run_instrumented(form))));
        }
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let path = path(crate_dir());
    let kept = Table::parse(&fs::read_to_string(&path).unwrap_or_default());
    let mut found = kept.clone();
    columns.iter().for_each(|(stack, column)| found.set(stack, column));
    if std::env::var_os("ORA_WRITE_TABLES").is_some() {
        fs::write(&path, found.text()).unwrap();
        let page = page(project_dir());
        let text = in_page(&fs::read_to_string(&page).unwrap(), &found.markdown()).unwrap();
        fs::write(&page, text).unwrap();
        return;
    }
    let (kept, found) = (kept.text(), found.text());
    let differ = kept.lines().zip(found.lines()).filter(|(kept, found)| kept != found);
    let differ: Vec<_> = differ.map(|(kept, found)| format!("table: {kept}\nfound: {found}")).collect();
    assert!(differ.is_empty() && kept == found, "{}\nsupport.txt says how to write it anew", differ.join("\n"));
}

#[test]
fn the_table_of_the_page_on_support_is_the_tables() {
    let table = Table::parse(&fs::read_to_string(path(crate_dir())).unwrap());
    let text = fs::read_to_string(page(project_dir())).unwrap();
    assert!(
        in_page(&text, &table.markdown()).unwrap() == text,
        "docs/reference/support.md: support.txt says how to write it anew"
    );
}
