//! Field numbers, as published by Perfetto.

/// `Trace` and `TracePacket`.
pub(super) mod packet {
    pub(in super::super) const IN_TRACE: u64 = 1;
    pub(in super::super) const TIME: u64 = 8;
    pub(in super::super) const SEQUENCE: u64 = 10;
    pub(in super::super) const EVENT: u64 = 11;
    pub(in super::super) const INTERNED: u64 = 12;
    pub(in super::super) const FLAGS: u64 = 13;
    pub(in super::super) const TRACK: u64 = 60;
    pub(in super::super) const SAMPLE: u64 = 66;
}

/// `PerfSample`.
pub(super) mod sample {
    pub(in super::super) const PID: u64 = 2;
    pub(in super::super) const TID: u64 = 3;
    pub(in super::super) const CALLSTACK: u64 = 4;
    pub(in super::super) const MODE: u64 = 5;
    /// `MODE_USER`.
    pub(in super::super) const USER: u64 = 2;
}

/// `TrackDescriptor`.
pub(super) mod descriptor {
    pub(in super::super) const UUID: u64 = 1;
    pub(in super::super) const NAME: u64 = 2;
    pub(in super::super) const PROCESS: u64 = 3;
    pub(in super::super) const THREAD: u64 = 4;
    pub(in super::super) const PARENT: u64 = 5;
    pub(in super::super) const COUNTER: u64 = 8;
}

/// `ProcessDescriptor`.
pub(super) mod process {
    pub(in super::super) const PID: u64 = 1;
    pub(in super::super) const COMMAND: u64 = 2;
    pub(in super::super) const NAME: u64 = 6;
}

/// `ThreadDescriptor`.
pub(super) mod thread {
    pub(in super::super) const PID: u64 = 1;
    pub(in super::super) const TID: u64 = 2;
    pub(in super::super) const NAME: u64 = 5;
}

/// `CounterDescriptor`.
pub(super) mod counter {
    pub(in super::super) const UNIT: u64 = 3;
    /// `UNIT_COUNT`.
    pub(in super::super) const COUNT: u64 = 2;
}

/// `TrackEvent`.
pub(super) mod event {
    pub(in super::super) const CATEGORY: u64 = 3;
    pub(in super::super) const TYPE: u64 = 9;
    pub(in super::super) const NAME: u64 = 10;
    pub(in super::super) const TRACK: u64 = 11;
    pub(in super::super) const COUNTER_VALUE: u64 = 30;
    pub(in super::super) const PLACE: u64 = 34;
    pub(in super::super) const FLOW: u64 = 47;
    pub(in super::super) const FLOW_END: u64 = 48;
}

/// `TrackEvent.Type`.
pub(super) mod event_type {
    pub(in super::super) const BEGIN: u64 = 1;
    pub(in super::super) const END: u64 = 2;
    pub(in super::super) const INSTANT: u64 = 3;
    pub(in super::super) const COUNTER: u64 = 4;
}

/// `InternedData`, and the messages in it: in each, the number comes first.
pub(super) mod interned {
    pub(in super::super) const CATEGORY: u64 = 1;
    pub(in super::super) const NAME: u64 = 2;
    pub(in super::super) const PLACE: u64 = 4;
    pub(in super::super) const NUMBER: u64 = 1;
    pub(in super::super) const TEXT: u64 = 2;
    pub(in super::super) const FUNCTION: u64 = 3;
    pub(in super::super) const LINE: u64 = 4;
    pub(in super::super) const FUNCTION_NAME: u64 = 5;
    pub(in super::super) const FRAME: u64 = 6;
    pub(in super::super) const STACK: u64 = 7;
    pub(in super::super) const MAPPING_PATH: u64 = 17;
    pub(in super::super) const SOURCE_PATH: u64 = 18;
    pub(in super::super) const MAPPING: u64 = 19;
}

/// `Frame`, after its number.
pub(super) mod frame {
    pub(in super::super) const FUNCTION: u64 = 2;
    pub(in super::super) const MAPPING: u64 = 3;
    pub(in super::super) const ADDRESS: u64 = 4;
    pub(in super::super) const SOURCE: u64 = 5;
    pub(in super::super) const LINE: u64 = 6;
}

/// `Callstack`, after its number.
pub(super) mod callstack {
    pub(in super::super) const FRAME: u64 = 2;
}

/// `Mapping`, after its number.
pub(super) mod mapping {
    pub(in super::super) const PATH: u64 = 7;
}
