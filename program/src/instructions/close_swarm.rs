//! What settle and reclaim share.
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

use crate::{
    close::close_account,
    error::RelayError,
    event::{Ended, Event},
    state::{Kind, Leg, Package, PackageStatus, Swarm, U64},
    vault,
    verify::{self, require},
};

/// The accounts of settle and reclaim.
pub struct Accounts<'a> {
    pub signer: &'a mut AccountView,
    pub config: &'a mut AccountView,
    pub package: &'a mut AccountView,
    vault: &'a mut AccountView,
    funder: &'a mut AccountView,
    pub swarm: &'a mut AccountView,
    rent_payer: &'a mut AccountView,
    /// Exactly the assigned legs, in index order.
    legs: &'a mut [AccountView],
}

impl<'a> Accounts<'a> {
    /// The accounts, with the checks that need no rule of the one or the other.
    #[inline(always)]
    pub fn checked(accounts: &'a mut [AccountView]) -> Result<Self, ProgramError> {
        let [signer, config, package, vault, funder, swarm, rent_payer, system_program, legs @ ..] = accounts else {
            return Err(RelayError::NotEnoughAccounts.into());
        };
        verify::signer(signer)?;
        verify::writable(vault)?;
        verify::system_program(system_program)?;
        Ok(Self { signer, config, package, vault, funder, swarm, rent_payer, legs })
    }
}

/// Returns the vault to the funder, closes the swarm and its legs to the rent payer, and ends the package.
// Not inlined, because two instructions end with it.
#[inline(never)]
pub fn close(program_id: &Address, accounts: Accounts, ending: PackageStatus, discriminator: u8) -> ProgramResult {
    let Accounts { package, vault, funder, swarm, rent_payer, legs, .. } = accounts;
    let package_address = *package.address();
    verify::writable(swarm)?;
    let formed = Swarm::load(program_id, swarm)?;
    verify::address(rent_payer, &formed.rent_payer)?;
    verify::writable(rent_payer)?;
    require(legs.len() == formed.assigned_legs as usize, RelayError::InvalidLegCount)?;
    for (index, leg) in legs.iter().enumerate() {
        verify::writable(leg)?;
        let fields = Leg::load(program_id, leg)?;
        fields.require_of(swarm)?;
        require(fields.index as usize == index, RelayError::LegOutOfOrder)?;
    }
    let fields = Package::load_mut(program_id, package)?;

    fields.become_status(ending);
    let refund = vault::refund(program_id, &package_address, fields, vault, funder)?;
    // An exit must not depend on the coordinator's account: rent it cannot receive goes to the funder.
    let rent_recipient = if rent_payer.executable() { funder } else { rent_payer };
    for leg in legs {
        close_account(leg, rent_recipient)?;
    }
    close_account(swarm, rent_recipient)?;

    Ended { discriminator, listing: package_address, paid_lamports: fields.paid, refund_lamports: U64::new(refund) }
        .emit();
    Ok(())
}
