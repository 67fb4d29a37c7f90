//! Types with too many methods, which should be several types, and public types of one name in one crate.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{Item, ItemEnum, ItemStruct, ItemTrait};

use super::imports::{Files, Module, is_test};

/// Maximum number of methods of a type, without those of traits.
const MAX_METHODS: usize = 60;

/// Returns a message for each type of the crate that has more methods, and for each name of several public types. Exempt from the latter are
/// C's names, as of two versions of OMPT, and types of which the processor decides.
pub(super) fn faults(package: &str, files: &Files) -> Vec<String> {
    let mut types = Types::default();
    for (module, file) in files {
        types.inner.clone_from(module);
        types.visit_file(file);
    }
    let is_rust = |name: &str| name.starts_with(char::is_uppercase);
    let in_arch = |module: &Module| module.iter().any(|name| name == "arch");
    let mut lines = Vec::new();
    for (name, all) in types.defined.iter().filter(|(name, _)| is_rust(name)) {
        let public: Vec<_> = all.iter().filter(|(_, is_public)| **is_public).map(|(module, _)| module).collect();
        if public.len() > 1 && !public.iter().all(|module| in_arch(module)) {
            let places: Vec<_> = public.iter().map(|module| module.join("::")).collect();
            lines.push(format!("{package}: {name} is a public type in each of {}", places.join(", ")));
        }
    }
    let numbers = types.numbers().into_iter().filter(|(_, number)| *number > MAX_METHODS);
    lines.extend(
        numbers.map(|(name, number)| format!("{package}: {name} has {number} methods, at most {MAX_METHODS} may be")),
    );
    lines
}

/// Types and methods of a crate.
#[derive(Default)]
struct Types {
    /// Module being read, including inline modules.
    inner: Module,
    /// Modules that define a type of this name, and whether it is public there.
    defined: BTreeMap<String, BTreeMap<Module, bool>>,
    /// For each block of methods: the name of its type, its module, and the number of its methods.
    blocks: Vec<(String, Module, usize)>,
}

impl Types {
    /// Number of methods of each type. A block outside of the type's module belongs to the only type of that name, or to the first one.
    fn numbers(self) -> BTreeMap<String, usize> {
        let mut numbers = BTreeMap::new();
        for (name, module, methods) in self.blocks {
            let places = self.defined.get(&name);
            let place = places.filter(|all| !all.contains_key(&module)).and_then(|all| all.keys().next());
            let place = place.unwrap_or(&module);
            *numbers.entry([place.as_slice(), &[name]].concat().join("::")).or_default() += methods;
        }
        numbers
    }
}

impl<'ast> Visit<'ast> for Types {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            self.inner.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
            self.inner.pop();
        }
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if let Item::Struct(ItemStruct { ident, vis, .. })
        | Item::Enum(ItemEnum { ident, vis, .. })
        | Item::Trait(ItemTrait { ident, vis, .. }) = item
        {
            let is_public = matches!(vis, syn::Visibility::Public(_));
            self.defined.entry(ident.to_string()).or_default().insert(self.inner.clone(), is_public);
        }
        visit::visit_item(self, item);
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        if let (None, syn::Type::Path(path)) = (&block.trait_, &*block.self_ty)
            && let Some(last) = path.path.segments.last()
            && !is_test(&block.attrs)
        {
            let methods = block.items.iter().filter(|item| matches!(item, syn::ImplItem::Fn(_))).count();
            self.blocks.push((last.ident.to_string(), self.inner.clone(), methods));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(texts: &[(&str, String)]) -> Files {
        let path = |module: &str| module.split('/').map(str::to_owned).collect();
        texts.iter().map(|(module, text)| (path(module), syn::parse_file(text).unwrap())).collect()
    }

    fn block(methods: usize) -> String {
        let methods: String = (0..methods).map(|number| format!("fn f{number}(&self) {{}}")).collect();
        format!("impl Large {{ {methods} }}")
    }

    #[test]
    fn methods_are_counted_over_all_files_and_not_those_of_traits_and_tests() {
        let traits = "impl Default for Large { fn default() -> Self { Self } }";
        let tests = format!("#[cfg(test)] mod tests {{ {} }}", block(9));
        let first = format!("struct Large; {traits} {tests} {}", block(MAX_METHODS - 1));
        assert!(faults("x", &files(&[("a", first.clone()), ("b", block(1))])).is_empty());
        let found = faults("x", &files(&[("a", first), ("b", block(2))]));
        assert_eq!(found, ["x: a::Large has 61 methods, at most 60 may be"]);
    }

    #[test]
    fn public_types_of_one_name_are_found_unless_the_processor_decides() {
        let found = |text: &str, modules: [&str; 2]| faults("x", &files(&modules.map(|it| (it, text.to_owned()))));
        assert_eq!(found("pub trait A {}", ["b", "c"]), ["x: A is a public type in each of b, c"]);
        assert!(found("pub struct A;", ["arch/b", "arch/c"]).is_empty());
        assert!(found("pub struct a_t; pub(crate) enum A {}", ["b", "c"]).is_empty());
    }

    #[test]
    fn types_of_one_name_in_two_modules_are_two() {
        let whole = |methods| format!("struct Large; {}", block(methods));
        assert!(faults("x", &files(&[("a", whole(40)), ("b", whole(40))])).is_empty());
    }
}
