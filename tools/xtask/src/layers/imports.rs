//! The modules of a crate, with the modules that each names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use syn::visit::{self, Visit};

/// A module that has a file of its own: the names from the crate's root to it. The root has none.
pub(super) type Module = Vec<String>;

/// The modules that each module of a crate names.
pub(super) type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// Reads the modules below a crate's `src`. Names in tests don't count.
pub(super) fn of_crate(sources: &Path) -> Result<Imports> {
    let mut files = BTreeMap::new();
    read(sources, &mut Vec::new(), &mut files)?;
    let known: BTreeSet<Module> = files.keys().cloned().collect();
    Ok(files.iter().map(|(module, file)| (module.clone(), named(module, file, &known))).collect())
}

fn read(folder: &Path, at: &mut Module, files: &mut BTreeMap<Module, syn::File>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{} can't be read", folder.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned) else { continue };
        if path.is_dir() {
            at.push(name);
            read(&path, at, files)?;
            at.pop();
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            let file = syn::parse_file(&text).with_context(|| format!("{} is no Rust", path.display()))?;
            let mut module = at.clone();
            module.extend(Some(name).filter(|name| !["mod", "lib", "main"].contains(&name.as_str())));
            files.insert(module, file);
        }
    }
    Ok(())
}

fn named(module: &Module, file: &syn::File, known: &BTreeSet<Module>) -> BTreeSet<Module> {
    let mut names = Names { inner: module.clone(), known, found: BTreeSet::new() };
    names.visit_file(file);
    // A folder and its own files may import each other.
    names.found.retain(|other| !other.starts_with(module) && !module.starts_with(other));
    names.found
}

/// Collects the modules in the paths of a file.
struct Names<'a> {
    /// The module that is being read, with inline modules.
    inner: Module,
    known: &'a BTreeSet<Module>,
    found: BTreeSet<Module>,
}

impl Names<'_> {
    /// Records the module that a path leads to: its longest prefix that has a file.
    fn note(&mut self, path: &[String]) {
        let mut at = Vec::new();
        let mut rest = path;
        match path.split_first() {
            Some((first, others)) if first == "crate" => rest = others,
            Some((first, _)) if first == "self" || first == "super" => {
                at.clone_from(&self.inner);
                while let Some((first, others)) = rest.split_first().filter(|(it, _)| *it == "self" || *it == "super") {
                    if first == "super" {
                        at.pop();
                    }
                    rest = others;
                }
            }
            _ => return,
        }
        at.extend(rest.iter().cloned());
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
            syn::UseTree::Name(name) => self.note_leaf(path, &name.ident),
            syn::UseTree::Rename(name) => self.note_leaf(path, &name.ident),
            syn::UseTree::Glob(_) => self.note(path),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.note_tree(path, tree)),
        }
    }

    fn note_leaf(&mut self, path: &mut Vec<String>, name: &syn::Ident) {
        path.push(name.to_string());
        self.note(path);
        path.pop();
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
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let text = list.tokens.to_string();
        text == "test" || text.starts_with("all (test") || text.starts_with("all(test")
    })
}
