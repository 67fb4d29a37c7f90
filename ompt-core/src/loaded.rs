//! Loaded ELF objects, read in memory: what they need, define and import. Takes no lock but the one inside
//! `dl_iterate_phdr`, which is never held while constructors run, and allocates nothing.
#![allow(unsafe_code)] // reads the dynamic linker's own tables

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::ptr::null;

/// ELF's numbers (System V gABI, "Dynamic Section"; GNU extensions) that `libc` doesn't have.
mod dt {
    pub(super) const NULL: i64 = 0;
    pub(super) const NEEDED: i64 = 1;
    pub(super) const PLTRELSZ: i64 = 2;
    pub(super) const HASH: i64 = 4;
    pub(super) const STRTAB: i64 = 5;
    pub(super) const SYMTAB: i64 = 6;
    pub(super) const RELA: i64 = 7;
    pub(super) const RELASZ: i64 = 8;
    pub(super) const SONAME: i64 = 14;
    pub(super) const JMPREL: i64 = 23;
    pub(super) const GNU_HASH: i64 = 0x6fff_fef5;
    pub(super) const VERSYM: i64 = 0x6fff_fff0;
    pub(super) const VERDEF: i64 = 0x6fff_fffc;
    pub(super) const VERNEED: i64 = 0x6fff_fffe;
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Dyn {
    tag: i64,
    value: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Rela {
    offset: usize,
    info: u64,
    addend: i64,
}

/// One loaded object.
#[derive(Clone, Copy)]
pub struct Object {
    base: usize,
    headers: *const libc::Elf64_Phdr,
    header_count: u16,
    name: *const libc::c_char,
    dynamic: *const Dyn,
}

/// A place in an object that the dynamic linker fills with the address of an imported function.
pub struct Import<'a> {
    /// The function's name.
    pub name: &'a CStr,
    /// The version that the object asks for.
    pub version: Option<&'a CStr>,
    /// Where the address stands.
    pub place: *mut usize,
}

/// Runs `work` while no object comes or goes, with a number that is another one after each that did. Others who want to
/// look at loaded objects wait meanwhile, so there is only one such piece of work at a time.
pub fn locked(work: &mut dyn FnMut(u64)) {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _: usize, work: *mut c_void) -> c_int {
        // SAFETY: `data` below.
        let work = unsafe { &mut *work.cast::<&mut dyn FnMut(u64)>() };
        // SAFETY: the linker's description of one object, valid during this call.
        let info = unsafe { &*info };
        work(info.dlpi_adds.wrapping_add(info.dlpi_subs));
        1
    }
    let mut work = work;
    let data: *mut &mut dyn FnMut(u64) = &raw mut work;
    // SAFETY: `first` gets `data`, which lives until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(first), data.cast()) };
}

/// Shows every loaded object, in the order of loading, until `show` says true.
pub fn any_object(show: &mut dyn FnMut(Object) -> bool) -> bool {
    unsafe extern "C" fn one(info: *mut libc::dl_phdr_info, _: usize, show: *mut c_void) -> c_int {
        // SAFETY: `data` below.
        let show = unsafe { &mut *show.cast::<&mut dyn FnMut(Object) -> bool>() };
        // SAFETY: the linker's description of one object, valid during this call.
        let info = unsafe { &*info };
        #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
        let mut object = Object {
            base: info.dlpi_addr as usize,
            headers: info.dlpi_phdr,
            header_count: info.dlpi_phnum,
            name: info.dlpi_name,
            dynamic: null(),
        };
        let Some((_, dynamic)) = object.segments(libc::PT_DYNAMIC).next() else { return 0 };
        object.dynamic = dynamic.start as *const Dyn;
        c_int::from(show(object))
    }
    let mut show = show;
    let data: *mut &mut dyn FnMut(Object) -> bool = &raw mut show;
    // SAFETY: `one` gets `data`, which lives until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(one), data.cast()) != 0 }
}

impl Object {
    /// The segments of one type: flags, addresses.
    fn segments(&self, kind: u32) -> impl Iterator<Item = (u32, Range<usize>)> {
        let base = self.base;
        // SAFETY: the linker's array of program headers, of the length it says.
        let headers = unsafe { std::slice::from_raw_parts(self.headers, self.header_count.into()) };
        #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
        headers.iter().filter(move |h| h.p_type == kind).map(move |h| {
            let start = base.wrapping_add(h.p_vaddr as usize);
            (h.p_flags, start..start + h.p_memsz as usize)
        })
    }

    /// Whether the address lies in one of the object's loaded segments.
    pub fn contains(&self, address: usize) -> bool {
        self.segments(libc::PT_LOAD).any(|(_, range)| range.contains(&address))
    }

    /// Whether the address lies in the object's code.
    pub fn has_code(&self, address: usize) -> bool {
        self.segments(libc::PT_LOAD).any(|(flags, range)| flags & libc::PF_X != 0 && range.contains(&address))
    }

    /// The first bytes of the function at this address: nothing where it is none of the object's.
    pub fn code_at(&self, address: usize) -> &[u8] {
        const ENOUGH: usize = 64;
        let is_code = |flags| flags & (libc::PF_X | libc::PF_R) == libc::PF_X | libc::PF_R;
        let segment = self.segments(libc::PT_LOAD).find(|(flags, range)| is_code(*flags) && range.contains(&address));
        let Some((_, range)) = segment else { return &[] };
        // SAFETY: up to the end of a segment that is loaded and may be read.
        unsafe { std::slice::from_raw_parts(address as *const u8, ENOUGH.min(range.end - address)) }
    }

    /// Whether the address lies in the object's variables.
    pub fn has_data(&self, address: usize) -> bool {
        let mut segments = self.segments(libc::PT_LOAD);
        segments.any(|(flags, range)| flags & libc::PF_W != 0 && range.contains(&address)) && !self.is_relro(address)
    }

    /// Where that code of the object lies which has this address.
    pub fn code_around(&self, address: usize) -> Option<Range<usize>> {
        let mut code = self.segments(libc::PT_LOAD).filter(|(flags, _)| flags & libc::PF_X != 0);
        code.find_map(|(_, range)| range.contains(&address).then_some(range))
    }

    /// Whether the address lies in the part that the linker makes read-only after relocation.
    pub fn is_relro(&self, address: usize) -> bool {
        self.segments(libc::PT_GNU_RELRO).any(|(_, range)| range.contains(&address))
    }

    fn entries(&self, tag: i64) -> impl Iterator<Item = usize> {
        let mut next = self.dynamic;
        std::iter::from_fn(move || {
            loop {
                // SAFETY: the dynamic section ends with a null entry, and we stop there.
                let entry = unsafe { next.read() };
                if entry.tag == dt::NULL {
                    return None;
                }
                next = next.wrapping_add(1);
                if entry.tag == tag {
                    return Some(entry.value);
                }
            }
        })
    }

    /// A table's address. The linker has made most of them absolute.
    fn table<T>(&self, tag: i64) -> Option<*const T> {
        let value = self.entries(tag).next()?;
        let address = if value < self.base { value + self.base } else { value };
        Some(address as *const T)
    }

    fn string(&self, offset: usize) -> Option<&CStr> {
        let strings = self.table::<u8>(dt::STRTAB)?;
        // SAFETY: offsets into the string table name strings that end in it.
        Some(unsafe { CStr::from_ptr(strings.wrapping_add(offset).cast()) })
    }

    /// Where the object lies: no two loaded ones have the same.
    pub fn base(&self) -> usize {
        self.base
    }

    /// The names by which others may need the object: its own, its path, and the last part of that.
    pub fn names(&self) -> [Option<&CStr>; 3] {
        let own = self.entries(dt::SONAME).next().and_then(|own| self.string(own));
        // SAFETY: the linker's C string, valid while the object is shown.
        let path = (!self.name.is_null()).then(|| unsafe { CStr::from_ptr(self.name) });
        let last = path.map(|path| {
            let bytes = path.to_bytes_with_nul();
            let start = bytes.iter().rposition(|c| *c == b'/').map_or(0, |slash| slash + 1);
            CStr::from_bytes_with_nul(bytes.get(start..).unwrap_or_default()).unwrap_or(c"")
        });
        [own, path, last].map(|name| name.filter(|name| !name.is_empty()))
    }

    /// The names of what the object needs.
    pub fn needed(&self) -> impl Iterator<Item = &CStr> {
        self.entries(dt::NEEDED).filter_map(|offset| self.string(offset))
    }

    fn symbol(&self, index: usize) -> Option<libc::Elf64_Sym> {
        let symbols = self.table::<libc::Elf64_Sym>(dt::SYMTAB)?;
        // SAFETY: relocations and hash chains number symbols of this table.
        Some(unsafe { symbols.wrapping_add(index).read() })
    }

    /// The function that the object defines under this name, in this version or in its default one.
    pub fn function(&self, name: &CStr, version: Option<&CStr>) -> Option<*const ()> {
        let versions = self.table::<u16>(dt::VERSYM);
        self.find(name, &mut |index, symbol| {
            let here = symbol.st_shndx != 0 && symbol.st_info & 0xf == 2;
            // SAFETY: one version a symbol.
            let own = versions.map(|v| unsafe { v.wrapping_add(index).read() });
            let right = match (version, own) {
                (None, own) => own.is_none_or(|own| own & 0x8000 == 0),
                (Some(version), own) => self.defined_version(own? & 0x7fff) == Some(version),
            };
            #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
            let address = self.base.wrapping_add(symbol.st_value as usize);
            (here && right).then_some(address as *const ())
        })
    }

    /// Whether the object defines a symbol of this name, of any type and version.
    pub fn defines(&self, name: &CStr) -> bool {
        self.find(name, &mut |_, symbol| (symbol.st_shndx != 0).then_some(())).is_some()
    }

    /// The name of the exported function at this position among them. Valid while the object is loaded.
    pub fn exported_function(&self, position: usize) -> Option<&'static CStr> {
        let table = self.table::<u32>(dt::GNU_HASH)?;
        // SAFETY: reads words of the table, at places that its header and buckets give.
        let word = |index: usize| unsafe { table.wrapping_add(index).read() };
        let [buckets, first, bloom] = [0, 1, 2].map(|index| word(index) as usize);
        let start = 4 + 2 * bloom;
        // Chains lie one behind the other, in the order of symbols: the last one begins at the highest bucket.
        let mut index = first;
        let last = (0..buckets).map(|bucket| word(start + bucket) as usize).max().filter(|last| *last >= first)?;
        let mut left = position;
        loop {
            let symbol = self.symbol(index)?;
            if symbol.st_shndx != 0 && symbol.st_info & 0xf == 2 {
                if left == 0 {
                    let strings = self.table::<u8>(dt::STRTAB)?;
                    // SAFETY: offsets into the string table name strings that end in it.
                    return Some(unsafe { CStr::from_ptr(strings.wrapping_add(symbol.st_name as usize).cast()) });
                }
                left -= 1;
            }
            if index >= last && word(start + buckets + index - first) & 1 == 1 {
                return None;
            }
            index += 1;
        }
    }

    /// Looks a name up in the object's hash table, of either kind.
    fn find<T>(&self, name: &CStr, choose: &mut dyn FnMut(usize, libc::Elf64_Sym) -> Option<T>) -> Option<T> {
        if let Some(table) = self.table::<u32>(dt::GNU_HASH) {
            return self.find_by_gnu_hash(table, name, choose);
        }
        self.find_by_hash(self.table::<u32>(dt::HASH)?, name, choose)
    }

    /// System V's hash table: numbers of buckets and symbols, then buckets and chains of symbols' numbers that end with 0.
    fn find_by_hash<T>(
        &self,
        table: *const u32,
        name: &CStr,
        choose: &mut dyn FnMut(usize, libc::Elf64_Sym) -> Option<T>,
    ) -> Option<T> {
        // SAFETY: reads words of the table, at places that its header, buckets and chains give.
        let word = |index: u32| unsafe { table.wrapping_add(index as usize).read() };
        let hash = name.to_bytes().iter().fold(0_u32, |h, c| {
            let h = (h << 4).wrapping_add(u32::from(*c));
            let high = h & 0xf000_0000;
            (h ^ high >> 24) & !high
        });
        let buckets = word(0);
        let mut index = word(2 + hash.checked_rem(buckets)?);
        while index != 0 {
            let symbol = self.symbol(index as usize)?;
            if self.string(symbol.st_name as usize) == Some(name)
                && let Some(found) = choose(index as usize, symbol)
            {
                return Some(found);
            }
            index = word(2 + buckets + index);
        }
        None
    }

    /// The GNU hash table: a filter of bits, then buckets that hold the first symbol of a chain, whose last hash is odd.
    fn find_by_gnu_hash<T>(
        &self,
        table: *const u32,
        name: &CStr,
        choose: &mut dyn FnMut(usize, libc::Elf64_Sym) -> Option<T>,
    ) -> Option<T> {
        // SAFETY: reads words of the table, at places that its header and buckets give.
        let word = |index: usize| unsafe { table.wrapping_add(index).read() };
        let hash = name.to_bytes().iter().fold(5381_u32, |h, c| h.wrapping_mul(33).wrapping_add(u32::from(*c)));
        let [buckets, first, bloom, shift] = [0, 1, 2, 3].map(word);
        // The filter's words have 64 bits, of which two are set for each name; read in halves.
        let place = 4 + 2 * (hash / 64).checked_rem(bloom)? as usize;
        let bit = |hash: u32| word(place + (hash / 32 % 2) as usize) >> (hash % 32) & 1 == 1;
        if !bit(hash) || !bit(hash.checked_shr(shift)?) {
            return None;
        }
        let start = 4 + 2 * bloom as usize;
        let mut index = word(start + hash.checked_rem(buckets)? as usize);
        if index < first {
            return None;
        }
        loop {
            let here = word(start + buckets as usize + (index - first) as usize);
            let symbol = self.symbol(index as usize)?;
            if here | 1 == hash | 1
                && self.string(symbol.st_name as usize) == Some(name)
                && let Some(found) = choose(index as usize, symbol)
            {
                return Some(found);
            }
            if here & 1 == 1 {
                return None;
            }
            index += 1;
        }
    }

    /// The name of a version that the object defines.
    fn defined_version(&self, number: u16) -> Option<&CStr> {
        let mut found = None;
        self.any_defined_version(&mut |here, name| {
            found = Some(name).filter(|_| here == number);
            found.is_some()
        });
        found
    }

    /// Shows number and name of every version that the object defines, until `show` says true.
    pub fn any_defined_version<'a>(&'a self, show: &mut dyn FnMut(u16, &'a CStr) -> bool) {
        let mut next = self.table::<libc::c_uchar>(dt::VERDEF);
        while let Some(definition) = next {
            // SAFETY: a Verdef record: u16 version, u16 flags, u16 index, u16 count, u32 hash, u32 aux, u32 next.
            let [_, index_and_count, _, aux, after] = unsafe { definition.cast::<[u32; 5]>().read_unaligned() };
            // SAFETY: a Verdaux record: u32 name, u32 next.
            let [name, _] = unsafe { definition.wrapping_add(aux as usize).cast::<[u32; 2]>().read_unaligned() };
            #[allow(clippy::cast_possible_truncation)] // the low half
            if self.string(name as usize).is_some_and(|name| show(index_and_count as u16, name)) {
                return;
            }
            next = (after != 0).then(|| definition.wrapping_add(after as usize));
        }
    }

    /// Shows every place that the address of an imported OpenMP function stands in.
    pub fn imports(&self, show: &mut dyn FnMut(Import<'_>)) {
        self.places(&mut |symbol, index, name, place| {
            let wanted = name.to_bytes().starts_with(b"GOMP_") || name.to_bytes().starts_with(b"omp_");
            if symbol.st_shndx == 0 && wanted {
                show(Import { name, version: self.needed_version(index), place });
            }
        });
    }

    /// Shows the name of every symbol that the object imports.
    pub fn imported_names(&self, show: &mut dyn FnMut(&CStr)) {
        self.places(&mut |symbol, _, name, _| {
            if symbol.st_shndx == 0 {
                show(name);
            }
        });
    }

    /// Shows every place that the address of this function stands in, for all that the object may have one of its own.
    pub fn uses(&self, function: &CStr, show: &mut dyn FnMut(Import<'_>)) {
        self.places(&mut |_, _, name, place| {
            if name == function {
                show(Import { name, version: None, place });
            }
        });
    }

    /// Shows the places that the dynamic linker fills with the addresses of symbols: symbol, its number, its name.
    fn places(&self, show: &mut dyn FnMut(&libc::Elf64_Sym, usize, &CStr, *mut usize)) {
        const R_X86_64_64: u64 = 1;
        const R_X86_64_GLOB_DAT: u64 = 6;
        const R_X86_64_JUMP_SLOT: u64 = 7;
        let (Some(symbols), Some(strings)) = (self.table::<libc::Elf64_Sym>(dt::SYMTAB), self.table::<u8>(dt::STRTAB))
        else {
            return;
        };
        for (table, size) in [(dt::RELA, dt::RELASZ), (dt::JMPREL, dt::PLTRELSZ)] {
            let Some(table) = self.table::<Rela>(table) else { continue };
            let bytes = self.entries(size).next().unwrap_or(0);
            // SAFETY: the linker's table of relocations, of the size it says.
            for rela in unsafe { std::slice::from_raw_parts(table, bytes / size_of::<Rela>()) } {
                let (kind, index) = (rela.info & 0xffff_ffff, (rela.info >> 32) as usize);
                if !matches!(kind, R_X86_64_64 | R_X86_64_GLOB_DAT | R_X86_64_JUMP_SLOT) || rela.addend != 0 {
                    continue;
                }
                // SAFETY: relocations number symbols of this table.
                let symbol = unsafe { symbols.wrapping_add(index).read() };
                // SAFETY: offsets into the string table name strings that end in it.
                let name = unsafe { CStr::from_ptr(strings.wrapping_add(symbol.st_name as usize).cast()) };
                show(&symbol, index, name, self.base.wrapping_add(rela.offset) as *mut usize);
            }
        }
    }

    /// The version that the object asks for with a symbol.
    fn needed_version(&self, index: usize) -> Option<&CStr> {
        let versions = self.table::<u16>(dt::VERSYM)?;
        // SAFETY: one version a symbol.
        let wanted = unsafe { versions.wrapping_add(index).read() };
        let mut file = self.table::<libc::c_uchar>(dt::VERNEED)?;
        loop {
            // SAFETY: a Verneed record: u16 version, u16 count, u32 file, u32 aux, u32 next: 16 bytes.
            let [_, _file, aux, next] = unsafe { file.cast::<[u32; 4]>().read_unaligned() };
            let mut entry = file.wrapping_add(aux as usize);
            loop {
                // SAFETY: a Vernaux record: u32 hash, u16 flags, u16 version, u32 name, u32 next.
                let [_, flags_and_version, name, next] = unsafe { entry.cast::<[u32; 4]>().read_unaligned() };
                if flags_and_version >> 16 == u32::from(wanted) {
                    return self.string(name as usize);
                }
                if next == 0 {
                    break;
                }
                entry = entry.wrapping_add(next as usize);
            }
            if next == 0 {
                return None;
            }
            file = file.wrapping_add(next as usize);
        }
    }
}
