//! Conversion of linkage names to the author's names.

use crate::cython::cython;
use crate::demangle;

/// Suffixes that compilers give to copies and parts of functions.
const MARKS: [&str; 11] = [
    ".part.",
    ".constprop.",
    ".isra.",
    ".cold",
    ".lto_priv.",
    ".llvm.",
    ".localalias",
    ".warm",
    ".specialized.",
    ".split",
    ".extracted",
];

/// True if the name encodes the whole signature.
pub(super) fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z") || name.starts_with("_R")
}

/// The author's function, from which a compiler may have generated several.
pub(super) fn plain(name: &str, fortran: bool) -> String {
    let marks = if name.contains('.') { &MARKS[..] } else { &[] };
    let end = marks.iter().filter_map(|mark| name.find(mark)).filter(|end| *end > 0).min();
    let name = end.and_then(|end| name.get(..end)).unwrap_or(name);
    // Removes the version of a symbol, as in `memcpy@@GLIBC_2.14`.
    let name = name.split_once('@').map_or(name, |(name, _)| if name.is_empty() { "@" } else { name });
    // Prefix of the C library's internal calls of its own functions.
    let name = name.strip_prefix("__GI_").filter(|name| !name.is_empty()).unwrap_or(name);
    let demangled = cxx(name)
        .or_else(|| demangle::rust(name))
        .or_else(|| cython(name))
        .or_else(|| gfortran(name))
        .or_else(|| flang(name));
    // Fortran compilers append an underscore to the author's name.
    let plain = || fortran.then(|| name.strip_suffix('_')).flatten().unwrap_or(name);
    demangle::symbol(&demangled.unwrap_or_else(|| plain().to_owned()))
}

fn cxx(name: &str) -> Option<String> {
    if !name.starts_with("_Z") {
        return None;
    }
    // Rust's older scheme is that of C++ followed by a hash.
    demangle::rust(name).or_else(|| demangle::cxx(name))
}

/// Decodes gfortran's names: `__grid_MOD_step` is `step` of the module `grid`.
fn gfortran(name: &str) -> Option<String> {
    let (module, procedure) = name.strip_prefix("__")?.split_once("_MOD_")?;
    (!module.is_empty() && !procedure.is_empty()).then(|| format!("{module}::{procedure}"))
}

/// Decodes flang's names: `_QMgridPstep` is `step` of the module `grid`. The program itself is `_QQmain`; a procedure
/// in it is `_QFPwithin`. (Flang's documentation, "Bijective Internal Name Uniquing".)
fn flang(name: &str) -> Option<String> {
    let name = name.strip_prefix("_Q")?;
    if name == "Qmain" {
        return Some("main".to_owned());
    }
    let mut parts: Vec<String> = Vec::new();
    let mut tag = ' ';
    for letter in name.chars() {
        match letter {
            // A module, a submodule, a function around, the procedure.
            'M' | 'S' | 'F' | 'P' => {
                tag = letter;
                parts.push(String::new());
            }
            'a'..='z' | '0'..='9' | '_' => parts.last_mut()?.push(letter),
            _ => return None,
        }
    }
    parts.retain(|part| !part.is_empty());
    (tag == 'P').then(|| parts.join("::")).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn functions_are_those_that_the_author_wrote() {
        let table = [
            ("main", "main"),
            ("fib.part.2", "fib"),
            ("_ZN3app5Field4stepEd.constprop.0.isra.1", "app::Field::step(double)"),
            (
                "_ZN3app5Field4eachIZ4mainEUlRdE_EEvT_",
                "app::Field::each<main::{lambda(double&)#1}>(main::{lambda(double&)#1})",
            ),
            ("_ZNSt6vectorIdSaIdEE4sizeEv", "std::vector<double, std::allocator<double> >::size()"),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"),
            ("__grid_MOD_step", "grid::step"),
            ("memcpy@@GLIBC_2.14", "memcpy"),
            ("_Znot_mangled", "_Znot_mangled"),
            (".cold", ".cold"),
            ("__MOD_x", "__MOD_x"),
            ("__GI_chmod", "chmod"),
            ("_QQmain", "main"),
            ("_QMgridPstep", "grid::step"),
            ("_QMgridSpartsFstepPinner_2", "grid::parts::step::inner_2"),
            ("_QFPwithin", "within"),
            ("_QQclX7374657000", "_QQclX7374657000"),
            ("_Q", "_Q"),
        ];
        for (name, expected) in table {
            assert_eq!(plain(name, false), expected);
        }
        assert_eq!([plain("work_", true), plain("work_", false)], ["work", "work_"]);
    }
}
