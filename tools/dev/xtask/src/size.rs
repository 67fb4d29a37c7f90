//! Size of `libora.so`, which is loaded into every watched program.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use object::read::elf::{ElfFile64, SectionHeader};
use object::{LittleEndian, elf};

use crate::workspace;

/// Most bytes of code and constant data on x86-64; elsewhere there is no bound.
const MOST: u64 = 1_100_000;

/// Fails if `library`, or that of the release build, has become too large.
pub(crate) fn check(library: Option<PathBuf>) -> Result<()> {
    let library = workspace::existing_library(library)?;
    let bytes = text(&library)?;
    let shown = workspace::shown(&library);
    ensure!(
        bytes <= MOST || cfg!(not(target_arch = "x86_64")),
        "{shown} has {bytes} bytes of text, more than {MOST}\nNext: `nm --size-sort -S --demangle {shown}` shows what is large"
    );
    println!("{shown} has {bytes} bytes of text");
    Ok(())
}

/// Bytes of a library's sections that are loaded and never written: the text of binutils' `size`.
fn text(library: &Path) -> Result<u64> {
    let bytes = fs::read(library).with_context(|| format!("can't read {}", library.display()))?;
    let file = ElfFile64::<LittleEndian>::parse(&*bytes).with_context(|| format!("{}", library.display()))?;
    let constant = |flags| flags & (elf::SHF_ALLOC | elf::SHF_WRITE) == elf::SHF_ALLOC;
    let sections = file.elf_section_table().iter().filter(|section| constant(section.sh_flags(LittleEndian)));
    Ok(sections.map(|section| section.sh_size(LittleEndian)).sum())
}
