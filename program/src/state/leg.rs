use super::{Header, Hop, Kind, LegStatus, Turn, I64, U64};

/// One hop of a swarm.
#[repr(C)]
pub struct Leg {
    pub hop: Hop,
    pub payment_lamports: U64,
    /// Unix seconds; 0: not yet.
    pub completed_at: I64,
}

// SAFETY: bytes only, header first.
unsafe impl Kind for Leg {
    type Tail = Turn;
    const KIND: u8 = 4;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.hop.header
    }
}

impl Leg {
    #[inline(always)]
    pub fn complete(&mut self, now: i64) {
        self.hop.set_status(LegStatus::Completed);
        self.completed_at.set(now);
    }
}
