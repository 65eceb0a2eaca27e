//! What the moves of a leg with terms share.
use pinocchio::{AccountView, Address};
use solana_address::address_eq;

use crate::{
    error::{Checked, RelayError},
    event::Moved,
    state::{is_over, Hop, Kind, LegStatus, Listing, Terms, Turn, U16},
    verify::{self, require},
};

/// The accounts of a move.
pub struct Places<'a> {
    pub program_id: &'a Address,
    /// The package or task.
    pub listing: &'a AccountView,
    /// Of the package; the program's own address for a task.
    pub swarm: &'a AccountView,
    pub leg: &'a mut AccountView,
}

/// A leg with terms, of a listing that is under way.
pub struct Moving<'a, T: Listing> {
    pub listing_address: &'a Address,
    pub listing: &'a T,
    pub terms: &'a Terms,
    /// Legs before this number are completed.
    pub completed_legs: u8,
    pub leg_address: Address,
    pub leg: &'a mut T::Leg,
    pub turn: &'a mut Turn,
}

impl<'a, T: Listing> Moving<'a, T> {
    /// The leg that has this number: what was signed for another courier of it fits no more.
    // Not inlined, because every move asks.
    #[inline(never)]
    pub fn load(places: Places<'a>, formation: U16) -> Result<Self, RelayError> {
        let Places { program_id, listing, swarm, leg } = places;
        let listing_address = listing.address();
        let leg_address = *leg.address();
        let (fields, terms) = T::load_whole(program_id, listing)?;
        let terms = terms.ok_or(RelayError::TermsMissing)?;
        let completed_legs = fields.completed_legs(program_id, listing, swarm)?;
        let (leg, turn) = T::Leg::load_whole_mut(program_id, leg)?;
        let parent = T::parent_of_legs(listing, swarm);
        require(address_eq(leg.parent(), parent), RelayError::InvalidAccount)?;
        let turn = turn.ok_or(RelayError::InvalidAccountKind)?;
        require(turn.formation.get() == formation.get(), RelayError::FormationMismatch)?;
        Ok(Self { listing_address, listing: fields, terms, completed_legs, leg_address, leg, turn })
    }

    #[inline(always)]
    pub fn require_worker(&self, signer: &AccountView) -> Checked {
        verify::signer(signer)?;
        require(address_eq(self.leg.worker(), signer.address()), RelayError::Unauthorized)
    }

    /// The leg is the first one that is not completed.
    #[inline(always)]
    pub fn require_first(&self) -> Checked {
        require(self.leg.index() == self.completed_legs, RelayError::LegOutOfOrder)
    }

    #[inline(always)]
    pub fn require_before_deadline(&self, now: i64) -> Checked {
        require(now < self.listing.deadline(), RelayError::DeadlinePassed)
    }

    /// Whether the clock is over of a leg that is pending, accepted or carried. Accepted legs that nobody waits for have none.
    #[inline(always)]
    pub fn is_overdue(&self, claim_before: Option<i64>, now: i64) -> bool {
        if self.leg.is(LegStatus::Pending) {
            return self.turn.is_over(self.terms.handoff, now);
        }
        if self.leg.index() == self.completed_legs {
            return self.turn.is_over(self.terms.carry, now);
        }
        claim_before.is_some_and(|claimed_at| is_over(self.turn.since.get().max(claimed_at), self.terms.handoff, now))
    }

    /// When the leg before was claimed, if it is: then this leg's courier is to take over. Whoever vacates an accepted leg
    /// that could be waited for shows the leg before.
    #[inline(always)]
    pub fn claim_before(&self, program_id: &Address, before: &AccountView) -> Result<Option<i64>, RelayError> {
        let follows_first = self.leg.index() == self.completed_legs + 1;
        if !follows_first || !self.leg.is(LegStatus::Accepted) {
            return Ok(None);
        }
        // Two accounts of one kind are read and written: they must not be one.
        require(!address_eq(before.address(), &self.leg_address), RelayError::InvalidAccount)?;
        let (leg, turn) = T::Leg::load_whole(program_id, before)?;
        let precedes = address_eq(leg.parent(), self.leg.parent()) && leg.index() == self.completed_legs;
        require(precedes, RelayError::InvalidAccount)?;
        Ok(turn.filter(|_| leg.is(LegStatus::Claimed)).map(|turn| turn.since.get()))
    }

    #[inline(always)]
    pub fn become_status(&mut self, status: LegStatus, now: i64) {
        self.leg.set_status(status);
        self.turn.since.set(now);
    }

    /// The event of a move, with what only that move has to say.
    #[inline(always)]
    pub fn moved<D>(&self, discriminator: u8, detail: D) -> Moved<D> {
        Moved {
            discriminator,
            listing: *self.listing_address,
            leg: self.leg_address,
            worker: *self.leg.worker(),
            index: self.leg.index(),
            formation: self.turn.formation,
            detail,
        }
    }
}
