//! Places in the program, by return addresses.

use rustc_hash::FxHashMap;
use symbols::{ConstructEnd, Names};

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Function, as its author knows it.
    pub function: String,
    /// Source file.
    pub file: Option<String>,
    /// Line; 0 if unknown.
    pub line: u32,
    /// File name of the object; empty: unknown.
    pub object: String,
    /// The construct that an implicit barrier ends there.
    pub ends: Option<ConstructEnd>,
}

impl Site {
    /// `heat.c:24`, otherwise the function; empty if unknown.
    pub fn place(&self) -> String {
        match self.file.as_deref().map(short) {
            Some(file) if self.line > 0 => format!("{file}:{}", self.line),
            _ => self.function.clone(),
        }
    }

    /// `smooth at heat.c:24`, otherwise the function.
    pub fn whole(&self) -> String {
        match self.place() {
            place if place == self.function || place.is_empty() => self.function.clone(),
            place => format!("{} at {place}", self.function),
        }
    }
}

/// A file's name without its folders.
fn short(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Names of a process's places.
#[derive(Clone, Debug, Default)]
pub struct Sites(FxHashMap<u64, Site>);

impl Sites {
    /// The place that a call returns to; `None` for 0.
    pub fn get(&self, code: u64) -> Option<&Site> {
        self.0.get(&code)
    }

    /// Looks up the place of a call that is made for a construct, by its body, unless it is known.
    pub(crate) fn note_construct(&mut self, code: u64, at_ns: u64, names: &mut dyn Names) {
        if self.0.contains_key(&code) {
            return;
        }
        self.note(code, at_ns, names);
        if let Some(site) = self.0.get_mut(&code)
            && let Some((file, line)) = names.construct_of_call(code, at_ns)
        {
            (site.file, site.line) = (Some(file), line);
        }
    }

    /// Looks a place up unless it is known.
    pub(crate) fn note(&mut self, code: u64, at_ns: u64, names: &mut dyn Names) {
        if code == 0 {
            return;
        }
        self.0.entry(code).or_insert_with(|| {
            let Some(name) = names.at(code, true, at_ns).into_iter().next() else { return Site::default() };
            let (file, line) = match name.place {
                Some(place) if name.line == 0 => (Some(place.file), place.line),
                _ => (name.file, name.line),
            };
            Site { function: name.function, file, line, object: name.object, ends: name.ends }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_line_or_else_a_function() {
        let site = Site {
            function: "smooth".into(),
            file: Some("/home/heat.c".into()),
            line: 10,
            object: "heat".into(),
            ends: None,
        };
        assert_eq!((site.place(), site.whole()), ("heat.c:10".into(), "smooth at heat.c:10".into()));
        let site = Site { file: None, line: 0, ..site };
        assert_eq!((site.place(), site.whole()), ("smooth".into(), "smooth".into()));
    }
}
