use pinocchio::{AccountView, Address};
use solana_address::address_eq;

use super::{Header, Kind, I64, U64};
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

/// Status of a completed leg, of a package or of a task; 0 is a pending one.
pub const COMPLETED: u8 = 1;

/// One hop of a swarm.
#[repr(C)]
pub struct Leg {
    header: Header,
    status: u8,
    pub index: u8,
    pub swarm: Address,
    pub courier: Address,
    pub payment_lamports: U64,
    /// Unix seconds; 0: not yet.
    pub completed_at: I64,
}

// SAFETY: bytes only, header first.
unsafe impl Kind for Leg {
    const KIND: u8 = 4;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl Leg {
    #[inline(always)]
    pub fn require_of(&self, swarm: &AccountView) -> Checked {
        require(address_eq(&self.swarm, swarm.address()), RelayError::InvalidAccount)
    }

    #[inline(always)]
    pub fn complete(&mut self, now: i64) {
        self.status = COMPLETED;
        self.completed_at.set(now);
    }
}
