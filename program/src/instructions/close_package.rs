use pinocchio::{AccountView, Address, ProgramResult};

use super::listing;
use crate::state::Package;

pub const DISCRIMINATOR: u8 = 11;

/// Gives up the data of a package that is over, and returns its rent to the funder. Open while paused.
///
/// A new package at the same address would start with the first formation, and confirmations that were signed for this
/// one would pay that one's couriers.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    listing::close::<Package>(program_id, accounts, data, DISCRIMINATOR)
}
