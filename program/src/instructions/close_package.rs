use pinocchio::{AccountView, Address, ProgramResult, UnsafeResize};

use crate::{
    error::RelayError,
    event::{Event, PackageClosed},
    rent::Rent,
    state::{Config, Kind, Package, U64},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 11;

/// Gives up the data of a package that is over, and returns its rent to the funder. Open while paused.
///
/// The account itself stays, empty, with the rent of an empty account: its address, and so the package's id, cannot be
/// used again. A new package there would start with the first formation, and confirmations that were signed for this
/// one would pay that one's couriers.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [signer, config, package, funder, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    <()>::read(data)?;

    verify::signer(signer)?;
    verify::writable(package)?;
    let settings = Config::load(program_id, config)?;
    let fields = Package::load(program_id, package)?;
    let allowed = fields.is_funder(signer.address()) || settings.is_coordinator(signer.address());
    require(allowed, RelayError::Unauthorized)?;
    require(fields.is_over(), RelayError::InvalidStatus)?;
    verify::address(funder, &fields.funder)?;
    verify::payee(funder)?;

    let kept = Rent::get()?.minimum(0)?;
    let rent = package.lamports().checked_sub(kept).ok_or(RelayError::ArithmeticOverflow)?;
    let balance = funder.lamports().checked_add(rent).ok_or(RelayError::ArithmeticOverflow)?;
    package.set_lamports(kept);
    funder.set_lamports(balance);
    let address = *package.address();
    // SAFETY: no reference into the data is used after this, and it only becomes shorter.
    unsafe { package.resize(0) };

    PackageClosed { discriminator: DISCRIMINATOR, package: address, rent_lamports: U64::new(rent) }.emit();
    Ok(())
}
