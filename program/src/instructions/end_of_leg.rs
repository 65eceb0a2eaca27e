//! When a leg with terms ends, and what its courier is due.
use pinocchio::Address;
use solana_address::address_eq;

use crate::{
    error::{Checked, RelayError},
    math,
    state::{Hop, Leg, LegStatus, Package, Terms, Turn},
    verify::require,
};

/// A leg with terms that somebody wants to confirm.
pub struct EndOfLeg<'a> {
    pub signer: &'a Address,
    pub now: i64,
    pub package: &'a Package,
    pub terms: &'a Terms,
    pub leg: &'a Leg,
    pub turn: &'a Turn,
    /// The leg after it; none after the final one.
    pub next: Option<(&'a Leg, &'a Turn)>,
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
    /// What is due if the signer may end the leg now, by a signature that is about the leg's courier of today.
    #[inline(always)]
    pub fn due(&self, formation: u16) -> Result<Due, RelayError> {
        let taker = self.next.filter(|(next, _)| self.is_taken_over_by(next));
        if taker.is_none() {
            self.require_received_or_ripe()?;
        }
        // Who takes over says from whom and as which courier: a replacement of either of the two has a larger number.
        let own = self.turn.formation.get();
        let number = taker.map_or(own, |(_, turn)| own.max(turn.formation.get()));
        require(number == formation, RelayError::FormationMismatch)?;

        let agreed = self.leg.payment_lamports.get();
        let is_ruled = self.leg.is(LegStatus::Ruled);
        Ok(Due {
            payment: if is_ruled { math::share(agreed, self.turn.percent) } else { agreed },
            // A ruling has divided the stakes already.
            stake: if is_ruled { 0 } else { self.terms.stake.get() },
            is_taken_over: taker.is_some(),
        })
    }

    /// Before the deadline the signature of the next courier, once it has accepted, says that it has the parcel now.
    #[inline(always)]
    fn is_taken_over_by(&self, next: &Leg) -> bool {
        address_eq(&next.courier, self.signer)
            && next.is(LegStatus::Accepted)
            && self.now < self.package.deadline.get()
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
        let Some((next, _)) = self.next else {
            require(is_received, RelayError::UnauthorizedRecipient)?;
            let has_stake = is_claimed || self.leg.is(LegStatus::Carried) || self.leg.is(LegStatus::Accepted);
            return require(has_stake, RelayError::InvalidStatus);
        };
        require(address_eq(&next.courier, self.signer), RelayError::UnauthorizedRecipient)?;
        let is_handed_over = self.leg.is(LegStatus::Carried) && next.is(LegStatus::Accepted);
        require(is_handed_over, RelayError::InvalidStatus)?;
        Err(RelayError::DeadlinePassed)
    }

    #[inline(always)]
    fn is_signed_by_receiver(&self) -> bool {
        address_eq(&self.package.shipper, self.signer) || self.terms.is_receiver(self.signer)
    }
}
