use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};

use super::end_task::{end, Accounts};
use crate::{
    error::RelayError,
    state::{Config, Kind, Listing, Task, TaskLeg, TaskStatus},
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
    task.require_party(accounts.signer.address(), settings)?;
    task.require(TaskStatus::InProgress)?;
    let now = Clock::get()?.unix_timestamp;
    require(now >= task.deadline.get(), RelayError::DeadlineNotReached)?;
    require(!task.is_complete(), RelayError::LegsComplete)?;
    if terms.is_some() && task.is_assigned(task.completed_legs) {
        let leg = accounts.leg(task.completed_legs).ok_or(RelayError::InvalidLegCount)?;
        let TaskLeg { hop, .. } = TaskLeg::load(program_id, leg)?;
        // Whoever claims is paid or ruled first: anybody, the funder too, can bring that to an end.
        require(!hop.is_claimed_or_judged(), RelayError::ClaimPending)?;
    }

    end(program_id, accounts, TaskStatus::Reclaimed, DISCRIMINATOR)
}
