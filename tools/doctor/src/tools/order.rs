//! The tools that the dynamic linker finds, in the order in which they are asked.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::ProgramContext;
use crate::found_tool::{Found, Outcome, Place};
use crate::object::Object;
use crate::runtime;
use linking::image::Image;
use linking::preload;
use linking::tool::Interface;
use terminal::printable::Shown;

/// Tools of the interface in the program and its libraries. Those that are never asked come last.
pub(super) fn candidates(context: &ProgramContext<'_>, interface: Interface) -> Vec<Found> {
    let function = interface.function();
    // A runtime that is linked in has its own definition, by which it looks for the next one.
    let runtimes = runtime::built_in(context.program, context.image).is_some_and(|(kind, _)| kind.has_ompt());
    // A function with TR2's name may as well be the initializer of a tool of OpenMP 5.
    let has_one = |image: &Image| {
        image.offers(function) && !(interface == Interface::Tr2 && image.offers(Interface::OpenMp5.function()))
    };
    let exported = has_one(context.image) && !runtimes;
    let own = || Found::new(interface, context.program.to_owned(), Place::Executable);
    // In the dynamic linker's order; the program itself comes first.
    let libraries = context
        .objects
        .iter()
        .filter(|object| object.runtime.is_none() && !object.ours && has_one(&object.image))
        .map(|object| Found::new(interface, object.path.clone(), place_of(context, &object.path)));
    let ours = context.objects.iter().any(Object::is_library);

    let mut asked: Vec<Found> = Vec::new();
    let mut left: Vec<Found> = Vec::new();
    asked.extend(exported.then(own));
    // The library asks every tool of OpenMP 5 until a tool starts; a runtime asks only the first.
    let all = interface == Interface::OpenMp5 && ours;
    for tool in libraries {
        if asked.is_empty() || all { asked.push(tool) } else { left.push(tool) }
    }
    let other = interface == Interface::Tr2 && context.image.defined.contains(Interface::OpenMp5.function());
    if !exported && !runtimes && !other && context.image.defined.contains(function) {
        let own = Found { unexported: true, ..own() };
        if asked.is_empty() || interface == Interface::OpenMp5 { asked.push(own) } else { left.push(own) }
    }
    let first = asked.first().map(|tool| tool.file.shown().to_string()).unwrap_or_default();
    for tool in asked.iter_mut().skip(1) {
        tool.set(Outcome::AskedIfOthersDecline, "");
    }
    for tool in &mut left {
        tool.because("tool_hidden");
        tool.why = format!("{first} comes before it, and the first tool of {} is the only one", interface.name());
    }
    asked.append(&mut left);
    asked
}

/// The file with the tool of OpenMP 5 that the dynamic linker finds before libora.so.
pub(crate) fn before_library(program: &Path, image: &Image, objects: &[Object]) -> Option<PathBuf> {
    let function = Interface::OpenMp5.function();
    let before = objects.iter().take_while(|object| !object.is_library());
    let mut others = before.filter(|object| object.runtime.is_none() && !object.ours && object.image.offers(function));
    if image.offers(function) { Some(program.to_owned()) } else { others.next().map(|object| object.path.clone()) }
}

fn place_of(context: &ProgramContext<'_>, path: &Path) -> Place {
    let preloaded = context.tool_variables.preload.as_deref().unwrap_or_default();
    let full = path.canonicalize();
    // A name without a slash is searched for.
    let is = |word: &OsStr| {
        path.file_name() == Some(word)
            || word == path
            || full.as_ref().is_ok_and(|full| {
                context.tool_variables.folder.join(word).canonicalize().is_ok_and(|word| word == *full)
            })
    };
    if preload::words(preloaded).any(is) { Place::Preloaded } else { Place::Linked }
}
