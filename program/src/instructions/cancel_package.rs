use pinocchio::{AccountView, Address, ProgramResult};

use super::listing;
use crate::state::Package;

pub const DISCRIMINATOR: u8 = 4;

/// Withdraws a listed package; the whole vault returns to the funder. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    listing::cancel::<Package>(program_id, accounts, data, DISCRIMINATOR)
}
