use pinocchio::{
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};

use super::end_task::{end, Accounts};
use crate::{
    error::RelayError,
    state::{Config, Kind, Listing, Task, TaskStatus},
    verify::{require, Arguments},
};

pub const DISCRIMINATOR: u8 = 22;

/// Ends a task that was not completed in time. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let accounts = Accounts::checked(accounts)?;
    <()>::read(data)?;

    let settings = Config::load(program_id, accounts.config)?;
    let task = Task::load(program_id, accounts.task)?;
    task.require_party(accounts.signer.address(), settings)?;
    task.require(TaskStatus::InProgress)?;
    let now = Clock::get()?.unix_timestamp;
    require(now >= task.deadline.get(), RelayError::DeadlineNotReached)?;
    require(!task.is_complete(), RelayError::LegsComplete)?;

    end(program_id, accounts, TaskStatus::Reclaimed, DISCRIMINATOR)
}
