//! The archive: definitions, and its anchor.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::chunks::{Chunks, DEFINITIONS, END_OF_BUFFER, END_OF_FILE, EVENTS, HEADER, LITTLE_ENDIAN};
use crate::location::Location;
use crate::paradigm::Paradigm;
use crate::record::Record;
use crate::references::{Comm, Node, Process, Region};
use crate::role::Role;

/// Kinds of definitions.
mod kind {
    pub(super) const CLOCK: u8 = 5;
    pub(super) const STRING: u8 = 10;
    pub(super) const NODE: u8 = 12;
    pub(super) const LOCATION_GROUP: u8 = 13;
    pub(super) const LOCATION: u8 = 14;
    pub(super) const REGION: u8 = 15;
    pub(super) const GROUP: u8 = 18;
    pub(super) const COMM: u8 = 22;
}

/// Version of OTF2 whose layout this is, of the anchor's layout, and of the records'.
const VERSION: [u8; 3] = [3, 0, 0];
const ANCHOR_FORMAT: u8 = 3;
const TRACE_FORMAT: u8 = 2;
/// `OTF2_SUBSTRATE_POSIX`, `OTF2_COMPRESSION_NONE`.
const FILES: [u8; 2] = [1, 1];
/// No number: used in a definition without that part.
const NONE: u32 = u32::MAX;
const PROCESS: u8 = 1;
const CPU_THREAD: u8 = 1;
/// `OTF2_GROUP_TYPE_COMM_LOCATIONS` and `OTF2_GROUP_TYPE_COMM_GROUP`.
const COMM_LOCATIONS: u8 = 4;
const COMM_GROUP: u8 = 5;

/// An archive under construction.
#[derive(Debug)]
pub struct Archive {
    folder: PathBuf,
    strings: HashMap<String, u32>,
    regions: HashMap<(u32, u32, u32, Role), Region>,
    /// Records in the order that readers require: strings first.
    texts: Vec<Record>,
    tree: Vec<Record>,
    code: Vec<Record>,
    nodes: u32,
    processes: u32,
    comms: u32,
    groups: u32,
    /// Locations with teams, for each paradigm: the single group of all of them, and their numbers.
    teams: Vec<(Paradigm, u32, Vec<u64>)>,
    locations: u64,
    /// The file that locations without own definitions share; a file has a maximum number of links.
    no_definitions: Option<PathBuf>,
    /// Locations that were added; at the end also the groups of all that have teams.
    threads: Vec<Record>,
}

impl Archive {
    /// Creates an archive in a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// If the folder can't be created.
    pub fn create(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder.join("traces"))?;
        Ok(Self {
            folder: folder.to_owned(),
            strings: HashMap::new(),
            regions: HashMap::new(),
            texts: Vec::new(),
            tree: Vec::new(),
            code: Vec::new(),
            nodes: 0,
            processes: 0,
            comms: 0,
            groups: 0,
            teams: Vec::new(),
            locations: 0,
            no_definitions: None,
            threads: Vec::new(),
        })
    }

    fn string(&mut self, text: &str) -> u32 {
        if let Some(known) = self.strings.get(text) {
            return *known;
        }
        let number = next(self.strings.len());
        self.strings.insert(text.to_owned(), number);
        self.texts.push(Record::new(kind::STRING).number(number).text(text));
        number
    }

    /// Defines a machine.
    pub fn node(&mut self, name: &str) -> Node {
        let (name, class) = (self.string(name), self.string("machine"));
        let number = self.nodes;
        self.nodes += 1;
        self.tree.push(Record::new(kind::NODE).number(number).number(name).number(class).number(NONE));
        Node(number)
    }

    /// Defines a process on a machine.
    pub fn process(&mut self, name: &str, node: Node) -> Process {
        let (name, number) = (self.string(name), self.processes);
        self.processes += 1;
        let record = Record::new(kind::LOCATION_GROUP).number(number).number(name).byte(PROCESS);
        self.tree.push(record.number(node.0).number(NONE));
        Process(number)
    }

    /// Defines a region of code; the same one if all arguments are the same. Line 0 if unknown.
    pub fn region(&mut self, name: &str, file: &str, line: u32, role: Role, paradigm: Paradigm) -> Region {
        let (name, file, none) = (self.string(name), self.string(file), self.string(""));
        let number = next(self.regions.len());
        let region = *self.regions.entry((name, file, line, role)).or_insert(Region(number));
        if region.0 == number {
            // Type of OTF2 before 1.2: unknown. The role replaces it.
            let record = Record::new(kind::REGION).number(number).number(name).number(none).byte(0);
            let record = record.number(file).number(line).number(line).number(name);
            self.code.push(record.byte(role.0).byte(paradigm.0).number(0));
        }
        region
    }

    /// Defines the teams of some locations, which must not be passed in another call.
    pub fn comm(&mut self, name: &str, paradigm: Paradigm, locations: &[u64]) -> Comm {
        let name = self.string(name);
        let first = self.in_teams(paradigm, locations);
        let members: Vec<u64> = (first..).take(locations.len()).collect();
        let group = self.next_group();
        let record = self.group(group, COMM_GROUP, paradigm, &members);
        self.code.push(record);
        let comm = self.comms;
        self.comms += 1;
        let record = Record::new(kind::COMM).number(comm).number(name).number(group).number(NONE);
        self.code.push(record.number(0));
        Comm(comm)
    }

    /// Adds locations to those of a paradigm. Returns their first rank.
    fn in_teams(&mut self, paradigm: Paradigm, locations: &[u64]) -> u64 {
        if !self.teams.iter().any(|(known, ..)| *known == paradigm) {
            let group = self.next_group();
            self.teams.push((paradigm, group, Vec::new()));
        }
        let all = self.teams.iter_mut().find(|(known, ..)| *known == paradigm);
        all.map_or(0, |(.., all)| {
            let first = all.len() as u64;
            all.extend_from_slice(locations);
            first
        })
    }

    fn next_group(&mut self) -> u32 {
        self.groups += 1;
        self.groups - 1
    }

    /// The record of a group.
    fn group(&mut self, number: u32, kind_of_group: u8, paradigm: Paradigm, members: &[u64]) -> Record {
        // Type of OTF2 before 1.2: unknown.
        let record = Record::new(kind::GROUP).number(number).number(self.string("")).byte(0);
        let record = members.iter().fold(record.number(next(members.len())), |record, member| record.long(*member));
        record.byte(kind_of_group).byte(paradigm.0).number(0)
    }

    /// Starts the events of a thread. Locations have numbers from 0, in the order of these calls.
    ///
    /// # Errors
    /// If its file can't be created.
    pub fn location(&mut self, name: &str, process: Process) -> io::Result<Location> {
        let number = self.locations;
        self.locations += 1;
        self.define_nothing(self.folder.join(format!("traces/{number}.def")))?;
        let events = Chunks::create(&self.folder.join(format!("traces/{number}.evt")), EVENTS)?;
        Ok(Location { number, name: self.string(name), process: process.0, events })
    }

    /// Creates the file of a location's own definitions. It has none, since numbers in events are those of the archive, but OTF2's
    /// library prints errors if a file is missing. All locations share one file, by links, if the file system has them: each new file takes
    /// an inode, and ext4 passes over those of files that were deleted a short time ago one by one.
    fn define_nothing(&mut self, path: PathBuf) -> io::Result<()> {
        if self.no_definitions.as_ref().is_none_or(|file| fs::hard_link(file, &path).is_err()) {
            Chunks::create(&path, DEFINITIONS)?.finish()?;
            self.no_definitions = Some(path);
        }
        Ok(())
    }

    /// Adds a location that has all its events.
    ///
    /// # Errors
    /// If its file can't be written.
    pub fn add(&mut self, location: Location) -> io::Result<()> {
        let Location { number, name, process, events } = location;
        let events = events.finish()?;
        let record = Record::new(kind::LOCATION).long(number).number(name).byte(CPU_THREAD);
        self.threads.push(record.long(events).number(process));
        Ok(())
    }

    /// Writes definitions and anchor: all events are between `begin` and `end`, which is at `real_ns` by the clock of
    /// the day.
    ///
    /// # Errors
    /// If a file can't be written.
    pub fn finish(mut self, begin: u64, end: u64, real_ns: u64) -> io::Result<()> {
        let locations = self.threads.len() as u64;
        for (paradigm, number, locations) in std::mem::take(&mut self.teams) {
            let record = self.group(number, COMM_LOCATIONS, paradigm, &locations);
            self.threads.push(record);
        }
        let clock = Record::new(kind::CLOCK).long(1_000_000_000).long(begin);
        let clock = clock.long(end.saturating_sub(begin)).long(real_ns);
        let mut definitions = Chunks::create(&self.folder.join("traces.def"), DEFINITIONS)?;
        let mut count = 0_u64;
        for record in
            std::iter::once(&clock).chain(&self.texts).chain(&self.tree).chain(&self.threads).chain(&self.code)
        {
            definitions.define(&record.bytes())?;
            count += 1;
        }
        definitions.finish()?;
        let mut anchor = vec![HEADER, LITTLE_ENDIAN];
        anchor.extend(b"OTF2\0");
        anchor.extend([ANCHOR_FORMAT, TRACE_FORMAT]);
        anchor.extend(VERSION);
        anchor.extend((EVENTS as u64).to_le_bytes());
        anchor.extend((DEFINITIONS as u64).to_le_bytes());
        anchor.extend(FILES);
        anchor.extend(locations.to_le_bytes());
        anchor.extend(count.to_le_bytes());
        // Machine, creator, description, and no properties.
        anchor.extend(b"\0ora\0\0");
        anchor.extend(0_u32.to_le_bytes());
        // An identifier, and no snapshots or thumbnails.
        anchor.extend((real_ns ^ end).to_le_bytes());
        anchor.extend([0; 8]);
        anchor.extend([END_OF_FILE, END_OF_BUFFER]);
        fs::write(self.folder.join("traces.otf2"), anchor)
    }
}

fn next(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NONE)
}
