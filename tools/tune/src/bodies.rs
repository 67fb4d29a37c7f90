//! Code of regions' bodies in their files: where it ends, and how the file can be recognized again.

use std::collections::BTreeMap;
use std::path::Path;

use object::{Object as _, ObjectSymbol};
use region_settings::Object;
use untrusted::regular;

/// Files with requested bodies.
#[derive(Default)]
pub(crate) struct Bodies(BTreeMap<String, Option<File>>);

struct File {
    /// Build ID in hexadecimal digits.
    build_id: Option<String>,
    /// Start and end of each function.
    functions: BTreeMap<u64, u64>,
}

impl Bodies {
    /// Address after the last instruction of the body that starts at this address.
    pub(crate) fn end(&mut self, file: &str, begin: u64) -> Option<u64> {
        let known = self.0.entry(file.to_owned()).or_insert_with(|| File::read(Path::new(file)));
        known.as_ref()?.functions.get(&begin).copied()
    }

    /// Line for a requested file.
    pub(crate) fn object(&self, file: &str) -> String {
        let known = self.0.get(file).and_then(Option::as_ref);
        let build_id = known.and_then(|known| known.build_id.as_deref()).map(str::as_bytes);
        let name = Path::new(file).file_name().unwrap_or_default().as_encoded_bytes();
        Object { name, build_id }.to_string()
    }
}

impl File {
    fn read(path: &Path) -> Option<Self> {
        let bytes = regular::read(path, regular::LARGEST_CODE).ok()?;
        let parsed = object::File::parse(bytes.as_slice()).ok()?;
        let id = parsed.build_id().ok().flatten();
        let build_id = id.map(|id| id.iter().map(|byte| format!("{byte:02x}")).collect());
        let symbols = parsed.symbols().filter(|symbol| symbol.is_definition() && symbol.size() > 0);
        let ends = symbols.filter_map(|symbol| Some((symbol.address(), symbol.address().checked_add(symbol.size())?)));
        let functions = ends.collect();
        Some(Self { build_id, functions })
    }
}
