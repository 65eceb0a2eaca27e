use pinocchio::Address;

use super::{Header, Kind, U64};
use crate::{
    error::{Checked, RelayError},
    verify::require,
};

/// The number of SOL, which has no account and pays in lamports.
pub const SOL: u8 = 0;

/// A token that listings can be paid in. Amounts of such a listing are base units of it.
#[repr(C)]
pub struct Asset {
    header: Header,
    pub number: u8,
    /// Of the classic Token program; never changes.
    pub mint: Address,
    pub decimals: u8,
    is_open: u8,
    /// The least budget and the least stake of a listing.
    pub min_amount: U64,
    reserved: [u8; 18],
}

// SAFETY: bytes only, header first.
unsafe impl Kind for Asset {
    type Tail = ();
    const KIND: u8 = 8;

    #[inline(always)]
    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl Asset {
    /// A closed asset takes no new listing; what is listed goes on.
    #[inline(always)]
    pub fn require_open(&self) -> Checked {
        require(self.is_open != 0, RelayError::AssetClosed)
    }

    #[inline(always)]
    pub fn set_open(&mut self, is_open: bool) {
        self.is_open = is_open as u8;
    }
}
