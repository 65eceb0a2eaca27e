use pinocchio::Address;

use super::{Header, Hop, Kind, LegStatus, Turn, I64, U64};

/// One part of a task, given to an agent.
#[repr(C)]
pub struct TaskLeg {
    pub hop: Hop,
    /// Receives the rent of the leg when it closes.
    pub rent_payer: Address,
    pub payment_lamports: U64,
    /// All zero: not yet; with terms, what the agent claimed.
    pub result_hash: [u8; 32],
    /// Unix seconds; 0: not yet.
    completed_at: I64,
}

// SAFETY: bytes only, header first.
unsafe impl Kind for TaskLeg {
    type Tail = Turn;
    const KIND: u8 = 7;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.hop.header
    }
}

impl TaskLeg {
    #[inline(always)]
    pub fn complete(&mut self, result_hash: &[u8; 32], now: i64) {
        self.hop.set_status(LegStatus::Completed);
        self.result_hash = *result_hash;
        self.completed_at.set(now);
    }
}
