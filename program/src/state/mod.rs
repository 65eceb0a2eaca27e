//! Layouts of the program's accounts: packed little-endian fields of alignment 1, read in place.
mod config;
mod leg;
mod listing;
mod number;
mod package;
mod reputation;
pub mod seeds;
mod swarm;
mod task;
mod task_leg;

pub use config::{require_two_roles, Config};
pub use leg::Leg;
pub use listing::Listing;
pub use number::{I64, U16, U64};
pub use package::{Package, PackageStatus};
pub use reputation::Reputation;
pub use swarm::{Swarm, SwarmStatus};
pub use task::{Task, TaskStatus};
pub use task_leg::TaskLeg;

use pinocchio::{AccountView, Address};

use crate::{
    error::{Checked, RelayError},
    verify::{owned_by, require},
};

/// Version of every layout here.
const VERSION: u8 = 1;

/// First bytes of every account.
#[repr(C)]
pub struct Header {
    kind: u8,
    version: u8,
    /// Canonical bump of the account's address.
    pub bump: u8,
}

/// An account of the program.
///
/// # Safety
/// The type begins with a [`Header`], has alignment 1 and is valid for every bit pattern.
pub unsafe trait Kind: Sized {
    /// First byte of the account; 0 is an account that was never written.
    const KIND: u8;
    const ALIGNED_TO_BYTES: () = assert!(align_of::<Self>() == 1);

    fn header_mut(&mut self) -> &mut Header;

    /// The account's fields, if the account is one of the program and of this kind.
    ///
    /// The address needs no check: only this program writes accounts it owns, each at its canonical address.
    #[inline(always)]
    fn load<'a>(program_id: &Address, account: &'a AccountView) -> Result<&'a Self, RelayError> {
        Self::check(program_id, account)?;
        // SAFETY: length and alignment fit. A type's account is read and written in one place at a time: the kinds of
        // different types differ, and where two accounts of one type meet, they are known to be different ones.
        Ok(unsafe { &*account.data_ptr().cast() })
    }

    #[inline(always)]
    fn check(program_id: &Address, account: &AccountView) -> Checked {
        let () = Self::ALIGNED_TO_BYTES;
        check(program_id, account, Self::KIND, size_of::<Self>())
    }

    /// As [`Kind::load`], to be written.
    #[inline(always)]
    fn load_mut<'a>(program_id: &Address, account: &'a mut AccountView) -> Result<&'a mut Self, RelayError> {
        crate::verify::writable(account)?;
        Self::check(program_id, account)?;
        // SAFETY: as in `load`.
        Ok(unsafe { &mut *account.data_mut_ptr().cast() })
    }

    /// The fields of an account that [`crate::cpi::Creator::create`] has just made: all zero but its header.
    ///
    /// # Safety
    /// The account must have been created for this type in this instruction.
    #[inline(always)]
    unsafe fn begin(account: &mut AccountView, bump: u8) -> &mut Self {
        let fields: &mut Self = &mut *account.data_mut_ptr().cast();
        *fields.header_mut() = Header { kind: Self::KIND, version: VERSION, bump };
        fields
    }
}

// Not inlined, because every instruction asks, most of them several times.
#[inline(never)]
fn check(program_id: &Address, account: &AccountView, kind: u8, length: usize) -> Checked {
    require(owned_by(account, program_id), RelayError::InvalidAccountOwner)?;
    // SAFETY: nothing writes the data while this borrow lasts.
    let data = unsafe { account.borrow_unchecked() };
    let known = matches!(data, [first, second, ..] if *first == kind && *second == VERSION);
    require(known && data.len() == length, RelayError::InvalidAccountKind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_have_the_sizes_of_the_idl() {
        assert_eq!(size_of::<Config>(), 100);
        assert_eq!(size_of::<Package>(), 183);
        assert_eq!(size_of::<Swarm>(), 129);
        assert_eq!(size_of::<Leg>(), 85);
        assert_eq!(size_of::<Reputation>(), 52);
        assert_eq!(size_of::<Task>(), 312);
        assert_eq!(size_of::<TaskLeg>(), 149);
    }
}
