use pinocchio::{AccountView, Address};
use solana_address::address_eq;

use super::{Header, Kind, U16, U64};
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum SwarmStatus {
    Forming,
    Active,
}

/// The chain of couriers of one formation of a package.
#[repr(C)]
pub struct Swarm {
    header: Header,
    status: u8,
    pub formation: U16,
    pub total_legs: u8,
    pub assigned_legs: u8,
    pub completed_legs: u8,
    pub package: Address,
    /// Receives the rent of the swarm and its legs when they close.
    pub rent_payer: Address,
    pub total_lamports: U64,
    pub assigned_lamports: U64,
    pub paid_lamports: U64,
    /// Courier of the leg assigned last; all zero: none yet.
    pub last_courier: Address,
}

// SAFETY: bytes only, header first.
unsafe impl Kind for Swarm {
    type Tail = ();
    const KIND: u8 = 3;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl Swarm {
    /// Couriers in one swarm at most: eight would not fit one transaction with their formation.
    pub const MAX_LEGS: u8 = 7;

    #[inline(always)]
    pub fn is(&self, status: SwarmStatus) -> bool {
        self.status == status as u8
    }

    #[inline(always)]
    pub fn require(&self, status: SwarmStatus) -> Checked {
        require(self.is(status), RelayError::InvalidStatus)
    }

    #[inline(always)]
    pub fn become_active(&mut self) {
        self.status = SwarmStatus::Active as u8;
    }

    #[inline(always)]
    pub fn require_of(&self, package: &AccountView) -> Checked {
        require(address_eq(&self.package, package.address()), RelayError::InvalidAccount)
    }

    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.completed_legs == self.total_legs
    }
}
