//! Checks that every instruction makes of its accounts and data.
use pinocchio::{AccountView, Address};
use solana_address::address_eq;

use crate::error::{Checked, RelayError};

#[inline(always)]
pub fn require(condition: bool, error: RelayError) -> Checked {
    if condition {
        Ok(())
    } else {
        Err(error)
    }
}

#[inline(always)]
pub fn signer(account: &AccountView) -> Checked {
    require(account.is_signer(), RelayError::MissingSignature)
}

#[inline(always)]
pub fn writable(account: &AccountView) -> Checked {
    require(account.is_writable(), RelayError::AccountNotWritable)
}

/// As the account's own comparison, without a call to the runtime.
#[inline(always)]
pub fn owned_by(account: &AccountView, program: &Address) -> bool {
    address_eq(account.owner(), program)
}

/// The account stands in the place where `expected` belongs.
// Not inlined, because every instruction asks.
#[inline(never)]
pub fn address(account: &AccountView, expected: &Address) -> Checked {
    require(address_eq(account.address(), expected), RelayError::InvalidAccount)
}

#[inline(always)]
pub fn system_program(account: &AccountView) -> Checked {
    // To compare with zero costs less than a call.
    require(address_eq(account.address(), &pinocchio_system::ID), RelayError::InvalidAccount)
}

/// A wallet whose key somebody may have, funded or not; anything else is `error`. Addresses of programs lie off the curve:
/// what is paid to one could end as the rent of an account that is yet to be created there.
#[inline(always)]
pub fn wallet(account: &AccountView, error: RelayError) -> Checked {
    // What the system program owns is never executable.
    require(owned_by(account, &pinocchio_system::ID) && account.address().is_on_curve(), error)
}

/// The account can be credited.
#[inline(always)]
pub fn payee(account: &AccountView) -> Checked {
    writable(account)?;
    require(!account.executable(), RelayError::PayeeCannotReceive)
}

/// Arguments are packed little-endian fields of alignment 1 and have exactly the length of their type.
///
/// # Safety
/// `T` must be valid for every bit pattern.
pub unsafe trait Arguments: Sized {
    const ALIGNED_TO_BYTES: () = assert!(align_of::<Self>() == 1);

    #[inline(always)]
    fn read(data: &[u8]) -> Result<&Self, RelayError> {
        let () = Self::ALIGNED_TO_BYTES;
        require(data.len() == size_of::<Self>(), RelayError::InvalidInstruction)?;
        // SAFETY: length and alignment fit, and every bit pattern is valid.
        Ok(unsafe { &*data.as_ptr().cast() })
    }

    /// These arguments, and others that follow them or not.
    #[inline(always)]
    fn read_with_tail<T: Arguments>(data: &[u8]) -> Result<(&Self, Option<&T>), RelayError> {
        match data.split_at_checked(size_of::<Self>()) {
            Some((fields, [])) => Ok((Self::read(fields)?, None)),
            Some((fields, tail)) => Ok((Self::read(fields)?, Some(T::read(tail)?))),
            None => Err(RelayError::InvalidInstruction),
        }
    }
}

/// Instructions without arguments.
// SAFETY: there is no bit to be invalid.
unsafe impl Arguments for () {}
