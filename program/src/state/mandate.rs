use pinocchio::{cpi::Seed, Address};
use solana_address::address_eq;

use super::{config::NOBODY, is_over, seeds, Header, Kind, Terms, I64, U32, U64};
use crate::{
    error::{Checked, RelayError},
    verify::{require, Arguments},
};

/// Bit of the permits: nothing without terms.
const ONLY_WITH_TERMS: u8 = 4;

/// What a delegate may list with its owner's money.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Limits {
    pub asset: u8,
    /// Bits: packages, tasks, only with terms.
    permits: u8,
    /// Of each period. Of a mandate in SOL the rents of listings count, too.
    cap: U64,
    /// Seconds.
    pub period: U32,
    /// Unix seconds; 0: never.
    expires_at: I64,
    /// The longest time to a deadline, in seconds.
    max_ahead: U32,
    /// The arbiter of all terms, which a listing then must have; all zero: any.
    arbiter: Address,
}

// SAFETY: bytes only.
unsafe impl Arguments for Limits {}

/// Money that a delegate may list with, and that returns here. It lies in this account, above its rent, and in token accounts
/// whose owner this account's address is.
#[repr(C)]
pub struct Mandate {
    header: Header,
    pub limits: Limits,
    pub owner: Address,
    pub delegate: Address,
    /// When what is spent began to count, in unix seconds.
    period_start: I64,
    spent: U64,
    reserved: [u8; 19],
}

// SAFETY: bytes only, header first.
unsafe impl Kind for Mandate {
    type Tail = ();
    const KIND: u8 = 9;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

/// What a delegate wants to list.
pub struct Wish<'a> {
    /// Bit of what it is among the permits.
    pub permit: u8,
    pub asset: u8,
    pub now: i64,
    pub deadline: i64,
    pub terms: Option<&'a Terms>,
}

impl Mandate {
    /// Bits of the permits.
    pub const PACKAGES: u8 = 1;
    pub const TASKS: u8 = 2;

    /// What it signs with.
    #[inline(always)]
    pub fn seeds(&self) -> [Seed<'_>; 5] {
        let Self { header, limits, owner, delegate, .. } = self;
        [
            Seed::from(seeds::MANDATE),
            Seed::from(owner.as_ref()),
            Seed::from(delegate.as_ref()),
            Seed::from(core::slice::from_ref(&limits.asset)),
            Seed::from(core::slice::from_ref(&header.bump)),
        ]
    }

    #[inline(always)]
    pub fn require_allowed(&self, wish: &Wish) -> Checked {
        let Limits { expires_at, .. } = &self.limits;
        require(expires_at.get() == 0 || wish.now < expires_at.get(), RelayError::MandateExpired)?;
        // Whoever lists has found that the deadline lies ahead, and not far.
        let ahead = wish.deadline.wrapping_sub(wish.now);
        let allowed = self.limits.asset == wish.asset
            && self.limits.permits & wish.permit != 0
            && ahead <= self.limits.max_ahead.get() as i64
            && self.allows(wish.terms);
        require(allowed, RelayError::MandateForbids)
    }

    /// The owner pays, and so rules nothing.
    #[inline(always)]
    fn allows(&self, terms: Option<&Terms>) -> bool {
        let Limits { arbiter, permits, .. } = &self.limits;
        let is_any = address_eq(arbiter, &NOBODY);
        match terms {
            Some(terms) => !address_eq(&terms.arbiter, &self.owner) && (is_any || address_eq(&terms.arbiter, arbiter)),
            None => is_any && permits & ONLY_WITH_TERMS == 0,
        }
    }

    /// Counts an amount towards the period. What comes back is not counted back.
    #[inline(always)]
    pub fn spend(&mut self, amount: u64, now: i64) -> Checked {
        let begins = is_over(self.period_start.get(), self.limits.period, now);
        let before = if begins { 0 } else { self.spent.get() };
        let spent = before.checked_add(amount).filter(|spent| *spent <= self.limits.cap.get());
        self.spent.set(spent.ok_or(RelayError::MandateExceeded)?);
        if begins {
            self.period_start.set(now);
        }
        Ok(())
    }
}
