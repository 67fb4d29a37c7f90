//! Demangling within bounds. A symbol of some hundred bytes may expand to a name of gigabytes: each of its
//! substitutions can double the text before it (Itanium C++ ABI, 5.1.10; Rust's RFC 2603, "Punycode", "Backref").

use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::mangled_types::{rewritten, with_members_of_types};

/// Largest length of a symbol that is demangled.
const SYMBOL: usize = 16 << 10;
/// Maximum length of a name; symbols with longer names stay mangled.
const NAME: usize = 4 << 10;

/// Demangles a C++ symbol; `None` if it isn't one, or is out of bounds.
pub(super) fn cxx(symbol: &str) -> Option<String> {
    if symbol.len() > SYMBOL {
        return None;
    }
    plain_cxx(symbol).or_else(|| Some(with_members_of_types(plain_cxx(&rewritten(symbol)?)?)))
}

fn plain_cxx(symbol: &str) -> Option<String> {
    let options = cpp_demangle::DemangleOptions::new().no_return_type();
    let parsed = cpp_demangle::Symbol::new(symbol).ok()?;
    let mut name = Bounded(String::new());
    parsed.structured_demangle(&mut name, &options).ok()?;
    Some(name.0)
}

/// Demangles a Rust symbol of either scheme; `None` if it isn't one, or is out of bounds.
pub(super) fn rust(symbol: &str) -> Option<String> {
    if symbol.len() > SYMBOL {
        return None;
    }
    let parsed = rustc_demangle::try_demangle(symbol).ok()?;
    let mut name = Bounded(String::new());
    write!(name, "{parsed:#}").ok()?;
    Some(name.0)
}

/// A symbol as a name. A symbol that is too long is shortened to its start and a distinguishing part.
pub(super) fn symbol(symbol: &str) -> String {
    if symbol.len() <= NAME {
        return symbol.to_owned();
    }
    let mut hasher = DefaultHasher::new();
    symbol.hash(&mut hasher);
    let begin: String = symbol.chars().take(NAME / 16).collect();
    format!("{begin}... ({} bytes, {:016x})", symbol.len(), hasher.finish())
}

/// Collects text up to [`NAME`] bytes; beyond that it aborts the demangling with an error.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.0.len() + more.len() > NAME {
            return Err(fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mangled name of a function whose parameters are pairs of pairs: each type is twice as long as the one before.
    fn doubling(steps: usize) -> String {
        let mut symbol = "_Z1fSt4pairIiiE".to_owned();
        // The template is the first substitution, this pair the second.
        let mut last = "S0_".to_owned();
        for number in 0..steps {
            symbol += &format!("S_I{last}{last}E");
            last = format!("S{}_", digits(number + 1, b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
        }
        symbol
    }

    /// A number in the digits of a base.
    fn digits(number: usize, of: &[u8]) -> String {
        let digit = char::from(of[number % of.len()]);
        let before = if number < of.len() { String::new() } else { digits(number / of.len(), of) };
        format!("{before}{digit}")
    }

    #[test]
    fn a_name_that_doubles_with_each_step_stays_a_symbol() {
        assert!(cxx(&doubling(3)).is_some_and(|name| name.len() > 100));
        for steps in [20, 60] {
            let symbol = doubling(steps);
            assert!(symbol.len() < 2000);
            assert_eq!(cxx(&symbol), None);
        }
    }

    #[test]
    fn rusts_back_references_are_bounded_as_well() {
        const DIGITS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        // A tuple of the tuple before, twice, and so on.
        let mut symbol = "_RINvC1a1fTuuE".to_owned();
        let mut last = 11;
        for _ in 0..40 {
            let at = symbol.len() - 2;
            let reference = |to: usize| if to == 0 { "B_".to_owned() } else { format!("B{}_", digits(to - 1, DIGITS)) };
            symbol += &format!("T{0}{0}E", reference(last));
            last = at;
        }
        symbol.push('E');
        assert!(rust(&symbol).is_none_or(|name| name.len() <= NAME));
        assert_eq!(rust("_RNvCs1234_7mycrate3foo").as_deref(), Some("mycrate::foo"));
    }

    #[test]
    fn long_symbols_are_cut_and_stay_different() {
        let (one, other) = (format!("{}a", "x".repeat(100_000)), format!("{}b", "x".repeat(100_000)));
        assert!(symbol(&one).len() < NAME && symbol(&one) != symbol(&other));
        assert_eq!(symbol("é"), "é");
        assert!(symbol(&"é".repeat(5000)).contains("(10000 bytes"));
        assert_eq!(cxx(&format!("_Z{}", "N".repeat(SYMBOL))), None);
    }
}
