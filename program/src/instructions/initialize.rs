use pinocchio::{cpi::Seed, error::ProgramError, AccountView, Address, ProgramResult};
use solana_address::address_eq;

use crate::{
    cpi::Creator,
    error::RelayError,
    event::{Event, Initialized},
    rent::Rent,
    state::{require_two_roles, seeds, Config, Kind, Version},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 0;

const UPGRADEABLE_LOADER: Address = Address::from_str_const("BPFLoaderUpgradeab1e11111111111111111111111");

#[repr(C)]
struct Args {
    authority: Address,
    coordinator: Address,
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Names the authority and the coordinator, once.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [upgrade_authority, config, program, program_data, system_program, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let args = Args::read(data)?;

    verify::signer(upgrade_authority)?;
    verify::writable(upgrade_authority)?;
    verify::writable(config)?;
    verify::system_program(system_program)?;
    verify::address(program, program_id)?;
    let recorded = recorded_upgrade_authority(program, program_data)?;
    require(address_eq(recorded, upgrade_authority.address()), RelayError::Unauthorized)?;
    require_two_roles(&args.authority, &args.coordinator)?;
    let bump = seeds::canonical(config, &[seeds::CONFIG], program_id)?;

    let signer_seeds = [Seed::from(seeds::CONFIG), Seed::from(core::slice::from_ref(&bump))];
    let creator = Creator { program_id, payer: upgrade_authority, rent: Rent::get()?, deposit: 0 };
    creator.create::<Config>(config, Version::Plain, &signer_seeds)?;
    // SAFETY: created above.
    let (fields, _) = unsafe { Config::begin(config, bump) };
    fields.authority = args.authority;
    fields.coordinator = args.coordinator;

    Initialized { discriminator: DISCRIMINATOR, authority: args.authority, coordinator: args.coordinator }.emit();
    Ok(())
}

/// The upgrade authority in the program's ProgramData account; a program that has none cannot be initialised.
///
/// The program account is the loader's tag (u32, 2) and the address of its ProgramData account; that one is a tag (u32, 3),
/// a slot (u64), and an optional key (u8, 32 bytes), before the code.
fn recorded_upgrade_authority<'a>(
    program: &AccountView,
    program_data: &'a AccountView,
) -> Result<&'a Address, ProgramError> {
    const PROGRAM_TAG: [u8; 4] = 2u32.to_le_bytes();
    const PROGRAM_DATA_TAG: [u8; 4] = 3u32.to_le_bytes();

    require(verify::owned_by(program, &UPGRADEABLE_LOADER), RelayError::InvalidAccountOwner)?;
    require(verify::owned_by(program_data, &UPGRADEABLE_LOADER), RelayError::InvalidAccountOwner)?;
    // SAFETY: nothing writes these accounts while the borrows last.
    let (program, recorded) = unsafe { (program.borrow_unchecked(), program_data.borrow_unchecked()) };
    let is_program = program.len() >= 36 && program[..4] == PROGRAM_TAG;
    require(is_program, RelayError::InvalidAccountKind)?;
    require(program[4..36] == *program_data.address().as_ref(), RelayError::InvalidAccount)?;
    let is_program_data = recorded.len() >= 45 && recorded[..4] == PROGRAM_DATA_TAG;
    require(is_program_data, RelayError::InvalidAccountKind)?;
    require(recorded[12] == 1, RelayError::Unauthorized)?;
    // SAFETY: an address is 32 bytes of alignment 1, and there are as many.
    Ok(unsafe { &*recorded[13..45].as_ptr().cast() })
}
