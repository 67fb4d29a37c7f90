//! A library of a program, and the runtime that it is, if any.

use std::path::{Path, PathBuf};

use linking::image::Image;
use linking::preloaded::COLLECTORS;

use crate::runtime;

/// A library with what is known about it.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) path: PathBuf,
    pub(crate) image: Image,
    pub(crate) runtime: Option<runtime::Kind>,
    /// True for libora.so, or a collector of ours.
    pub(crate) ours: bool,
}

impl Object {
    /// True for libora.so itself, which has the interface and the entry points. (A library that passes requests on
    /// doesn't have entry points, and a runtime has more.)
    pub(crate) fn is_library(&self) -> bool {
        let has = |name| self.image.offers(name);
        self.runtime.is_none() && has("__omp_collector_api") && has("GOMP_parallel")
    }

    /// `None` if the file can't be read as a library.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let image = Image::read(path).ok()?;
        let runtime = runtime::Kind::of(path, &image);
        let named = path.file_name().is_some_and(|name| name == COLLECTORS);
        let ours = named || (image.offers("__omp_collector_api") && runtime.is_none());
        Some(Self { path: path.to_owned(), image, runtime, ours })
    }
}
