//! Seeds of every address the program derives, and their derivation.
use pinocchio::{AccountView, Address};
use solana_address::address_eq;

use crate::{
    error::{Checked, RelayError},
    verify,
};

pub const CONFIG: &[u8] = b"config";
pub const PACKAGE: &[u8] = b"package";
pub const VAULT: &[u8] = b"vault";
pub const SWARM: &[u8] = b"swarm";
pub const LEG: &[u8] = b"leg";
pub const REPUTATION: &[u8] = b"reputation";
pub const TASK: &[u8] = b"task";
pub const TASK_LEG: &[u8] = b"task_leg";
pub const ASSET: &[u8] = b"asset";
pub const LOCKER: &[u8] = b"locker";
pub const MANDATE: &[u8] = b"mandate";

/// The account stands at the canonical address of these seeds; returns the bump of that address. Creation derives the
/// bump itself: one that was passed in would allow a second account for the same seeds.
#[inline(always)]
pub fn canonical<const N: usize>(
    account: &AccountView,
    seeds: &[&[u8]; N],
    program_id: &Address,
) -> Result<u8, RelayError> {
    let (address, bump) = Address::derive_program_address(seeds, program_id).ok_or(RelayError::InvalidAccount)?;
    verify::require(address_eq(account.address(), &address), RelayError::InvalidAccount)?;
    Ok(bump)
}

/// The canonical address of these seeds, and its bump.
// Not inlined: what asks this is not asked often, and the search is large.
#[inline(never)]
pub fn derived(seeds: &[&[u8]; 2], program_id: &Address) -> Result<(Address, u8), RelayError> {
    Address::derive_program_address(seeds, program_id).ok_or(RelayError::InvalidAccount)
}

/// The account is the vault of this package or task. The bump is the canonical one, stored when it was listed.
// Not inlined, because many instructions ask.
#[inline(never)]
pub fn vault(account: &AccountView, listing: &Address, bump: u8, program_id: &Address) -> Checked {
    let address = Address::derive_address(&[VAULT, listing.as_ref()], Some(bump), program_id);
    verify::address(account, &address)
}
