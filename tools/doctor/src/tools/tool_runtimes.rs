//! Runtimes that tools bring along: they don't run any of the program's regions, and don't get tools.

use std::path::Path;
use terminal::printable::Shown;

use super::ProgramContext;
use crate::findings::Findings;
use crate::found_tool::{Found, Outcome};
use crate::object::Object;
use linking::image::Image;
use linking::scope;
use linking::tool::Interface;

/// Maximum depth of the search through the libraries that libraries need.
const DEPTH: u32 = 4;

fn needs(image: &Image, file: &Path) -> bool {
    file.file_name().is_some_and(|name| image.needed.iter().any(|needed| name == needed.as_str()))
}

/// True if everything that needs a library is a tool, or is loaded for tools. A library that nothing needs belongs to
/// the program.
pub(super) fn is_for_tools(context: &ProgramContext<'_>, file: &Path) -> bool {
    fn is(context: &ProgramContext<'_>, file: &Path, depth: u32) -> bool {
        let tool = |object: &Object| Interface::ALL.iter().any(|interface| object.image.offers(interface.function()));
        let mut needers = context.objects.iter().filter(|object| needs(&object.image, file)).peekable();
        !needs(context.image, file)
            && needers.peek().is_some()
            && needers.all(|object| tool(object) || depth > 0 && is(context, &object.path, depth - 1))
    }
    is(context, file, DEPTH)
}

/// Adds a fact about tools that bring a runtime in addition to the program's.
pub(super) fn say(context: &ProgramContext<'_>, tools: &[Found], findings: &mut Findings) {
    if !findings.runtimes.iter().any(|runtime| !runtime.kind.has_ompt()) {
        return;
    }
    for tool in tools.iter().filter(|tool| tool.outcome != Outcome::NotAsked) {
        let Ok(image) = Image::read(&tool.file) else { continue };
        let files = image.needed.iter().filter_map(|name| {
            let loaded =
                context.objects.iter().find(|object| object.path.file_name().is_some_and(|own| own == name.as_str()));
            loaded.map(|object| object.path.clone()).or_else(|| scope::file_of(Path::new(name)))
        });
        for runtime in files.filter_map(|file| Object::read(&file)) {
            let own = runtime.runtime.filter(|kind| kind.has_ompt());
            let loaded = context.objects.iter().any(|object| object.path == runtime.path);
            let Some(kind) = own.filter(|_| !loaded || is_for_tools(context, &runtime.path)) else { continue };
            let says = format!(
                "{} brings a runtime of its own, {} ({}): it stays with libgomp, which runs the program's regions, and gets no \
                 events of that runtime",
                tool.file.shown(),
                kind.name(),
                runtime.path.shown()
            );
            findings.fact("tool", says);
        }
    }
}
