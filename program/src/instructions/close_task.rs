use pinocchio::{AccountView, Address, ProgramResult};

use super::listing;
use crate::state::Task;

pub const DISCRIMINATOR: u8 = 23;

/// Gives up the data of a task that is over, and returns its rent to the funder. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    listing::close::<Task>(program_id, accounts, data, DISCRIMINATOR)
}
