//! What the program asks of the system program.
use pinocchio::{
    cpi::{Seed, Signer},
    AccountView, Address, ProgramResult,
};
use pinocchio_system::instructions::{Allocate, Assign, CreateAccount, Transfer};

use crate::{
    error::RelayError,
    rent::Rent,
    state::{Kind, Version},
    verify,
};

/// Who creates accounts, and at what rent.
pub struct Creator<'a> {
    pub program_id: &'a Address,
    pub payer: &'a AccountView,
    pub rent: Rent,
    /// Lamports that an account receives on top of its rent: a second call to the system program would cost as much again.
    pub deposit: u64,
}

impl Creator<'_> {
    /// Creates an account of the program with the rent-exempt minimum, also when a stranger has sent lamports to its
    /// address.
    #[inline(always)]
    pub fn create<T: Kind>(&self, account: &mut AccountView, version: Version, seeds: &[Seed]) -> ProgramResult {
        self.create_with_space(account, T::space(version), seeds)
    }

    #[inline(always)]
    pub fn create_with_space(&self, account: &mut AccountView, space: usize, seeds: &[Seed]) -> ProgramResult {
        self.create_signed(account, space, &Signer::from(seeds))
    }

    // One function for all kinds; the target passes at most five arguments, the result's place among them.
    #[inline(never)]
    fn create_signed(&self, account: &mut AccountView, space: usize, signer: &Signer) -> ProgramResult {
        // An address of this program is owned by the system program until it is created here.
        let vacant = verify::owned_by(account, &pinocchio_system::ID) && account.is_data_empty();
        verify::require(vacant, RelayError::AlreadyInitialized)?;

        let Self { program_id: owner, payer, rent, deposit } = self;
        let signers = core::slice::from_ref(signer);
        let missing_rent = rent.minimum(space)?.saturating_sub(account.lamports());
        let lamports = missing_rent.checked_add(*deposit).ok_or(RelayError::ArithmeticOverflow)?;
        let space = space as u64;
        if account.lamports() == 0 {
            return CreateAccount { from: payer, to: account, lamports, space, owner }.invoke_signed(signers);
        }
        if lamports > 0 {
            Transfer { from: payer, to: account, lamports }.invoke()?;
        }
        Allocate { account, space }.invoke_signed(signers)?;
        Assign { account, owner }.invoke_signed(signers)
    }
}
