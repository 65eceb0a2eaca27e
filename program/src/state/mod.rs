//! Layouts of the program's accounts: packed little-endian fields of alignment 1, read in place.
mod asset;
mod config;
mod hop;
mod leg;
mod listing;
mod mandate;
mod nonce;
mod number;
mod package;
mod reputation;
pub mod seeds;
mod swarm;
mod task;
mod task_leg;
mod terms;
mod turn;

pub use asset::{Asset, SOL};
pub use config::{require_two_roles, Config};
pub use hop::{Hop, LegStatus};
pub use leg::Leg;
pub use listing::{Behind, Listing};
pub use mandate::{Limits, Mandate, Wish};
pub use nonce::Nonce;
pub use number::{I64, U16, U32, U64};
pub use package::{Package, PackageStatus};
pub use reputation::Reputation;
pub use swarm::{Swarm, SwarmStatus};
pub use task::{Task, TaskStatus};
pub use task_leg::TaskLeg;
pub use terms::{Listed, Terms};
pub use turn::{is_over, Counting, Note, Turn};

use pinocchio::{AccountView, Address};

use crate::{
    error::{Checked, RelayError},
    verify::{owned_by, require},
};

/// Version of a layout: the second is the first one byte for byte, and a tail.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Version {
    Plain = 1,
    WithTail,
}

impl Version {
    /// Of what belongs to something with this tail, or without one.
    #[inline(always)]
    pub fn of<T>(tail: Option<T>) -> Self {
        if tail.is_some() {
            Self::WithTail
        } else {
            Self::Plain
        }
    }
}

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
/// The type begins with a [`Header`]; it and its tail have alignment 1 and are valid for every bit pattern.
pub unsafe trait Kind: Sized {
    /// What follows the fields in version 2; of no bytes: there is version 1 only.
    type Tail;
    /// First byte of the account; 0 is an account that was never written.
    const KIND: u8;
    const ALIGNED_TO_BYTES: () = assert!(align_of::<Self>() == 1 && align_of::<Self::Tail>() == 1);

    fn header_mut(&mut self) -> &mut Header;

    /// Whether the account would be one of this kind; only loading it tells.
    #[inline(always)]
    fn is_named_by(account: &AccountView) -> bool {
        // SAFETY: nothing writes the data while this borrow lasts.
        unsafe { account.borrow_unchecked() }.first() == Some(&Self::KIND)
    }

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
        check(program_id, account, Self::KIND, size_of::<Self>(), size_of::<Self::Tail>())
    }

    /// As [`Kind::load`], with the tail.
    #[inline(always)]
    fn load_whole<'a>(
        program_id: &Address,
        account: &'a AccountView,
    ) -> Result<(&'a Self, Option<&'a Self::Tail>), RelayError> {
        Self::check(program_id, account)?;
        // SAFETY: as in `load`, and the tail has its length.
        unsafe {
            let fields: *const Self = account.data_ptr().cast();
            Ok((&*fields, Self::has_tail(account).then(|| &*fields.add(1).cast())))
        }
    }

    /// As [`Kind::load_mut`], with the tail.
    #[inline(always)]
    fn load_whole_mut<'a>(
        program_id: &Address,
        account: &'a mut AccountView,
    ) -> Result<(&'a mut Self, Option<&'a mut Self::Tail>), RelayError> {
        crate::verify::writable(account)?;
        Self::check(program_id, account)?;
        // SAFETY: as in `load_whole`.
        Ok(unsafe { Self::whole_mut(account) })
    }

    /// Bytes of an account of this version.
    #[inline(always)]
    fn space(version: Version) -> usize {
        let tail = if version == Version::WithTail { size_of::<Self::Tail>() } else { 0 };
        size_of::<Self>() + tail
    }

    /// Whether an account of this kind has a tail.
    #[inline(always)]
    fn has_tail(account: &AccountView) -> bool {
        account.data_len() > size_of::<Self>()
    }

    /// # Safety
    /// The account has the length of this kind, with or without its tail.
    #[inline(always)]
    unsafe fn whole_mut(account: &mut AccountView) -> (&mut Self, Option<&mut Self::Tail>) {
        let has_tail = Self::has_tail(account);
        let fields: *mut Self = account.data_mut_ptr().cast();
        (&mut *fields, has_tail.then(|| &mut *fields.add(1).cast()))
    }

    /// As [`Kind::load`], to be written.
    #[inline(always)]
    fn load_mut<'a>(program_id: &Address, account: &'a mut AccountView) -> Result<&'a mut Self, RelayError> {
        crate::verify::writable(account)?;
        Self::check(program_id, account)?;
        // SAFETY: as in `load`.
        Ok(unsafe { &mut *account.data_mut_ptr().cast() })
    }

    /// The fields and tail of an account that [`crate::cpi::Creator::create`] has just made: all zero but its header.
    ///
    /// # Safety
    /// The account must have been created for this type in this instruction.
    #[inline(always)]
    unsafe fn begin(account: &mut AccountView, bump: u8) -> (&mut Self, Option<&mut Self::Tail>) {
        let (fields, tail) = Self::whole_mut(account);
        let version = Version::of(tail.as_ref()) as u8;
        *fields.header_mut() = Header { kind: Self::KIND, version, bump };
        (fields, tail)
    }
}

// Not inlined, because every instruction asks, most of them several times.
#[inline(never)]
fn check(program_id: &Address, account: &AccountView, kind: u8, length: usize, tail: usize) -> Checked {
    require(owned_by(account, program_id), RelayError::InvalidAccountOwner)?;
    // SAFETY: nothing writes the data while this borrow lasts.
    let data = unsafe { account.borrow_unchecked() };
    let known = match data {
        [first, _, ..] if *first != kind => false,
        [_, 1, ..] => data.len() == length,
        [_, 2, ..] => tail > 0 && data.len() == length + tail,
        _ => false,
    };
    require(known, RelayError::InvalidAccountKind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_have_the_sizes_of_the_idl() {
        assert_eq!(size_of::<Asset>(), 64);
        assert_eq!(size_of::<Config>(), 100);
        assert_eq!(size_of::<Mandate>(), 160);
        assert_eq!(size_of::<Package>(), 183);
        assert_eq!(size_of::<Swarm>(), 129);
        assert_eq!(size_of::<Leg>(), 85);
        assert_eq!(size_of::<Reputation>(), 52);
        assert_eq!(size_of::<Task>(), 312);
        assert_eq!(size_of::<TaskLeg>(), 149);
        assert_eq!(size_of::<Terms>(), 89);
        assert_eq!(size_of::<Turn>(), 12);
    }
}
