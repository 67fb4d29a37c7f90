//! Shortening of the names of a table so that different names stay different.

use std::collections::HashMap;

use super::elide::{DOTS, elide, first, width};

/// Separators that a shortened name may start after.
const SEPARATORS: [char; 8] = [':', '/', '.', ' ', '(', '<', ',', '_'];
/// Longest part before the first difference that is shown for the sake of a separator, in bytes.
const LEAD: usize = 12;

/// Shortens each text to at most its number of columns. Texts that differ are also shown differently, unless there are too few
/// columns for a number: the part that the texts have in common at their start is left out first.
pub(super) fn distinct(texts: &[(&str, usize)]) -> Vec<String> {
    let mut shown: Vec<String> = texts.iter().map(|(text, columns)| elide(text, *columns)).collect();
    let all: Vec<usize> = (0..texts.len()).collect();
    for group in alike(texts, &shown, &all) {
        distinguish(texts, &mut shown, &group);
    }
    number(texts, &mut shown);
    shown
}

/// Groups of members that are shown alike although their texts differ.
fn alike(texts: &[(&str, usize)], shown: &[String], members: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, text) in members.iter().filter_map(|at| Some((*at, shown.get(*at)?))) {
        groups.entry(text).or_default().push(at);
    }
    let text = |at: &usize| texts.get(*at).map(|(text, _)| *text);
    let differ = |group: &Vec<usize>| group.iter().any(|at| text(at) != group.first().and_then(text));
    let mut groups: Vec<Vec<usize>> = groups.into_values().filter(differ).collect();
    groups.sort_unstable();
    groups
}

/// Shows the members of a group from their first difference on. If groups of equal texts remain, each is shown from
/// its own first difference on.
fn distinguish(texts: &[(&str, usize)], shown: &mut [String], group: &[usize]) {
    let start = shared(group.iter().filter_map(|at| texts.get(*at)).map(|(text, _)| *text));
    for at in group {
        if let (Some((text, columns)), Some(shown)) = (texts.get(*at), shown.get_mut(*at)) {
            *shown = from(text, start, *columns);
        }
    }
    for smaller in alike(texts, shown, group).into_iter().filter(|smaller| smaller.len() < group.len()) {
        distinguish(texts, shown, &smaller);
    }
}

/// Length of the common prefix of all texts.
fn shared<'a>(mut texts: impl Iterator<Item = &'a str>) -> usize {
    let Some(one) = texts.next() else { return 0 };
    texts.fold(one.len(), |length, text| {
        let same = one.char_indices().zip(text.chars()).find(|((_, left), right)| left != right);
        same.map_or(one.len().min(text.len()), |((at, _), _)| at).min(length)
    })
}

/// A text without its first `start` bytes, except for those that follow the last separator.
fn from(text: &str, start: usize, columns: usize) -> String {
    let Some((before, _)) = text.split_at_checked(start) else { return elide(text, columns) };
    let separator = before.rfind(SEPARATORS).map_or(0, |at| at + 1);
    let start = if start - separator <= LEAD { separator } else { start };
    let rest = text.get(start..).unwrap_or_default();
    match columns.checked_sub(DOTS.len()) {
        Some(left) if start > 0 => format!("{DOTS}{}", elide(rest, left)),
        _ => elide(rest, columns),
    }
}

/// Appends a number to texts that are shown like an earlier one although they differ from it.
fn number(texts: &[(&str, usize)], shown: &mut [String]) {
    let mut owners: HashMap<String, &str> = HashMap::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut given: HashMap<&(&str, usize), String> = HashMap::new();
    for (cell, shown) in texts.iter().zip(shown) {
        if let Some(before) = given.get(cell) {
            shown.clone_from(before);
            continue;
        }
        let (text, columns) = cell;
        let plain = shown.clone();
        while owners.get(shown.as_str()).is_some_and(|owner| owner != text) {
            let number = numbers.entry(plain.clone()).or_insert(1);
            *number += 1;
            let mark = format!("~{number}");
            let Some(left) = columns.checked_sub(width(&mark)) else { break };
            *shown = format!("{}{mark}", first(&plain, left));
        }
        owners.insert(shown.clone(), text);
        given.insert(cell, shown.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn shown(texts: &[&str], columns: usize) -> Vec<String> {
        distinct(&texts.iter().map(|text| (*text, columns)).collect::<Vec<_>>())
    }

    #[test]
    fn what_names_have_in_common_goes_before_what_tells_them_apart() {
        let names =
            ["cimg_library::CImg<float>::get_blur at CImg.h:21", "cimg_library::CImg<float>::get_warp at CImg.h:9000"];
        assert_eq!(shown(&names, 60), names);
        assert_eq!(shown(&names, 30), ["cimg_li...et_blur at CImg.h:21", "cimg_l...t_warp at CImg.h:9000"]);
        let names = ["calculate_macro_xs_of_grid  [Simulation.c]", "calculate_micro_xs_of_grid  [Simulation.c]"];
        let short = shown(&names, 30);
        assert!(short[0].contains("macr") && short[1].contains("micr"), "{short:?}");
    }

    #[test]
    fn different_names_are_never_shown_alike() {
        let mut seed = 1_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let words = [
            "cimg_library::",
            "CImg<float>::",
            "get_",
            "omp_fn.0",
            " at a.c:1",
            "/usr/lib/",
            "漢字",
            "x",
            "  [lib.so]",
            "9",
        ];
        for _ in 0..500 {
            let names: Vec<String> =
                (0..40).map(|_| (0..=random(9)).map(|_| words[random(words.len())]).collect()).collect();
            for columns in [8, 12, 24, 40] {
                let cells: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), columns)).collect();
                let all = distinct(&cells);
                assert!(all.iter().all(|text| width(text) <= columns), "{all:?}");
                let pairs: HashSet<(&str, &str)> =
                    names.iter().map(String::as_str).zip(all.iter().map(String::as_str)).collect();
                let (full, short): (HashSet<_>, HashSet<_>) = pairs.iter().copied().unzip();
                assert_eq!(full.len(), short.len(), "{columns}: {pairs:#?}");
            }
        }
    }
}
