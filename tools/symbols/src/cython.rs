//! Names of Cython: `__pyx_f_7sklearn_5utils_9histogram__build` is `_build` of the module `sklearn.utils.histogram`.

/// Prefixes of Cython's functions: Python's entry, the function that it calls, and C functions.
const KINDS: [(&str, &str); 3] = [("__pyx_pw", " (wrapper)"), ("__pyx_pf", ""), ("__pyx_f", "")];

/// The name with dots, as in Python. `None` for a name that isn't Cython's.
pub(super) fn cython(name: &str) -> Option<String> {
    let (mut rest, kind) = KINDS.into_iter().find_map(|(start, kind)| Some((name.strip_prefix(start)?, kind)))?;
    let mut path = String::new();
    // Modules and classes are preceded by their length.
    while let Some((part, behind)) = part(rest) {
        path += part;
        path.push('.');
        rest = behind;
    }
    let own = rest.strip_prefix('_')?;
    // Names of functions of a module or class start with a number.
    let own = own.trim_start_matches(|letter: char| letter.is_ascii_digit());
    (!path.is_empty() && !own.is_empty()).then(|| format!("{path}{own}{kind}"))
}

fn part(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('_')?;
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (length, behind) = text.split_at_checked(digits)?;
    let (part, behind) = behind.split_at_checked(length.parse().ok()?)?;
    behind.starts_with('_').then_some((part, behind))
}

#[cfg(test)]
mod tests {
    use super::cython;

    #[test]
    fn modules_classes_and_functions_are_told_apart() {
        let of = |name| cython(name).unwrap_or_default();
        assert_eq!(of("__pyx_f_7sklearn_5trees_9histogram__build"), "sklearn.trees.histogram._build");
        assert_eq!(
            of("__pyx_pf_7sklearn_9splitting_8Splitter_2split_indices"),
            "sklearn.splitting.Splitter.split_indices"
        );
        assert_eq!(of("__pyx_pw_7sklearn_9splitting_8Splitter_10go"), "sklearn.splitting.Splitter.go (wrapper)");
        assert_eq!(["__pyx_f_x", "__pyx_f_99abc_d", "__pyx_tp_new_7sklearn_a", "main"].map(of), [""; 4]);
    }
}
