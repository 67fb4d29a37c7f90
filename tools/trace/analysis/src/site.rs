//! Places in the program, by return addresses.

use rustc_hash::FxHashMap;
use symbols::{BriefNames, ConstructEnd, Names, Place, short};

use crate::call::Call;

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Site {
    /// Function, as its author knows it.
    pub function: String,
    /// Source file.
    pub file: Option<String>,
    /// Line; 0 if unknown.
    pub line: u32,
    /// File name of the object; empty: unknown.
    pub object: String,
    /// In the object's file, the address of the construct's body or the call's return address; 0: unknown.
    pub address: u64,
    /// The construct that an implicit barrier ends there.
    pub ends: Option<ConstructEnd>,
}

impl Site {
    /// `heat.c:24`, otherwise the function with its call, `smooth (heat+0x11f3)`; empty if unknown.
    pub fn place(&self) -> String {
        self.position().unwrap_or_else(|| match self.call() {
            Some(call) if self.function.starts_with(&self.object) => call,
            Some(call) => format!("{} ({call})", self.function),
            None => self.function.clone(),
        })
    }

    /// `smooth at heat.c:24`, otherwise the function with its call.
    pub fn whole(&self) -> String {
        self.position().map_or_else(|| self.place(), |position| format!("{} at {position}", self.function))
    }

    /// Text that distinguishes the place from others of its function: `heat.c:24`, else `heat+0x11f3`.
    pub(crate) fn detail(&self) -> Option<String> {
        self.position().or_else(|| self.call())
    }

    fn position(&self) -> Option<String> {
        let file = self.file.as_deref().filter(|_| self.line > 0)?;
        Some(format!("{}:{}", short(file), self.line))
    }

    fn call(&self) -> Option<String> {
        (self.address > 0 && !self.object.is_empty()).then(|| format!("{}+{:#x}", self.object, self.address))
    }
}

/// Names of a process's places.
#[derive(Clone, Debug, Default)]
pub struct Sites(FxHashMap<u64, Site>);

impl Sites {
    /// The place that a call returns to; `None` for 0.
    pub fn get(&self, code: u64) -> Option<&Site> {
        self.0.get(&code)
    }

    /// Looks up the place of a construct's call, unless it is known.
    pub(crate) fn note_construct(&mut self, call: Call, names: &mut dyn Names, in_file: &dyn Fn(u64, u64) -> u64) {
        if call.returns_to == 0 || self.0.contains_key(&call.key) {
            return;
        }
        self.note(call, names, in_file);
        let place = names.construct(call.returns_to, call.at_ns);
        let (Some(site), Some(place)) = (self.0.get_mut(&call.key), place) else { return };
        match place {
            Place::Line { function, file, line } => {
                (site.function, site.file, site.line) = (function, Some(file), line);
            }
            Place::Symbol { function, address, .. } => (site.function, site.address) = (function, address),
            _ => {}
        }
    }

    /// Looks a place up unless it is known. `in_file`: a return address at a time in the file of its object.
    pub(crate) fn note(&mut self, call: Call, names: &mut dyn Names, in_file: &dyn Fn(u64, u64) -> u64) {
        let Call { key, returns_to, at_ns } = call;
        if returns_to == 0 {
            return;
        }
        self.0.entry(key).or_insert_with(|| {
            let Some(name) = names.at(returns_to, true, at_ns).into_iter().next() else { return Site::default() };
            let (file, line) = match name.place {
                Some(place) if name.line == 0 => (Some(place.file), place.line),
                _ => (name.file, name.line),
            };
            let (function, object, ends) = (name.function, name.object, name.ends);
            Site { function, file, line, object, address: in_file(returns_to, at_ns), ends }
        });
    }

    /// Removes the argument lists from functions' names, unless two names differ only there.
    pub(crate) fn shorten(&mut self) {
        let names = BriefNames::of(self.0.values().map(|site| site.function.as_str()));
        self.0.values_mut().for_each(|site| site.function.truncate(names.brief(&site.function).len()));
    }

    /// For each return address of a place that has others, the lowest: of a function that is inlined in several places, for
    /// instance.
    pub(crate) fn same_places<'s>(&'s self) -> FxHashMap<u64, u64> {
        let is_known = |site: &Site| site.line > 0 || site.address > 0;
        let mut codes: Vec<(u64, &'s Site)> =
            self.0.iter().filter(|(_, site)| is_known(site)).map(|(code, site)| (*code, site)).collect();
        codes.sort_unstable_by_key(|(code, _)| *code);
        let mut first = FxHashMap::default();
        let with_lowest = |(code, site): (u64, &'s Site)| {
            let address = if site.line > 0 { 0 } else { site.address };
            let place = (&site.function, &site.file, site.line, &site.object, address, &site.ends);
            (code, *first.entry(place).or_insert(code))
        };
        codes.into_iter().map(with_lowest).filter(|(code, lowest)| code != lowest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(function: &str, line: u32, address: u64) -> Site {
        let file = (line > 0).then(|| "/home/heat.c".to_owned());
        Site { function: function.to_owned(), file, line, object: "heat".to_owned(), address, ends: None }
    }

    #[test]
    fn a_place_is_a_line_or_else_a_function_with_its_call() {
        let site = |line, address| site("smooth", line, address);
        let names = |site: Site| (site.place(), site.whole());
        assert_eq!(names(site(10, 16)), ("heat.c:10".into(), "smooth at heat.c:10".into()));
        assert_eq!(names(site(0, 16)), ("smooth (heat+0x10)".into(), "smooth (heat+0x10)".into()));
        assert_eq!(names(site(0, 0)), ("smooth".into(), "smooth".into()));
        let unnamed = Site { function: "heat+0x8".to_owned(), ..site(0, 16) };
        assert_eq!(names(unnamed), ("heat+0x10".into(), "heat+0x10".into()));
    }

    #[test]
    fn calls_of_one_line_are_one_place_and_calls_without_a_line_are_not() {
        let all = [
            (1, site("f", 3, 1)),
            (2, site("f", 3, 2)),
            (3, site("f", 0, 3)),
            (4, site("f", 0, 4)),
            (5, site("g", 3, 5)),
        ];
        let sites = Sites(all.into_iter().collect());
        assert_eq!(sites.same_places().into_iter().collect::<Vec<_>>(), [(2, 1)]);
    }
}
