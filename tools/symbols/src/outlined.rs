//! Names that compilers give to outlined functions.

use crate::name::ConstructKind;

/// Parts of such a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outlined<'a> {
    /// Linkage name of the function that contains the construct; empty if the name doesn't contain it.
    pub(super) author: &'a str,
    /// Kind of the construct, as far as the name shows it.
    pub(super) kind: ConstructKind,
    pub(super) part: Part,
}

/// Part of a construct's code. clang generates two functions for a construct: one calls the other or has it inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The function that the runtime calls.
    Entry,
    /// The author's code, called from an entry.
    Body,
    /// A helper, which copies or combines.
    Detail,
}

impl<'a> Outlined<'a> {
    /// Parses a name; `None` for an ordinary function.
    pub(super) fn of(name: &'a str) -> Option<Self> {
        // Nearly all names are those of ordinary functions.
        let marked = name.contains('.').then_some(name)?;
        gcc(marked)
            .or_else(|| clang(marked))
            .or_else(|| clang_task(marked))
            .or_else(|| builder(marked))
            .or_else(|| intel(marked))
    }
}

fn author<'a>(name: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    let at = name.find(mark)?;
    Some((name.get(..at)?, name.get(at + mark.len()..)?))
}

/// Parses gcc's names: `work._omp_fn.0`, and `work._omp_cpyfn.1` that copies a task's data.
fn gcc(name: &str) -> Option<Outlined<'_>> {
    let (part, (author, _)) = author(name, "._omp_fn.")
        .map(|found| (Part::Entry, found))
        .or_else(|| Some((Part::Detail, author(name, "._omp_cpyfn.")?)))?;
    let kind = if part == Part::Detail { ConstructKind::Task } else { ConstructKind::Other };
    Some(Outlined { author, kind, part })
}

/// Parses clang's names: `work.omp_outlined`, `work.omp_outlined.4`, `work.omp_outlined_debug__`, nested
/// `work.omp_outlined_debug__.3.omp_outlined`; until version 16 `.omp_outlined.`, `.omp_outlined._debug__.5`. Helpers
/// have further suffixes.
fn clang(name: &str) -> Option<Outlined<'_>> {
    const MARK: &str = ".omp_outlined";
    let (author, _) = author(name, MARK)?;
    let last = name.rfind(MARK).and_then(|at| name.get(at + MARK.len()..)).unwrap_or_default();
    let (rest, part) = match last.strip_prefix("._debug__").or_else(|| last.strip_prefix("_debug__")) {
        Some(rest) => (rest, Part::Body),
        None => (last, Part::Entry),
    };
    let number = |rest: &str| rest.chars().all(|letter| letter == '.' || letter.is_ascii_digit());
    // The body of a task, inlined into the task's entry, has this name without a corresponding `debug` function.
    let part = if number(rest) { part } else { Part::Detail };
    let kind = if part == Part::Detail { ConstructKind::Other } else { ConstructKind::Parallel };
    Some(Outlined { author, kind, part })
}

/// Parses clang's names for tasks: `.omp_task_entry.`, `.omp_task_entry..2`, and others.
fn clang_task(name: &str) -> Option<Outlined<'_>> {
    let part = if name.starts_with(".omp_task_entry.") {
        Part::Entry
    } else if [".omp_task_privates_map.", ".omp_task_dup.", ".omp_task_destructor."]
        .into_iter()
        .any(|detail| name.starts_with(detail))
    {
        Part::Detail
    } else {
        return None;
    };
    Some(Outlined { author: "", kind: ConstructKind::Task, part })
}

/// Parses names of LLVM's OpenMPIRBuilder (flang): `work_..omp_par`.
fn builder(name: &str) -> Option<Outlined<'_>> {
    let (author, _) = author(name, "..omp_par")?;
    Some(Outlined { author, kind: ConstructKind::Other, part: Part::Entry })
}

/// Parses icx's names: `work.DIR.OMP.PARALLEL.LOOP.2.split35`.
fn intel(name: &str) -> Option<Outlined<'_>> {
    let (author, construct) = author(name, ".DIR.OMP.")?;
    let kind = match construct {
        construct if construct.starts_with("PARALLEL") => ConstructKind::Parallel,
        construct if construct.starts_with("TASK") || construct.starts_with("GENERICLOOP.TASK") => ConstructKind::Task,
        _ => ConstructKind::Other,
    };
    Some(Outlined { author, kind, part: Part::Entry })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConstructKind::{Other, Parallel, Task};

    #[test]
    fn names_of_all_compilers_give_their_author() {
        let table = [
            ("main._omp_fn.0", "main", Other, Part::Entry),
            ("_ZNK3app5Field5relaxEd._omp_fn.1", "_ZNK3app5Field5relaxEd", Other, Part::Entry),
            ("work._omp_fn.0.constprop.0", "work", Other, Part::Entry),
            ("work._omp_cpyfn.1", "work", Task, Part::Detail),
            ("work.omp_outlined", "work", Parallel, Part::Entry),
            ("work.omp_outlined.4", "work", Parallel, Part::Entry),
            ("work.omp_outlined_debug__", "work", Parallel, Part::Body),
            ("main.omp_outlined_debug__.3", "main", Parallel, Part::Body),
            ("main.omp_outlined_debug__.3.omp_outlined", "main", Parallel, Part::Entry),
            ("main.omp_outlined_debug__.3.omp_outlined_debug__", "main", Parallel, Part::Body),
            ("a.omp_outlined_debug__.omp.reduction.reduction_func", "a", Other, Part::Detail),
            (".omp_outlined.", "", Parallel, Part::Entry),
            (".omp_outlined..1", "", Parallel, Part::Entry),
            (".omp_outlined._debug__.5", "", Parallel, Part::Body),
            (".omp_task_entry.", "", Task, Part::Entry),
            (".omp_task_entry..2", "", Task, Part::Entry),
            (".omp_task_privates_map.", "", Task, Part::Detail),
            ("work_..omp_par.1", "work_", Other, Part::Entry),
            ("work.DIR.OMP.PARALLEL.LOOP.2.split35", "work", Parallel, Part::Entry),
            ("work.DIR.OMP.TASK.2", "work", Task, Part::Entry),
        ];
        for (name, author, kind, part) in table {
            assert_eq!(Outlined::of(name), Some(Outlined { author, kind, part }), "{name}");
        }
    }

    #[test]
    fn other_functions_are_not_outlined() {
        for name in ["main", "work_omp_fn", "omp_outlined", "spin.part.0", "", "a.omp", "gomp_thread_start"] {
            assert_eq!(Outlined::of(name), None, "{name}");
        }
    }
}
