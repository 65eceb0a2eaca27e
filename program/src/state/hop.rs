use pinocchio::Address;
use solana_address::address_eq;

use super::Header;
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

/// Statuses of a leg, of a package or of a task. Without terms there are the first two only.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum LegStatus {
    Pending,
    Completed,
    Accepted,
    Carried,
    Claimed,
    Disputed,
    Ruled,
    Vacant,
}

/// What a leg of a package and a leg of a task begin with.
#[repr(C)]
pub struct Hop {
    pub header: Header,
    status: u8,
    pub index: u8,
    /// The swarm or the task.
    pub parent: Address,
    /// Courier or agent.
    pub worker: Address,
}

impl Hop {
    #[inline(always)]
    pub fn is(&self, status: LegStatus) -> bool {
        self.status == status as u8
    }

    #[inline(always)]
    pub fn require(&self, status: LegStatus) -> Checked {
        require(self.is(status), RelayError::InvalidStatus)
    }

    /// Its worker says that it is done, and is not yet paid.
    #[inline(always)]
    pub fn is_claimed_or_judged(&self) -> bool {
        [LegStatus::Claimed, LegStatus::Disputed, LegStatus::Ruled].iter().any(|status| self.is(*status))
    }

    #[inline(always)]
    pub fn set_status(&mut self, status: LegStatus) {
        self.status = status as u8;
    }

    /// The leg belongs to this swarm or task.
    // Not inlined, because whatever reads a leg asks.
    #[inline(never)]
    pub fn require_of(&self, parent: &Address) -> Checked {
        require(address_eq(&self.parent, parent), RelayError::InvalidAccount)
    }
}
