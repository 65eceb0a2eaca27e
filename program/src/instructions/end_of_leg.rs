//! When a leg with terms ends, and what its courier is due.
use pinocchio::{error::ProgramError, AccountView, Address};
use solana_address::address_eq;

use crate::{
    error::{Checked, RelayError},
    math,
    state::{Hop, LegStatus, Terms, Turn},
    vault,
    verify::require,
};

/// A leg with terms that somebody wants to confirm.
pub struct EndOfLeg<'a> {
    pub signer: &'a Address,
    pub now: i64,
    pub lister: &'a Address,
    /// Unix seconds.
    pub deadline: i64,
    pub terms: &'a Terms,
    pub leg: &'a Hop,
    pub turn: &'a Turn,
    /// What was agreed.
    pub payment: u64,
    /// The leg that takes the parcel over; none after the final one, and none of a task.
    pub next: Option<&'a Hop>,
}

/// What the courier of a leg that ends receives.
pub struct Due {
    pub payment: u64,
    /// Comes back to it.
    pub stake: u64,
    /// The next courier has the parcel from now on.
    pub is_taken_over: bool,
}

impl EndOfLeg<'_> {
    /// What is due if the signer may end the leg now.
    // Not inlined, because legs of packages and of tasks end with it.
    #[inline(never)]
    pub fn due(&self) -> Result<Due, RelayError> {
        let is_taken_over = self.next.is_some_and(|next| self.is_taken_over_by(next));
        if !is_taken_over {
            self.require_received_or_ripe()?;
        }
        let is_ruled = self.leg.is(LegStatus::Ruled);
        Ok(Due {
            payment: if is_ruled { math::share(self.payment, self.turn.percent) } else { self.payment },
            // A ruling has divided the stakes already.
            stake: if is_ruled { 0 } else { self.terms.stake.get() },
            is_taken_over,
        })
    }

    /// Before the deadline the signature of the next courier, once it has accepted, says that it has the parcel now.
    #[inline(always)]
    fn is_taken_over_by(&self, next: &Hop) -> bool {
        address_eq(&next.worker, self.signer)
            && next.is(LegStatus::Accepted)
            && self.now < self.deadline
            && (self.leg.is(LegStatus::Carried) || self.leg.is(LegStatus::Claimed))
    }

    /// The parcel is where it should be, or nobody said in time that it is not, or the arbiter has ruled.
    #[inline(always)]
    fn require_received_or_ripe(&self) -> Checked {
        if self.leg.is(LegStatus::Ruled) {
            return Ok(());
        }
        require(!self.leg.is(LegStatus::Disputed), RelayError::ClaimPending)?;
        let is_claimed = self.leg.is(LegStatus::Claimed);
        let is_received = self.next.is_none() && self.is_signed_by_receiver();
        if is_claimed && !is_received {
            return require(self.turn.is_over(self.terms.review, self.now), RelayError::ReviewOpen);
        }
        let Some(next) = self.next else {
            require(is_received, RelayError::UnauthorizedRecipient)?;
            let has_stake = is_claimed || self.leg.is(LegStatus::Carried) || self.leg.is(LegStatus::Accepted);
            return require(has_stake, RelayError::InvalidStatus);
        };
        require(address_eq(&next.worker, self.signer), RelayError::UnauthorizedRecipient)?;
        let is_handed_over = self.leg.is(LegStatus::Carried) && next.is(LegStatus::Accepted);
        require(is_handed_over, RelayError::InvalidStatus)?;
        Err(RelayError::DeadlinePassed)
    }

    #[inline(always)]
    fn is_signed_by_receiver(&self) -> bool {
        address_eq(self.lister, self.signer) || self.terms.is_receiver(self.signer)
    }
}

/// What the vault pays for the leg. Without terms a worker that cannot receive it gets no confirmation; with them it stays in
/// the vault, because nobody else must lose a stake by this wallet.
// Not inlined, because legs of packages and of tasks end with it.
#[inline(never)]
pub fn payable(vault: &AccountView, worker: &AccountView, due: &Due, has_terms: bool) -> Result<u64, ProgramError> {
    match vault::require_payable(vault, worker, due.payment, due.stake) {
        Err(error) if has_terms && error == RelayError::PayeeCannotReceive.into() => Ok(0),
        checked => checked.map(|()| due.payment),
    }
}
