//! Checks of the ELF reader (`system::elf`) against the crate `object`.

use object::LittleEndian;
use object::elf::{self, FileHeader64, ProgramHeader64, SectionHeader64, Sym64};
use object::read::elf::{FileHeader as _, ProgramHeader as _, SectionHeader as _, Sym as _};
use system::elf::{
    Header, ProgramHeader, bias, build_id, function, program_headers, program_headers_bytes, unwind_index,
};

const LE: LittleEndian = LittleEndian;
const PAGE: u64 = 4096;

pub(crate) fn check(file: &[u8]) {
    let ours = Header::read(file);
    let theirs = FileHeader64::<LittleEndian>::parse(file).ok().filter(|header| header.is_little_endian());
    if let Some(id) = build_id(file) {
        assert!(file.windows(id.len().max(1)).count() > 0 && is_within(id, file));
    }
    let own: Vec<_> = program_headers(file).collect();
    assert!(own.len() <= ours.map_or(0, |header| header.program_header_count.into()));
    for segment in &own {
        bias_leads_to_the_mapping(&own, segment.offset & !(PAGE - 1));
    }
    let Some(theirs) = theirs else { return };
    let header = ours.expect("a header that another reader takes");
    let fields = (theirs.e_machine(LE).0, theirs.e_phoff(LE), theirs.e_phentsize(LE), theirs.e_phnum(LE));
    assert_eq!(
        (header.machine, header.program_headers, header.program_header_size, header.program_header_count),
        fields
    );
    let fields = (theirs.e_shoff(LE), theirs.e_shentsize(LE), theirs.e_shnum(LE));
    assert_eq!((header.section_headers, header.section_header_size, header.section_header_count), fields);
    segments(file, theirs, &own);
    functions(file, theirs);
}

fn is_within(part: &[u8], whole: &[u8]) -> bool {
    let (part, whole) = (part.as_ptr_range(), whole.as_ptr_range());
    part.start >= whole.start && part.end <= whole.end
}

/// Checks that the byte mapped at `start` has the address `start` once the bias is added.
fn bias_leads_to_the_mapping(segments: &[ProgramHeader], offset: u64) {
    const START: u64 = 0x7f12_3456_7000;
    let Some(bias) = bias(segments.iter().copied(), offset, START) else { return };
    let has = |it: &&ProgramHeader| it.is_code() && offset < it.offset.saturating_add(it.length.max(1));
    let mut code = segments.iter().filter(has);
    assert!(code.any(|it| bias.wrapping_add(it.address).wrapping_add(offset.wrapping_sub(it.offset)) == START));
}

fn segments(file: &[u8], theirs: &FileHeader64<LittleEndian>, own: &[ProgramHeader]) {
    // Our reader ignores files with more headers than the field can express.
    if theirs.e_phnum(LE) == elf::PN_XNUM {
        return;
    }
    let Ok(segments) = theirs.program_headers(LE, file) else {
        assert!(own.len() < theirs.e_phnum(LE).into() || theirs.e_phentsize(LE) != 56);
        assert_eq!(program_headers_bytes(file), None);
        return;
    };
    let plain = |it: &ProgramHeader64<LittleEndian>| {
        (it.p_type(LE).0, it.p_flags(LE).0, it.p_offset(LE), it.p_vaddr(LE), it.p_filesz(LE))
    };
    let fields = |it: &ProgramHeader| (it.kind, it.flags, it.offset, it.address, it.length);
    assert_eq!(own.iter().map(fields).collect::<Vec<_>>(), segments.iter().map(plain).collect::<Vec<_>>());
    if !segments.is_empty() {
        assert_eq!(program_headers_bytes(file), Some(object::bytes_of_slice(segments)));
    }
    let index = segments.iter().find(|it| it.p_type(LE) == elf::PT_GNU_EH_FRAME).map(|it| it.p_vaddr(LE));
    let around = index.and_then(|index| {
        let holds = |it: &&ProgramHeader64<LittleEndian>| {
            let range = u128::from(it.p_vaddr(LE))..u128::from(it.p_vaddr(LE)) + u128::from(it.p_filesz(LE));
            it.p_type(LE) == elf::PT_LOAD && range.contains(&u128::from(index))
        };
        Some((index, plain(segments.iter().find(holds)?)))
    });
    assert_eq!(unwind_index(own.iter().copied()).map(|(index, segment)| (index, fields(&segment))), around);
    for segment in segments.iter().filter(|it| it.p_align(LE) <= 4) {
        let (Ok(Some(mut notes)), Ok(bytes)) = (segment.notes(LE, file), segment.data(LE, file)) else { continue };
        let mut wanted = None;
        while let Ok(Some(note)) = notes.next() {
            if note.n_type(LE) == elf::NT_GNU_BUILD_ID && note.name_bytes() == b"GNU\0" {
                wanted = Some(note.desc());
                break;
            }
        }
        assert_eq!(build_id(bytes), wanted);
    }
}

fn functions(file: &[u8], theirs: &FileHeader64<LittleEndian>) {
    let Ok(sections) = theirs.section_headers(LE, file) else { return };
    let mut tables = sections.iter().filter(|it| it.sh_type(LE) == elf::SHT_SYMTAB);
    let Some(table) = tables.next() else { return };
    let strings = sections.get(table.sh_link(LE) as usize).filter(|it| it.sh_type(LE) == elf::SHT_STRTAB);
    let Some(strings) = strings.and_then(|it: &SectionHeader64<LittleEndian>| it.data(LE, file).ok()) else { return };
    let Ok(symbols) = table.data_as_array::<Sym64<LittleEndian>, _>(LE, file) else { return };
    let name = |symbol: &Sym64<LittleEndian>| {
        let rest = strings.get(symbol.st_name(LE) as usize..)?;
        Some(&rest[..rest.iter().position(|byte| *byte == 0)?])
    };
    let is_ours = |symbol: &&Sym64<LittleEndian>| {
        let section = symbol.st_shndx(LE).0;
        symbol.st_type() == elf::STT_FUNC
            && [elf::STB_GLOBAL, elf::STB_WEAK].contains(&symbol.st_bind())
            && section != 0
            && (section < elf::SHN_LORESERVE || section == u16::MAX)
    };
    let names = symbols.iter().filter_map(name).take(20);
    for asked in names.chain([&b"no such name"[..]]) {
        let wanted = symbols.iter().filter(is_ours).find(|symbol| name(symbol) == Some(asked));
        assert_eq!(
            function(file, asked),
            wanted.map(|symbol| usize::try_from(symbol.st_value(LE)).unwrap()),
            "{asked:?}"
        );
    }
}
