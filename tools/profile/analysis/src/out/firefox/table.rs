//! String, function, frame and stack tables of a thread; each entry is stored once and referred to by its index.

use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::{Category, object};
use crate::out::{FrameName, Weighted};

/// Rows in the order of their first use, without duplicates.
#[derive(Clone, Debug)]
struct Rows<T> {
    rows: Vec<T>,
    known: FxHashMap<T, usize>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), known: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Rows<T> {
    fn index(&mut self, row: T) -> usize {
        let next = self.rows.len();
        let rows = &mut self.rows;
        *self.known.entry(row).or_insert_with_key(|row| {
            rows.push(row.clone());
            next
        })
    }

    fn column<U>(&self, field: impl Fn(&T) -> U) -> Vec<U> {
        self.rows.iter().map(field).collect()
    }
}

/// Tables that all threads share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    strings: Rows<String>,
    /// Source files, by the index of their string.
    sources: Rows<usize>,
}

impl Shared {
    /// Index of a text.
    pub(super) fn string(&mut self, text: &str) -> usize {
        if let Some(index) = self.strings.known.get(text) {
            return *index;
        }
        self.strings.index(text.to_owned())
    }

    pub(super) fn written(&self) -> Value {
        json!({
            "stringArray": self.strings.rows,
            "sources": {
                "length": self.sources.rows.len(),
                "uuid": self.sources.column(|_| Value::Null),
                "filename": self.sources.rows,
            },
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Function {
    name: usize,
    source: Option<usize>,
    resource: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Frame {
    function: usize,
    line: Option<u32>,
    category: Category,
}

/// Tables of one thread.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Objects, by the index of their string.
    resources: Rows<usize>,
    functions: Rows<Function>,
    frames: Rows<Frame>,
    /// Stacks: the index of the caller's stack, and of the frame.
    stacks: Rows<(Option<usize>, usize)>,
    /// Indices of known stacks, by the address of their frames.
    known: FxHashMap<(*const Rc<FrameName>, usize, Category), Option<usize>>,
    /// Indices of known frames, by address.
    known_frames: FxHashMap<(*const FrameName, Category), usize>,
}

/// The format's code for a library.
const LIBRARY: u32 = 1;

impl Tables {
    /// Index of a stack; `None` for one without frames.
    pub(super) fn stack(&mut self, shared: &mut Shared, stack: &Weighted) -> Option<usize> {
        let (last, callers) = stack.frames.split_last()?;
        let leaf = Category::of(stack);
        let place = (stack.frames.as_ptr(), stack.frames.len(), leaf);
        if let Some(index) = self.known.get(&place) {
            return *index;
        }
        let mut caller = None;
        for (frame, category) in callers.iter().map(|frame| (frame, Category::Work)).chain([(last, leaf)]) {
            let frame = self.frame(shared, frame, category);
            caller = Some(self.stacks.index((caller, frame)));
        }
        self.known.insert(place, caller);
        caller
    }

    fn frame(&mut self, shared: &mut Shared, frame: &FrameName, category: Category) -> usize {
        let place = (std::ptr::from_ref(frame), category);
        if let Some(index) = self.known_frames.get(&place) {
            return *index;
        }
        let index = self.new_frame(shared, frame, category);
        self.known_frames.insert(place, index);
        index
    }

    fn new_frame(&mut self, shared: &mut Shared, frame: &FrameName, category: Category) -> usize {
        let source = frame.file.as_ref().map(|file| {
            let file = shared.strings.index(file.clone());
            shared.sources.index(file)
        });
        let resource = (!frame.object.is_empty()).then(|| {
            let object = shared.strings.index(frame.object.clone());
            self.resources.index(object)
        });
        let name = shared.strings.index(frame.function.clone());
        let function = self.functions.index(Function { name, source, resource });
        let line = (frame.line != 0).then_some(frame.line);
        self.frames.index(Frame { function, line, category })
    }

    pub(super) fn written(&self) -> Map<String, Value> {
        let (frames, functions) = (&self.frames, &self.functions);
        object(json!({
            "stackTable": {
                "frame": self.stacks.column(|(_, frame)| *frame),
                "prefix": self.stacks.column(|(caller, _)| *caller),
                "length": self.stacks.rows.len(),
            },
            "frameTable": {
                "address": frames.column(|_| -1),
                "inlineDepth": frames.column(|_| 0),
                "category": frames.column(|frame| frame.category as u32),
                "subcategory": frames.column(|_| 0),
                "func": frames.column(|frame| frame.function),
                "nativeSymbol": frames.column(|_| Value::Null),
                "innerWindowID": frames.column(|_| Value::Null),
                "line": frames.column(|frame| frame.line),
                "column": frames.column(|_| Value::Null),
                "length": frames.rows.len(),
            },
            "funcTable": {
                "name": functions.column(|function| function.name),
                "isJS": functions.column(|_| false),
                "relevantForJS": functions.column(|_| false),
                "resource": functions.column(|function| function.resource.map_or(json!(-1), |index| json!(index))),
                "source": functions.column(|function| function.source),
                "lineNumber": functions.column(|_| Value::Null),
                "columnNumber": functions.column(|_| Value::Null),
                "length": functions.rows.len(),
            },
            "resourceTable": {
                "lib": self.resources.column(|_| Value::Null),
                "name": self.resources.rows,
                "host": self.resources.column(|_| Value::Null),
                "type": self.resources.column(|_| LIBRARY),
                "length": self.resources.rows.len(),
            },
            "nativeSymbols": {"libIndex": [], "address": [], "name": [], "functionSize": [], "length": 0},
        }))
    }
}
