use pinocchio::Address;
use solana_address::address_eq;

use super::{Header, Hop, Kind, LegStatus, Turn, I64, U64};
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

/// One part of a task, given to an agent.
#[repr(C)]
pub struct TaskLeg {
    header: Header,
    status: u8,
    pub index: u8,
    pub task: Address,
    pub agent: Address,
    /// Receives the rent of the leg when it closes.
    pub rent_payer: Address,
    pub payment_lamports: U64,
    /// All zero: not yet.
    result_hash: [u8; 32],
    /// Unix seconds; 0: not yet.
    completed_at: I64,
}

// SAFETY: bytes only, header first.
unsafe impl Kind for TaskLeg {
    type Tail = Turn;
    const KIND: u8 = 7;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl Hop for TaskLeg {
    #[inline(always)]
    fn parent(&self) -> &Address {
        &self.task
    }

    #[inline(always)]
    fn index(&self) -> u8 {
        self.index
    }

    #[inline(always)]
    fn worker(&self) -> &Address {
        &self.agent
    }

    #[inline(always)]
    fn status(&self) -> u8 {
        self.status
    }

    #[inline(always)]
    fn set_status(&mut self, status: LegStatus) {
        self.status = status as u8;
    }
}

impl TaskLeg {
    #[inline(always)]
    pub fn require_of(&self, task: &Address) -> Checked {
        require(address_eq(&self.task, task), RelayError::InvalidAccount)
    }

    #[inline(always)]
    pub fn complete(&mut self, result_hash: &[u8; 32], now: i64) {
        self.set_status(LegStatus::Completed);
        self.result_hash = *result_hash;
        self.completed_at.set(now);
    }
}
