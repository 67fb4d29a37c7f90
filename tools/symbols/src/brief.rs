//! Names without argument lists.

use std::collections::{HashMap, HashSet};

/// Names of functions without their argument lists, unless two names differ only there.
#[derive(Clone, Debug, Default)]
pub struct BriefNames {
    ambiguous: HashSet<String>,
}

impl BriefNames {
    /// Finds the names that differ only in their argument lists.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut wholes: HashMap<&str, &str> = HashMap::new();
        let mut ambiguous = HashSet::new();
        for name in names {
            let short = brief(name);
            if *wholes.entry(short).or_insert(name) != name {
                ambiguous.insert(short.to_owned());
            }
        }
        Self { ambiguous }
    }

    /// The name without its argument list where that is distinct; always a beginning of the name.
    pub fn brief<'n>(&self, name: &'n str) -> &'n str {
        let short = brief(name);
        if self.ambiguous.contains(short) { name } else { short }
    }
}

/// A function's name without its argument list, if it has one: `app::Field::relax` for
/// `app::Field::relax(double) const`.
pub fn brief(name: &str) -> &str {
    let end = name.rfind(')').map_or(0, |last| last + 1);
    // Only qualifiers may follow an argument list.
    let rest = name.get(end..).unwrap_or_default();
    if end == 0 || !rest.split_whitespace().all(|word| ["const", "volatile", "&", "&&", "noexcept"].contains(&word)) {
        return name;
    }
    let mut depth = 0_usize;
    let start = name.get(..end).unwrap_or_default().char_indices().rev().find(|(_, letter)| {
        match letter {
            ')' => depth += 1,
            '(' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    let before = start.and_then(|(start, _)| name.get(..start)).unwrap_or_default();
    // The parentheses of `operator()`, or `(anonymous namespace)`, are not a list.
    if before.is_empty() || before.ends_with("operator") || before.ends_with(':') { name } else { before }
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[test]
    fn the_last_list_goes_and_what_only_looks_like_one_stays() {
        let table = [
            ("main", "main"),
            ("app::Field::relax(double) const", "app::Field::relax"),
            ("f(void (*)(int), (anonymous namespace)::T)", "f"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("(anonymous namespace)", "(anonymous namespace)"),
            ("app::(anonymous namespace)", "app::(anonymous namespace)"),
            ("F::operator()(int) const", "F::operator()"),
            ("F::operator()", "F::operator()"),
            ("main::{lambda(double&)#1}::operator()(double&) const", "main::{lambda(double&)#1}::operator()"),
            ("main::{lambda(double&)#1}", "main::{lambda(double&)#1}"),
            ("(anonymous namespace)::run(int (*)(int))", "(anonymous namespace)::run"),
            ("Sum::operator()(int) const", "Sum::operator()"),
            (")", ")"),
            ("a)", "a)"),
            ("", ""),
        ];
        for (name, expected) in table {
            assert_eq!(brief(name), expected);
        }
    }
}
