use pinocchio::{AccountView, Address};
use solana_address::address_eq;

use super::{Header, Hop, Kind, LegStatus, Turn, I64, U64};
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

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
    type Tail = Turn;
    const KIND: u8 = 4;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl Hop for Leg {
    #[inline(always)]
    fn parent(&self) -> &Address {
        &self.swarm
    }

    #[inline(always)]
    fn index(&self) -> u8 {
        self.index
    }

    #[inline(always)]
    fn worker(&self) -> &Address {
        &self.courier
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

impl Leg {
    #[inline(always)]
    pub fn require_of(&self, swarm: &AccountView) -> Checked {
        require(address_eq(&self.swarm, swarm.address()), RelayError::InvalidAccount)
    }

    #[inline(always)]
    pub fn complete(&mut self, now: i64) {
        self.set_status(LegStatus::Completed);
        self.completed_at.set(now);
    }
}
