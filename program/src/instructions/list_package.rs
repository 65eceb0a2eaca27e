use pinocchio::{
    cpi::Seed,
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};
use pinocchio_system::instructions::Transfer;

use crate::{
    cpi::Creator,
    error::RelayError,
    event::{Event, PackageListed},
    rent::Rent,
    state::{seeds, Config, Kind, Package, I64, U64},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 3;

const MIN_SECONDS_AHEAD: i64 = 10 * 60;
const MAX_SECONDS_AHEAD: i64 = 180 * 24 * 60 * 60;

#[repr(C)]
struct Args {
    package_id: [u8; 16],
    max_budget: U64,
    deadline: I64,
    terms_hash: [u8; 32],
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Lists a package and locks its budget in a vault.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [funder, shipper, config, package, vault, system_program, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let args = Args::read(data)?;

    verify::signer(funder)?;
    verify::writable(funder)?;
    verify::writable(package)?;
    verify::writable(vault)?;
    verify::system_program(system_program)?;
    let settings = Config::load(program_id, config)?;
    settings.require_running()?;
    // A sponsor's listing costs the shipper nothing, so the shipper need not agree to it.
    if !settings.is_coordinator(funder.address()) {
        verify::signer(shipper)?;
    }
    require(args.max_budget.get() > 0, RelayError::InvalidAmount)?;
    let now = Clock::get()?.unix_timestamp;
    require_ahead(now, args.deadline.get())?;
    let package_seeds: &[&[u8]; 3] = &[seeds::PACKAGE, shipper.address().as_ref(), &args.package_id];
    let bump = seeds::canonical(package, package_seeds, program_id)?;
    let vault_seeds: &[&[u8]; 2] = &[seeds::VAULT, package.address().as_ref()];
    let vault_bump = seeds::canonical(vault, vault_seeds, program_id)?;

    let creator = Creator { program_id, payer: funder, rent: Rent::get()? };
    let signer_seeds = [
        Seed::from(seeds::PACKAGE),
        Seed::from(shipper.address().as_ref()),
        Seed::from(&args.package_id),
        Seed::from(core::slice::from_ref(&bump)),
    ];
    creator.create::<Package>(package, &signer_seeds)?;
    // The vault stays a system account without data. What a stranger may have sent to its address comes on top and goes
    // to the funder in the end.
    let lamports = args.max_budget.get().checked_add(creator.rent.minimum(0)?).ok_or(RelayError::ArithmeticOverflow)?;
    Transfer { from: funder, to: vault, lamports }.invoke()?;

    let address = *package.address();
    // SAFETY: created above.
    let fields = unsafe { Package::begin(package, bump) };
    fields.vault_bump = vault_bump;
    fields.package_id = args.package_id;
    fields.shipper = *shipper.address();
    fields.funder = *funder.address();
    fields.max_budget = args.max_budget;
    fields.listed_at.set(now);
    fields.deadline = args.deadline;
    fields.terms_hash = args.terms_hash;

    PackageListed {
        discriminator: DISCRIMINATOR,
        package: address,
        shipper: fields.shipper,
        funder: fields.funder,
        max_budget: args.max_budget,
        deadline: args.deadline,
        terms_hash: args.terms_hash,
    }
    .emit();
    Ok(())
}

fn require_ahead(now: i64, deadline: i64) -> ProgramResult {
    let ahead = deadline.checked_sub(now).ok_or(RelayError::InvalidDeadline)?;
    let allowed = (MIN_SECONDS_AHEAD..=MAX_SECONDS_AHEAD).contains(&ahead);
    require(allowed, RelayError::InvalidDeadline)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000;

    #[test]
    fn a_deadline_lies_ten_minutes_to_180_days_ahead() {
        assert!(require_ahead(NOW, NOW + 600).is_ok());
        assert!(require_ahead(NOW, NOW + 15_552_000).is_ok());
        for deadline in [NOW + 599, NOW + 15_552_001, NOW, 0, -1, i64::MIN, i64::MAX] {
            assert_eq!(require_ahead(NOW, deadline), Err(RelayError::InvalidDeadline.into()));
        }
    }
}
