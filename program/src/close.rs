//! What leaves accounts of the program without a call to the system program, and how they end.
use pinocchio::{error::ProgramError, AccountView, UnsafeResize};

use crate::{
    error::{Checked, RelayError},
    rent::Rent,
};

/// Moves lamports out of an account of the program.
#[inline(always)]
pub fn move_lamports(from: &mut AccountView, to: &mut AccountView, lamports: u64) -> Checked {
    let left = from.lamports().checked_sub(lamports).ok_or(RelayError::ArithmeticOverflow)?;
    from.set_lamports(left);
    let balance = to.lamports().checked_add(lamports).ok_or(RelayError::ArithmeticOverflow)?;
    to.set_lamports(balance);
    Ok(())
}

/// Moves all lamports out and leaves no data and no owner behind, so that nothing of the account can be revived.
#[inline(always)]
pub fn close_account(account: &mut AccountView, to: &mut AccountView) -> Checked {
    move_lamports(account, to, account.lamports())?;
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
    move_lamports(account, to, moved)?;
    // It only becomes shorter.
    account.resize(0);
    Ok(moved)
}
