//! What settle and reclaim share.
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};

use crate::{
    close::{close_account, move_lamports},
    error::RelayError,
    event::{Ended, Event},
    rent::Rent,
    stake,
    state::{Behind, Kind, Leg, LegStatus, Package, PackageStatus, Swarm, SOL, U64},
    tokens::Ending,
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
    /// Exactly the assigned legs, in index order, and then the couriers of accepted ones; behind them what tokens need.
    legs_and_couriers: &'a mut [AccountView],
}

impl<'a> Accounts<'a> {
    /// The leg of this index, if it is assigned. Whether it is one of the swarm's own, [`close`] finds.
    #[inline(always)]
    pub fn leg(&self, index: u8) -> Option<&AccountView> {
        self.legs_and_couriers.get(index as usize)
    }

    #[inline(always)]
    pub fn behind(&'a self, program_id: &'a Address) -> Behind<'a> {
        Behind { program_id, funder: self.funder }
    }

    /// The accounts, with the checks that need no rule of the one or the other.
    #[inline(always)]
    pub fn checked(accounts: &'a mut [AccountView]) -> Result<Self, ProgramError> {
        let [signer, config, package, vault, funder, swarm, rent_payer, system_program, rest @ ..] = accounts else {
            return Err(RelayError::NotEnoughAccounts.into());
        };
        verify::signer(signer)?;
        verify::writable(vault)?;
        verify::system_program(system_program)?;
        Ok(Self { signer, config, package, vault, funder, swarm, rent_payer, legs_and_couriers: rest })
    }
}

/// Returns the vault to the funder and the stakes of couriers who wait for their turn to them, closes the swarm and its legs
/// to the rent payer, and ends the package. What a wallet cannot receive goes to the funder.
// Not inlined, because two instructions end with it.
#[inline(never)]
pub fn close(program_id: &Address, accounts: Accounts, ending: PackageStatus, discriminator: u8) -> ProgramResult {
    let Accounts { package, vault, funder, swarm, rent_payer, legs_and_couriers, .. } = accounts;
    let package_address = *package.address();
    verify::writable(swarm)?;
    let formed = Swarm::load(program_id, swarm)?;
    verify::address(rent_payer, &formed.rent_payer)?;
    verify::writable(rent_payer)?;
    let (legs, couriers) =
        legs_and_couriers.split_at_mut_checked(formed.assigned_legs as usize).ok_or(RelayError::InvalidLegCount)?;
    let mut waiting = couriers.iter();
    for (index, leg) in legs.iter().enumerate() {
        verify::writable(leg)?;
        let Leg { hop, .. } = Leg::load(program_id, leg)?;
        hop.require_of(swarm.address())?;
        require(hop.index as usize == index, RelayError::LegOutOfOrder)?;
        if hop.is(LegStatus::Accepted) {
            let courier = waiting.next().ok_or(RelayError::InvalidLegCount)?;
            verify::address(courier, &hop.worker)?;
            verify::writable(courier)?;
        }
    }
    let accounts = waiting.as_slice();
    let (fields, terms) = Package::load_whole_mut(program_id, package)?;

    fields.become_status(ending);
    let refund = if fields.asset == SOL {
        require(accounts.is_empty(), RelayError::InvalidLegCount)?;
        let refund = vault::refund(program_id, &package_address, fields, vault, funder)?;
        if let Some(terms) = terms {
            return_stakes(program_id, legs, couriers, funder, terms.stake.get())?;
        }
        refund
    } else {
        let couriers = couriers.get(..couriers.len().wrapping_sub(accounts.len())).unwrap_or_default();
        let stake = terms.map_or(0, |terms| terms.stake.get());
        Ending { waiting: couriers, stake, ..Ending::of(program_id, &package_address, fields, accounts) }
            .end(vault, funder)?
    };
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

/// Gives the stakes of accepted legs to their couriers, which these are, and the one of a carried leg to the funder: its
/// courier has the parcel still.
#[inline(always)]
fn return_stakes(
    program_id: &Address,
    legs: &mut [AccountView],
    couriers: &mut [AccountView],
    funder: &mut AccountView,
    stake: u64,
) -> ProgramResult {
    let rent = Rent::get()?;
    let mut waiting = couriers.iter_mut();
    for leg in legs {
        let Leg { hop, .. } = Leg::load(program_id, leg)?;
        if hop.is(LegStatus::Carried) {
            move_lamports(leg, funder, stake)?;
        } else if hop.is(LegStatus::Accepted) {
            let courier = waiting.next().ok_or(RelayError::InvalidLegCount)?;
            stake::pay_out(leg, courier, funder, stake, &rent)?;
        }
    }
    Ok(())
}
