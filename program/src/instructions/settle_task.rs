use pinocchio::{AccountView, Address, ProgramResult};

use super::end_task::{end, Accounts};
use crate::{
    error::RelayError,
    state::{Config, Kind, Listing, Task, TaskStatus},
    verify::{require, Arguments},
};

pub const DISCRIMINATOR: u8 = 20;

/// Ends a task whose legs are all completed. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let accounts = Accounts::checked(accounts)?;
    <()>::read(data)?;

    let settings = Config::load(program_id, accounts.config)?;
    let task = Task::load(program_id, accounts.task)?;
    task.require_manager(accounts.signer.address(), settings, &accounts.behind(program_id))?;
    task.require(TaskStatus::InProgress)?;
    require(task.is_complete(), RelayError::LegsIncomplete)?;

    end(program_id, accounts, TaskStatus::Completed, DISCRIMINATOR)
}
