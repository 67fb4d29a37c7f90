//! Functions as their author wrote them, from names that compilers derive from them.

use crate::outlined::Outlined;
use crate::{construct, linkage_name};

/// The author's function, from the linkage name of a function that a compiler has generated from it.
pub fn author(name: &str) -> String {
    match Outlined::of(name).map(|outlined| outlined.author) {
        None | Some("") => linkage_name::plain(name, false),
        Some(author) => linkage_name::plain(construct::without_number(author), false),
    }
}

#[cfg(test)]
mod tests {
    use super::author;

    #[test]
    fn functions_are_those_that_the_author_wrote() {
        assert_eq!(["main._omp_fn.0", "fib.part.2", "work"].map(author), ["main", "fib", "work"]);
        assert_eq!(author("_ZNK3app5Field5relaxEd._omp_fn.1"), "app::Field::relax(double) const");
        assert_eq!(
            ["inner.0._omp_fn.0", ".omp_task_entry.", "work.omp_outlined.4"].map(author),
            ["inner", ".omp_task_entry.", "work"]
        );
    }
}
