use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};

use super::end_task::{end, Accounts};
use crate::{
    error::RelayError,
    state::{Config, Hop, Kind, LegStatus, Listing, Task, TaskLeg, TaskStatus},
    verify::{require, Arguments},
};

pub const DISCRIMINATOR: u8 = 22;

/// Ends a task that was not completed in time; with terms not while a claim, a dispute or a ruling is open. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let accounts = Accounts::checked(accounts)?;
    <()>::read(data)?;

    let settings = Config::load(program_id, accounts.config)?;
    let (task, terms) = Task::load_whole(program_id, accounts.task)?;
    task.require_party(accounts.signer.address(), settings, &accounts.behind(program_id))?;
    task.require(TaskStatus::InProgress)?;
    let first = if terms.is_some() { first_open_leg(program_id, &accounts, task)? } else { None };
    // Nobody has posted a stake and begun to work, so the escrow need not wait for somebody who never does.
    let is_untouched =
        task.completed_legs == 0 && first.is_some_and(|leg| leg.is(LegStatus::Pending) || leg.is(LegStatus::Vacant));
    let at_once = is_untouched && !settings.is_coordinator(accounts.signer.address());
    let now = Clock::get()?.unix_timestamp;
    require(at_once || now >= task.deadline.get(), RelayError::DeadlineNotReached)?;
    require(!task.is_complete(), RelayError::LegsComplete)?;
    // A claim is paid or ruled first. Anybody can bring that about once its clock ends, the funder too.
    require(!first.is_some_and(Hop::is_claimed_or_judged), RelayError::ClaimPending)?;

    end(program_id, accounts, TaskStatus::Reclaimed, DISCRIMINATOR)
}

/// The first leg that is not completed, if an agent has it. It may be another task's, which [`end`] refuses.
#[inline(always)]
fn first_open_leg<'a>(
    program_id: &Address,
    accounts: &'a Accounts,
    task: &Task,
) -> Result<Option<&'a Hop>, RelayError> {
    if !task.is_assigned(task.completed_legs) {
        return Ok(None);
    }
    let leg = accounts.leg(task.completed_legs).ok_or(RelayError::InvalidLegCount)?;
    Ok(Some(&TaskLeg::load(program_id, leg)?.hop))
}
