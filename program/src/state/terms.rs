use pinocchio::Address;
use solana_address::address_eq;

use super::{config::NOBODY, Config, U32, U64};
use crate::{
    error::{Checked, RelayError},
    verify::{require, Arguments},
};

/// Every clock of terms, in seconds.
const SHORTEST_CLOCK: u32 = 300;
const LONGEST_CLOCK: u32 = 30 * 24 * 60 * 60;
/// Bit of the flags: the lister signs the first pickup too.
const LISTER_SIGNS_PICKUP: u8 = 1;

/// What binds both sides of a package or task; never changed.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Terms {
    /// Confirms and disputes in the lister's place; all zero: nobody.
    pub receiver: Address,
    pub arbiter: Address,
    /// Lamports of each side of a disputed leg.
    pub stake: U64,
    /// From the turn of a leg to its pickup, and from pickup to handoff or claim.
    pub carry: U32,
    /// To accept a leg, and to take over from a courier who claims to be there.
    pub handoff: U32,
    /// To contradict a claim.
    pub review: U32,
    /// To rule a dispute.
    pub arbitration: U32,
    flags: u8,
}

// SAFETY: bytes only.
unsafe impl Arguments for Terms {}

/// Who lists, and what stake is possible.
pub struct Listed<'a> {
    pub lister: &'a Address,
    pub funder: &'a Address,
    pub config: &'a Config,
    /// Flags that mean something for what is listed.
    pub known_flags: u8,
    /// Half a stake must be able to open a wallet.
    pub min_stake: u64,
    pub max_budget: u64,
}

impl Terms {
    /// Flags of packages; a task has no pickup.
    pub const PACKAGE_FLAGS: u8 = LISTER_SIGNS_PICKUP;

    #[inline(always)]
    pub fn lister_signs_pickup(&self) -> bool {
        self.flags & LISTER_SIGNS_PICKUP != 0
    }

    #[inline(always)]
    pub fn is_receiver(&self, address: &Address) -> bool {
        address_eq(&self.receiver, address) && !address_eq(address, &NOBODY)
    }

    /// Who rules or receives carries nothing.
    #[inline(always)]
    pub fn names(&self, address: &Address) -> bool {
        address_eq(&self.arbiter, address) || address_eq(&self.receiver, address)
    }

    #[inline(always)]
    pub fn require_valid(&self, listed: &Listed) -> Checked {
        let arbiter = &self.arbiter;
        let arbiter_is_apart =
            ![listed.lister, listed.funder, &self.receiver, &NOBODY].iter().any(|other| address_eq(other, arbiter))
                && !listed.config.is_coordinator(arbiter);
        let clocks = [self.carry, self.handoff, self.review, self.arbitration];
        let clocks_run = clocks.iter().all(|clock| (SHORTEST_CLOCK..=LONGEST_CLOCK).contains(&clock.get()));
        let stake = self.stake.get();
        let allowed = arbiter_is_apart
            && !listed.config.is_coordinator(&self.receiver)
            && clocks_run
            && stake >= listed.min_stake
            && stake <= listed.max_budget
            && self.flags & !listed.known_flags == 0;
        require(allowed, RelayError::InvalidTerms)
    }
}
