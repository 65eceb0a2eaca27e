use pinocchio::{AccountView, Address, ProgramResult};

use super::listing;
use crate::state::Task;

pub const DISCRIMINATOR: u8 = 21;

/// Withdraws a listed task; the whole vault returns to the funder. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    listing::cancel::<Task>(program_id, accounts, data, DISCRIMINATOR)
}
