//! Modules of a crate, with the modules that each names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::slice;

use anyhow::{Context, Result};
use syn::visit::{self, Visit};

use crate::sources;

/// Module that has its own file: the names from the crate's root to it. The root has none.
pub(super) type Module = Vec<String>;

/// Modules that each module of a crate names.
pub(super) type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// Contents of each module of a crate.
pub(super) type Files = BTreeMap<Module, syn::File>;

/// Reads the modules of a crate from its root file. Test modules inside it are ignored.
pub(super) fn read_crate(root: &Path) -> Result<Files> {
    let mut files = BTreeMap::new();
    read(root, root.parent().unwrap_or(root), Module::new(), &mut files)?;
    Ok(files)
}

/// Modules that each of these names. Names in tests are ignored.
pub(super) fn between(files: &Files) -> Imports {
    let known: BTreeSet<Module> = files.keys().cloned().collect();
    files.iter().map(|(module, file)| (module.clone(), named(module, file, &known))).collect()
}

/// Reads a module's file and the files of its modules, which are in `folder`.
fn read(path: &Path, folder: &Path, module: Module, files: &mut Files) -> Result<()> {
    let file = syn::parse_file(&sources::read(path)?).with_context(|| format!("{} is not Rust", path.display()))?;
    read_inner(&file.items, folder, &module, files)?;
    files.insert(module, file);
    Ok(())
}

fn read_inner(items: &[syn::Item], folder: &Path, module: &Module, files: &mut Files) -> Result<()> {
    for item in items {
        let syn::Item::Mod(inner) = item else { continue };
        if is_test(&inner.attrs) {
            continue;
        }
        let name = inner.ident.to_string();
        let below = folder.join(&name);
        let child = [module.as_slice(), slice::from_ref(&name)].concat();
        match &inner.content {
            Some((_, items)) => read_inner(items, &below, &child, files)?,
            None => {
                let mut places = [below.with_extension("rs"), below.join("mod.rs")].into_iter();
                let found = places.find(|place| place.is_file());
                read(&found.with_context(|| format!("{} has no file", below.display()))?, &below, child, files)?;
            }
        }
    }
    Ok(())
}

fn named(module: &Module, file: &syn::File, known: &BTreeSet<Module>) -> BTreeSet<Module> {
    let mut names = Names { inner: module.clone(), known, found: BTreeSet::new() };
    names.visit_file(file);
    // A module and its submodules may import each other.
    names.found.retain(|other| !other.starts_with(module) && !module.starts_with(other));
    names.found
}

/// Collects the modules in the paths of a file.
struct Names<'a> {
    /// Module being read, including inline modules.
    inner: Module,
    known: &'a BTreeSet<Module>,
    found: BTreeSet<Module>,
}

impl Names<'_> {
    /// Records the module that a path leads to: its longest prefix that has a file.
    fn note(&mut self, path: &[String]) {
        let first = path.first().map(String::as_str);
        let mut at = match first {
            Some("crate") => Module::new(),
            Some("self" | "super") => self.inner.clone(),
            _ => return,
        };
        for name in path {
            match name.as_str() {
                "super" => _ = at.pop(),
                "crate" | "self" => {}
                name => at.push(name.to_owned()),
            }
        }
        while !self.known.contains(&at) && at.pop().is_some() {}
        self.found.insert(at);
    }

    fn note_tree(&mut self, path: &mut Vec<String>, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(step) => {
                path.push(step.ident.to_string());
                self.note_tree(path, &step.tree);
                path.pop();
            }
            syn::UseTree::Name(syn::UseName { ident }) | syn::UseTree::Rename(syn::UseRename { ident, .. }) => {
                self.note(&[path.as_slice(), &[ident.to_string()]].concat());
            }
            syn::UseTree::Glob(_) => self.note(path),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.note_tree(path, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            self.inner.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
            self.inner.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_test(&item.attrs) {
            self.note_tree(&mut Vec::new(), &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.note(&names);
        visit::visit_path(self, path);
    }
}

/// True for `#[cfg(test)]` and `#[cfg(all(test, ...))]`.
pub(super) fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let text = list.tokens.to_string();
        text == "test" || text.starts_with("all (test") || text.starts_with("all(test")
    })
}
