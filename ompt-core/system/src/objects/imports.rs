//! Words of an object that the dynamic linker fills with addresses of symbols: its global offset table (GOT), and data
//! that holds addresses of functions.
#![allow(unsafe_code)] // reads the dynamic linker's tables

use super::{Image, Object, dt};
use crate::arch::is_symbol_address;
use crate::memory::page_size;
use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};

#[repr(C)]
#[derive(Clone, Copy)]
struct Rela {
    offset: usize,
    info: u64,
    addend: i64,
}

/// A place in an object that the dynamic linker fills with the address of an imported function.
pub struct Import<'a> {
    /// The function's name.
    pub name: &'a CStr,
    /// The version that the object asks for.
    pub version: Option<&'a CStr>,
    /// The word that holds the address.
    pub place: *mut usize,
}

impl<'a> Import<'a> {
    /// The word that holds the address.
    pub fn word(&self) -> &'a AtomicUsize {
        // SAFETY: the linker's relocation specifies an aligned address there (psABI, "Relocation Types").
        unsafe { AtomicUsize::from_ptr(self.place) }
    }

    /// GOT patching: redirects the import to a function. False if its page can't be written. `image` is the importing
    /// image. A page that was read-only stays writable: protecting it again could interfere with a linker that is still
    /// working on the object.
    pub fn redirect(&self, image: &Image, function: *const ()) -> bool {
        if image.is_relro(self.place as usize) {
            let size = page_size();
            let page = self.place as usize & !(size - 1);
            // SAFETY: a page of the loaded object's RELRO segment (`is_relro`), which the linker itself had mapped
            // writable (mprotect(2)).
            if unsafe { libc::mprotect(page as *mut _, size, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
                return false;
            }
        }
        // Release: pairs with the calls through the word.
        self.word().store(function as usize, Ordering::Release);
        true
    }
}

impl Object {
    /// Calls `show` with every place that holds, or will hold, the address of an imported function whose name `wanted`
    /// accepts.
    pub fn imports(&self, wanted: fn(&CStr) -> bool, show: &mut dyn FnMut(Import<'_>)) {
        self.places(&mut |symbol, index, name, place| {
            if symbol.st_shndx == 0 && wanted(name) {
                show(Import { name, version: self.needed_version(index), place });
            }
        });
    }

    /// Calls `show` with the name of every symbol that the object imports.
    pub fn imported_names(&self, show: &mut dyn FnMut(&CStr)) {
        self.places(&mut |symbol, _, name, _| {
            if symbol.st_shndx == 0 {
                show(name);
            }
        });
    }

    /// Calls `show` with every place that holds the address of this function, even if the object itself defines the
    /// function.
    pub fn uses(&self, function: &CStr, show: &mut dyn FnMut(Import<'_>)) {
        self.places(&mut |_, _, name, place| {
            if name == function {
                show(Import { name, version: None, place });
            }
        });
    }

    /// Calls `show` with each place that the dynamic linker fills with the address of a symbol: the symbol, its number,
    /// its name, and the place.
    fn places(&self, show: &mut dyn FnMut(&libc::Elf64_Sym, usize, &CStr, *mut usize)) {
        let (Some(symbols), Some(strings)) = (self.table::<libc::Elf64_Sym>(dt::SYMTAB), self.table::<u8>(dt::STRTAB))
        else {
            return;
        };
        for (table, size) in [(dt::RELA, dt::RELASZ), (dt::JMPREL, dt::PLTRELSZ)] {
            let Some(table) = self.table::<Rela>(table) else { continue };
            let bytes = self.entries(size).next().unwrap_or(0);
            // SAFETY: DT_RELA and DT_JMPREL give the loaded table, DT_RELASZ and DT_PLTRELSZ its bytes (gABI, "Dynamic
            // Section").
            for rela in unsafe { std::slice::from_raw_parts(table, bytes / size_of::<Rela>()) } {
                let (kind, index) = (rela.info & 0xffff_ffff, (rela.info >> 32) as usize);
                if !is_symbol_address(kind) || rela.addend != 0 {
                    continue;
                }
                // SAFETY: a relocation's index numbers a symbol of this table (gABI, "Relocation").
                let symbol = unsafe { symbols.wrapping_add(index).read() };
                // SAFETY: `st_name` is an offset into the string table, whose strings end in a zero (gABI, "String
                // Table").
                let name = unsafe { CStr::from_ptr(strings.wrapping_add(symbol.st_name as usize).cast()) };
                show(&symbol, index, name, self.base().wrapping_add(rela.offset) as *mut usize);
            }
        }
    }
}
