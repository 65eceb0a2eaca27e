//! What settle_task and reclaim_task share.
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

use crate::{
    close::close_account,
    error::RelayError,
    event::{Ended, Event},
    rent::Rent,
    stake,
    state::{Behind, Kind, LegStatus, Task, TaskLeg, TaskStatus, SOL, U64},
    tokens::Ending,
    vault,
    verify::{self, require},
};

/// The accounts of settle_task and reclaim_task.
pub struct Accounts<'a> {
    pub signer: &'a mut AccountView,
    pub config: &'a mut AccountView,
    pub task: &'a mut AccountView,
    vault: &'a mut AccountView,
    funder: &'a mut AccountView,
    /// Exactly the assigned legs in index order, each with its rent payer: another coordinator may have assigned it. Then the
    /// agent of an accepted leg, and behind it what tokens need.
    legs: &'a mut [AccountView],
}

impl<'a> Accounts<'a> {
    /// The leg of this index, when all before it are assigned. Whether it is one of the task's own, [`end`] finds.
    #[inline(always)]
    pub fn leg(&self, index: u8) -> Option<&AccountView> {
        self.legs.get(2 * index as usize)
    }

    #[inline(always)]
    pub fn behind(&'a self, program_id: &'a Address) -> Behind<'a> {
        Behind { program_id, funder: self.funder }
    }

    /// The accounts, with the checks that need no rule of the one or the other.
    #[inline(always)]
    pub fn checked(accounts: &'a mut [AccountView]) -> Result<Self, ProgramError> {
        let [signer, config, task, vault, funder, system_program, legs @ ..] = accounts else {
            return Err(RelayError::NotEnoughAccounts.into());
        };
        verify::signer(signer)?;
        verify::writable(vault)?;
        verify::system_program(system_program)?;
        Ok(Self { signer, config, task, vault, funder, legs })
    }
}

/// Returns the vault to the funder and the stake of an agent who has not claimed to it, closes the legs to their rent payers,
/// and ends the task. What a wallet cannot receive goes to the funder.
// Not inlined, because two instructions end with it.
#[inline(never)]
pub fn end(program_id: &Address, accounts: Accounts, ending: TaskStatus, discriminator: u8) -> ProgramResult {
    let Accounts { task, vault, funder, legs, .. } = accounts;
    let address = *task.address();
    let (fields, terms) = Task::load_whole_mut(program_id, task)?;
    let (pairs, agents) = legs.split_at_mut_checked(2 * fields.assigned_count()).ok_or(RelayError::InvalidLegCount)?;
    let (pairs, _) = pairs.as_chunks_mut::<2>();
    let mut waiting = agents.iter();
    let mut assigned = fields.assigned();
    for [leg, rent_payer] in pairs.iter() {
        verify::writable(leg)?;
        let closed = TaskLeg::load(program_id, leg)?;
        closed.hop.require_of(&address)?;
        require(assigned.next() == Some(closed.hop.index), RelayError::LegOutOfOrder)?;
        if closed.hop.is(LegStatus::Accepted) {
            let agent = waiting.next().ok_or(RelayError::InvalidLegCount)?;
            verify::address(agent, &closed.hop.worker)?;
            verify::writable(agent)?;
        }
        verify::address(rent_payer, &closed.rent_payer)?;
        verify::writable(rent_payer)?;
    }
    let accounts = waiting.as_slice();

    fields.become_status(ending);
    let refund = if fields.asset == SOL {
        require(accounts.is_empty(), RelayError::InvalidLegCount)?;
        let refund = vault::refund(program_id, &address, fields, vault, funder)?;
        // With terms only the last assigned leg can be accepted.
        if let (Some(terms), [agent], Some([leg, _])) = (terms, agents, pairs.last_mut()) {
            stake::pay_out(leg, agent, funder, terms.stake.get(), &Rent::get()?)?;
        }
        refund
    } else {
        let agents = agents.get(..agents.len().wrapping_sub(accounts.len())).unwrap_or_default();
        let stake = terms.map_or(0, |terms| terms.stake.get());
        Ending { waiting: agents, stake, ..Ending::of(program_id, &address, fields, accounts) }.end(vault, funder)?
    };
    for [leg, rent_payer] in pairs {
        // An exit must not depend on a coordinator's account: rent it cannot receive goes to the funder.
        close_account(leg, if rent_payer.executable() { funder } else { rent_payer })?;
    }

    Ended { discriminator, listing: address, paid_lamports: fields.paid, refund_lamports: U64::new(refund) }.emit();
    Ok(())
}
