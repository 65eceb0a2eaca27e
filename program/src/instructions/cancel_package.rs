use pinocchio::{AccountView, Address, ProgramResult};

use crate::{
    cpi,
    error::RelayError,
    event::{Event, PackageCancelled},
    state::{seeds, Config, Kind, Package, PackageStatus, U64},
    verify::{self, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 4;

/// Withdraws a listed package; the whole vault returns to the funder. Open while paused.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [signer, config, package, vault, funder, system_program, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    <()>::read(data)?;

    verify::signer(signer)?;
    verify::writable(vault)?;
    verify::system_program(system_program)?;
    let settings = Config::load(program_id, config)?;
    let address = *package.address();
    let fields = Package::load_mut(program_id, package)?;
    let allowed = fields.is_shipper(signer.address())
        || fields.is_funder(signer.address())
        || settings.is_coordinator(signer.address());
    require(allowed, RelayError::Unauthorized)?;
    fields.require(PackageStatus::Listed)?;
    verify::address(funder, &fields.funder)?;
    verify::payee(funder)?;
    seeds::vault(vault, &address, fields.vault_bump, program_id)?;

    let refund = vault.lamports();
    fields.become_status(PackageStatus::Cancelled);
    cpi::pay_from_vault(vault, funder, refund, &address, &fields.vault_bump)?;

    PackageCancelled { discriminator: DISCRIMINATOR, package: address, refund_lamports: U64::new(refund) }.emit();
    Ok(())
}
