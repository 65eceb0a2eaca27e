use pinocchio::Address;
use solana_address::address_eq;

use super::{config::NOBODY, seeds, Header, Kind, Listing, Mandate, Nonce, Terms, I64, U16, U64};
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

/// Statuses in the order a task can pass them.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum TaskStatus {
    Listed,
    InProgress,
    Completed,
    Cancelled,
    Reclaimed,
}

/// Work of up to four agents, one after the other, whose budget is locked in its vault.
#[repr(C)]
pub struct Task {
    header: Header,
    status: u8,
    /// Canonical bump of the vault's address.
    pub vault_bump: u8,
    pub num_legs: u8,
    /// Bit i: leg i has an agent, also once it is completed.
    assigned_legs: u8,
    /// Legs are completed in index order.
    pub completed_legs: u8,
    pub task_id: [u8; 16],
    pub poster: Address,
    pub funder: Address,
    /// Agent of each leg; all zero: none.
    agents: [Address; Task::MAX_LEGS as usize],
    pub max_budget: U64,
    pub paid: U64,
    pub listed_at: I64,
    pub deadline: I64,
    pub terms_hash: [u8; 32],
    /// How often a leg was given to an agent so far, with terms.
    pub formation: U16,
    pub nonce: Nonce,
    /// What the amounts count; 0: lamports.
    pub asset: u8,
    reserved: [u8; 21],
}

// SAFETY: bytes only, header first.
unsafe impl Kind for Task {
    type Tail = Terms;
    const KIND: u8 = 6;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl Listing for Task {
    const KNOWN_FLAGS: u8 = 0;
    const PERMIT: u8 = Mandate::TASKS;
    const WORD: &'static [u8] = seeds::TASK;

    #[inline(always)]
    fn lister(&self) -> &Address {
        &self.poster
    }

    #[inline(always)]
    fn funder(&self) -> &Address {
        &self.funder
    }

    #[inline(always)]
    fn asset(&self) -> u8 {
        self.asset
    }

    #[inline(always)]
    fn set_asset(&mut self, asset: u8) {
        self.asset = asset;
    }

    #[inline(always)]
    fn vault_bump(&self) -> &u8 {
        &self.vault_bump
    }

    #[inline(always)]
    fn is_listed(&self) -> bool {
        self.is(TaskStatus::Listed)
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        [TaskStatus::Completed, TaskStatus::Cancelled, TaskStatus::Reclaimed].iter().any(|end| self.is(*end))
    }

    #[inline(always)]
    fn cancel(&mut self) {
        self.become_status(TaskStatus::Cancelled);
    }
}

impl Task {
    pub const MAX_LEGS: u8 = 4;

    /// What each of `legs` legs, at least one, is paid; what the division leaves over returns to the funder.
    #[inline(always)]
    pub fn payment(max_budget: u64, legs: u8) -> u64 {
        max_budget / legs as u64
    }

    #[inline(always)]
    pub fn is(&self, status: TaskStatus) -> bool {
        self.status == status as u8
    }

    #[inline(always)]
    pub fn require(&self, status: TaskStatus) -> Checked {
        require(self.is(status), RelayError::InvalidStatus)
    }

    #[inline(always)]
    pub fn become_status(&mut self, status: TaskStatus) {
        self.status = status as u8;
    }

    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.completed_legs == self.num_legs
    }

    #[inline(always)]
    pub fn is_assigned(&self, index: u8) -> bool {
        index < self.num_legs && self.assigned_legs & (1 << index) != 0
    }

    #[inline(always)]
    pub fn assigned_count(&self) -> usize {
        self.assigned_legs.count_ones() as usize
    }

    /// Indexes of the legs that have an agent, in their order.
    #[inline(always)]
    pub fn assigned(&self) -> impl Iterator<Item = u8> + use<> {
        let legs = self.assigned_legs;
        (0..Self::MAX_LEGS).filter(move |index| legs & (1 << index) != 0)
    }

    #[inline(always)]
    pub fn has_agent(&self, agent: &Address) -> bool {
        self.agents.iter().any(|other| address_eq(other, agent))
    }

    /// Gives a leg of the task, whose index is below the number of legs, to an agent.
    #[inline(always)]
    pub fn assign(&mut self, index: u8, agent: &Address) {
        if let Some(place) = self.agents.get_mut(index as usize) {
            *place = *agent;
        }
        self.assigned_legs |= 1 << index;
        self.become_status(TaskStatus::InProgress);
    }

    /// Takes an assigned leg from its agent. Without any other the task is listed again.
    #[inline(always)]
    pub fn release(&mut self, index: u8) {
        if let Some(place) = self.agents.get_mut(index as usize) {
            *place = NOBODY;
        }
        self.assigned_legs &= !(1 << index);
        if self.assigned_legs == 0 {
            self.become_status(TaskStatus::Listed);
        }
    }
}
