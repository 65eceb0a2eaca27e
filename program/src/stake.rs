//! Stakes: lamports in a leg's account above its rent, or tokens in the vault's token account. How many there are follows
//! from the leg's status.
use pinocchio::{AccountView, ProgramResult};
use pinocchio_system::instructions::Transfer;

use crate::{close::move_lamports, error::Checked, rent::Rent};

/// Takes a stake in lamports from a wallet that signed.
#[inline(always)]
pub fn post(wallet: &AccountView, leg: &AccountView, lamports: u64) -> ProgramResult {
    Transfer { from: wallet, to: leg, lamports }.invoke()
}

/// Gives lamports of a leg to a wallet, or to the vault if the wallet cannot receive and keep them: no move fails for its
/// payee. Wallet and vault must be writable. Comes after calls to other programs, at which lamports must balance.
// Not inlined, because several instructions pay out several times.
#[inline(never)]
pub fn pay_out(
    leg: &mut AccountView,
    wallet: &mut AccountView,
    vault: &mut AccountView,
    lamports: u64,
    rent: &Rent,
) -> Checked {
    let balance = wallet.lamports().saturating_add(lamports);
    let can_receive = !wallet.executable() && balance >= rent.minimum(wallet.data_len())?;
    move_lamports(leg, if can_receive { wallet } else { vault }, lamports)
}
