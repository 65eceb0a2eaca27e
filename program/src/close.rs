//! How accounts of the program end.
use pinocchio::{error::ProgramError, AccountView, ProgramResult, UnsafeResize};

use crate::{error::RelayError, rent::Rent};

/// Moves all lamports out and leaves no data and no owner behind, so that nothing of the account can be revived.
#[inline(always)]
pub fn close_account(account: &mut AccountView, to: &mut AccountView) -> ProgramResult {
    let balance = to.lamports().checked_add(account.lamports());
    to.set_lamports(balance.ok_or(RelayError::ArithmeticOverflow)?);
    // SAFETY: no reference into the account's data is used after this.
    unsafe { account.close_unchecked() };
    Ok(())
}

/// Moves all lamports out but the rent of an empty account, which stays the program's; returns how many.
///
/// # Safety
/// No reference into the account's data may be used after this.
#[inline(always)]
pub unsafe fn empty_account(account: &mut AccountView, to: &mut AccountView) -> Result<u64, ProgramError> {
    let kept = Rent::get()?.minimum(0)?;
    let moved = account.lamports().checked_sub(kept).ok_or(RelayError::ArithmeticOverflow)?;
    let balance = to.lamports().checked_add(moved).ok_or(RelayError::ArithmeticOverflow)?;
    account.set_lamports(kept);
    to.set_lamports(balance);
    // It only becomes shorter.
    account.resize(0);
    Ok(moved)
}
