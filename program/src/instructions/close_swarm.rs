//! What settle and reclaim share.
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

use crate::{
    cpi,
    error::RelayError,
    event::{Event, PackageEnded},
    state::{seeds, Kind, Leg, Package, PackageStatus, Swarm, U64},
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
#[inline(always)]
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
    verify::address(funder, &fields.funder)?;
    verify::payee(funder)?;
    seeds::vault(vault, &package_address, fields.vault_bump, program_id)?;

    let refund = vault.lamports();
    fields.become_status(ending);
    // The runtime balances lamports at every call to another program: this call comes before the direct moves.
    cpi::pay_from_vault(vault, funder, refund, &package_address, &fields.vault_bump)?;
    // An exit must not depend on the coordinator's account: rent it cannot receive goes to the funder.
    let rent_recipient = if rent_payer.executable() { funder } else { rent_payer };
    for leg in legs {
        close_account(leg, rent_recipient)?;
    }
    close_account(swarm, rent_recipient)?;

    PackageEnded {
        discriminator,
        package: package_address,
        paid_lamports: fields.paid,
        refund_lamports: U64::new(refund),
    }
    .emit();
    Ok(())
}

/// Moves all lamports out and leaves no data and no owner behind, so that nothing of the account can be revived.
#[inline(always)]
fn close_account(account: &mut AccountView, to: &mut AccountView) -> ProgramResult {
    let balance = to.lamports().checked_add(account.lamports());
    to.set_lamports(balance.ok_or(RelayError::ArithmeticOverflow)?);
    // SAFETY: no reference into the account's data is used after this.
    unsafe { account.close_unchecked() };
    Ok(())
}
