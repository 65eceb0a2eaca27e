//! One event an instruction, logged after its effects, for people and explorers. What happened is decided by the
//! instructions themselves: logs can be truncated, and any program can print the same bytes.
use pinocchio::Address;

use crate::state::{Limits, I64, U16, U64};

/// Packed bytes; the first one is the discriminator of the instruction.
///
/// # Safety
/// The type has alignment 1.
pub unsafe trait Event: Sized {
    #[inline(always)]
    fn emit(&self) {
        const { assert!(align_of::<Self>() == 1) };
        // SAFETY: a value of alignment 1 has no padding.
        let bytes = unsafe { core::slice::from_raw_parts(self as *const Self as *const u8, size_of::<Self>()) };
        log(bytes);
    }
}

#[cfg(target_os = "solana")]
#[inline(always)]
fn log(bytes: &[u8]) {
    let fields = [bytes];
    // SAFETY: the runtime reads one slice of bytes.
    unsafe { pinocchio::syscalls::sol_log_data(fields.as_ptr() as *const u8, 1) }
}

#[cfg(not(target_os = "solana"))]
fn log(_: &[u8]) {}

/// A move of a leg with terms, and what only that move has to say.
#[repr(C)]
pub struct Moved<D> {
    pub discriminator: u8,
    /// Package or task.
    pub listing: Address,
    pub leg: Address,
    pub worker: Address,
    pub index: u8,
    pub formation: U16,
    pub detail: D,
}

// SAFETY: fields of alignment 1, if the detail's is; `emit` asserts it.
unsafe impl<D> Event for Moved<D> {}

macro_rules! event {
    ($name:ident { $($field:ident: $type:ty),+ $(,)? }) => {
        #[repr(C)]
        pub struct $name {
            pub discriminator: u8,
            $(pub $field: $type,)+
        }

        // SAFETY: fields of alignment 1.
        unsafe impl Event for $name {}
    };
}

event!(Initialized { authority: Address, coordinator: Address });
event!(PackageListed {
    package: Address,
    shipper: Address,
    funder: Address,
    max_budget: U64,
    deadline: I64,
    terms_hash: [u8; 32],
});
event!(SwarmFormed { package: Address, swarm: Address, formation: U16, total_legs: u8, total_lamports: U64 });
event!(LegAssigned { swarm: Address, leg: Address, courier: Address, index: u8, payment_lamports: U64 });
event!(LegConfirmed { swarm: Address, leg: Address, courier: Address, index: u8, payment_lamports: U64 });
event!(TaskListed {
    task: Address,
    poster: Address,
    funder: Address,
    num_legs: u8,
    max_budget: U64,
    deadline: I64,
    terms_hash: [u8; 32],
});
event!(TaskLegAssigned { task: Address, task_leg: Address, agent: Address, index: u8, payment_lamports: U64 });
event!(TaskLegReleased { task: Address, task_leg: Address, agent: Address, index: u8 });
event!(TaskLegConfirmed {
    task: Address,
    task_leg: Address,
    agent: Address,
    index: u8,
    payment_lamports: U64,
    result_hash: [u8; 32],
});
// A listing is a package or a task; the discriminator tells which.
event!(Cancelled { listing: Address, refund_lamports: U64 });
// It was settled or reclaimed: it is over and the rest of its vault returned.
event!(Ended { listing: Address, paid_lamports: U64, refund_lamports: U64 });
event!(Closed { listing: Address, rent_lamports: U64 });
event!(CoordinatorSet { coordinator: Address });
event!(PausedSet { paused: u8 });
event!(AuthorityProposed { authority: Address });
event!(AuthorityAccepted { authority: Address });
event!(ReputationOpened { agent: Address, payer: Address });
event!(AssetSet { number: u8, mint: Address, decimals: u8, is_open: u8, min_amount: U64 });
event!(MandateSet { mandate: Address, owner: Address, delegate: Address, limits: Limits });
event!(MandateClosed { mandate: Address, owner: Address, delegate: Address, lamports: U64 });
event!(Collected { wallet: Address, mint: Address, amount: U64 });
