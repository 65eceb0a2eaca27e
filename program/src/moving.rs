//! What the moves of a leg with terms share.
use pinocchio::{AccountView, Address};
use solana_address::address_eq;

use crate::{
    error::{Checked, RelayError},
    event::Moved,
    state::{
        is_over, Hop, Kind, Leg, LegStatus, Nonce, Package, PackageStatus, Swarm, Task, TaskLeg, TaskStatus, Terms,
        Turn, U16,
    },
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

/// A leg with terms, of a package or task that is under way.
pub struct Moving<'a> {
    pub listing_address: &'a Address,
    pub lister: &'a Address,
    pub vault_bump: u8,
    pub nonce: &'a Nonce,
    pub asset: u8,
    deadline: i64,
    pub terms: &'a Terms,
    /// Legs before this number are completed.
    completed_legs: u8,
    pub leg_address: Address,
    pub leg: &'a mut Hop,
    pub turn: &'a mut Turn,
    /// Of a leg of a task, which is worked on; a leg of a package is carried.
    pub result_hash: Option<&'a mut [u8; 32]>,
}

impl<'a> Moving<'a> {
    /// The leg that has this number: what was signed for another courier of it fits no more.
    // Not inlined, because every move asks.
    #[inline(never)]
    pub fn load(places: Places<'a>, formation: U16) -> Result<Self, RelayError> {
        let moving = if Task::is_named_by(places.listing) { Self::of_task(places) } else { Self::of_package(places) }?;
        require(moving.turn.formation.get() == formation.get(), RelayError::FormationMismatch)?;
        Ok(moving)
    }

    #[inline(always)]
    fn of_package(places: Places<'a>) -> Result<Self, RelayError> {
        let Places { program_id, listing, swarm, leg } = places;
        let leg_address = *leg.address();
        let (package, terms) = Package::load_whole(program_id, listing)?;
        let terms = terms.ok_or(RelayError::TermsMissing)?;
        package.require(PackageStatus::InTransit)?;
        let formed = Swarm::load(program_id, swarm)?;
        formed.require_of(listing)?;
        let (Leg { hop, .. }, turn) = Leg::load_whole_mut(program_id, leg)?;
        hop.require_of(swarm.address())?;
        Ok(Self {
            listing_address: listing.address(),
            lister: &package.shipper,
            vault_bump: package.vault_bump,
            nonce: &package.nonce,
            asset: package.asset,
            deadline: package.deadline.get(),
            terms,
            completed_legs: formed.completed_legs,
            leg_address,
            leg: hop,
            turn: turn.ok_or(RelayError::InvalidAccountKind)?,
            result_hash: None,
        })
    }

    #[inline(always)]
    fn of_task(places: Places<'a>) -> Result<Self, RelayError> {
        let Places { program_id, listing, swarm, leg } = places;
        let leg_address = *leg.address();
        let (task, terms) = Task::load_whole(program_id, listing)?;
        let terms = terms.ok_or(RelayError::TermsMissing)?;
        task.require(TaskStatus::InProgress)?;
        verify::address(swarm, program_id)?;
        let (TaskLeg { hop, result_hash, .. }, turn) = TaskLeg::load_whole_mut(program_id, leg)?;
        hop.require_of(listing.address())?;
        Ok(Self {
            listing_address: listing.address(),
            lister: &task.poster,
            vault_bump: task.vault_bump,
            nonce: &task.nonce,
            asset: task.asset,
            deadline: task.deadline.get(),
            terms,
            completed_legs: task.completed_legs,
            leg_address,
            leg: hop,
            turn: turn.ok_or(RelayError::InvalidAccountKind)?,
            result_hash: Some(result_hash),
        })
    }

    #[inline(always)]
    pub fn is_of_task(&self) -> bool {
        self.result_hash.is_some()
    }

    #[inline(always)]
    pub fn require_worker(&self, signer: &AccountView) -> Checked {
        verify::signer(signer)?;
        require(address_eq(&self.leg.worker, signer.address()), RelayError::Unauthorized)
    }

    /// The leg is the first one that is not completed.
    #[inline(always)]
    pub fn require_first(&self) -> Checked {
        require(self.leg.index == self.completed_legs, RelayError::LegOutOfOrder)
    }

    #[inline(always)]
    pub fn require_before_deadline(&self, now: i64) -> Checked {
        require(now < self.deadline, RelayError::DeadlinePassed)
    }

    /// Whether the clock is over of a leg that is pending, accepted or carried. Accepted legs that nobody waits for have none.
    #[inline(always)]
    pub fn is_overdue(&self, claim_before: Option<i64>, now: i64) -> bool {
        if self.leg.is(LegStatus::Pending) {
            return self.turn.is_over(self.terms.handoff, now);
        }
        if self.leg.index == self.completed_legs {
            return self.turn.is_over(self.terms.carry, now);
        }
        claim_before.is_some_and(|claimed_at| is_over(self.turn.since.get().max(claimed_at), self.terms.handoff, now))
    }

    /// When the leg before was claimed, if it is: then this leg's courier is to take over. Whoever vacates an accepted leg
    /// that could be waited for shows the leg before. A task has no such leg: it gives one leg away at a time.
    #[inline(always)]
    pub fn claim_before(&self, program_id: &Address, before: &AccountView) -> Result<Option<i64>, RelayError> {
        let follows_first = self.leg.index == self.completed_legs + 1;
        if !follows_first || !self.leg.is(LegStatus::Accepted) {
            return Ok(None);
        }
        // Two accounts of one kind are read and written: they must not be one.
        require(!address_eq(before.address(), &self.leg_address), RelayError::InvalidAccount)?;
        let (Leg { hop, .. }, turn) = Leg::load_whole(program_id, before)?;
        hop.require_of(&self.leg.parent)?;
        require(hop.index == self.completed_legs, RelayError::InvalidAccount)?;
        Ok(turn.filter(|_| hop.is(LegStatus::Claimed)).map(|turn| turn.since.get()))
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
            worker: self.leg.worker,
            index: self.leg.index,
            formation: self.turn.formation,
            detail,
        }
    }
}
