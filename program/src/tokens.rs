//! Tokens of a listing: where they lie, and whom they reach.
//!
//! An instruction about a listing that is paid in a token has, behind its own accounts, the token program, the asset, the
//! vault's token account, and the accounts of who pays or is paid. Lamports have nothing to do with any of this: what they do
//! not need is not inlined, so that they cost what they always did.
use pinocchio::{
    cpi::{invoke_signed, Signer},
    error::ProgramError,
    instruction::{InstructionAccount, InstructionView},
    AccountView, Address, ProgramResult,
};
use pinocchio_token::state::{Account, AccountState, Mint};
use solana_address::address_eq;

use crate::{
    error::RelayError,
    state::{seeds, Asset, Kind, Listing, Mandate, SOL},
    vault::{self, Signature},
    verify::{self, require},
};

pub use pinocchio_token::ID as TOKEN_PROGRAM;

const ASSOCIATED_TOKEN_PROGRAM: Address = Address::from_str_const("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
/// Wrapped SOL: lamports are asset 0.
const NATIVE_MINT: Address = Address::from_str_const("So11111111111111111111111111111111111111112");
/// More would not fit what a listing's amounts are shown with.
const MOST_DECIMALS: u8 = 9;
/// Numbers of two of the token program's instructions.
const TRANSFER: u8 = 3;
const CLOSE_ACCOUNT: u8 = 9;
/// Token program, asset, and the vault's token account.
const OWN: usize = 3;
/// Accounts of a payee: its associated token account, and its locker's.
pub const PAYEE: usize = 2;

/// The accounts of tokens, which come first behind an instruction's own, and those that follow them; none of them for a
/// listing that is paid in lamports.
#[inline(always)]
pub fn split(
    asset: u8,
    accounts: &mut [AccountView],
    parties: usize,
) -> Result<(&[AccountView], &mut [AccountView]), RelayError> {
    if asset == SOL {
        return Ok((&[], accounts));
    }
    let (own, rest) = accounts.split_at_mut_checked(OWN + parties).ok_or(RelayError::MissingTokenAccount)?;
    Ok((own, rest))
}

/// The asset that a listing is to be paid in: the accounts say whether it is one.
#[inline(always)]
pub fn offered<'a>(program_id: &Address, accounts: &'a [AccountView]) -> Result<Option<&'a Asset>, RelayError> {
    if accounts.is_empty() {
        return Ok(None);
    }
    offered_in(program_id, accounts)
}

#[inline(never)]
fn offered_in<'a>(program_id: &Address, accounts: &'a [AccountView]) -> Result<Option<&'a Asset>, RelayError> {
    match accounts {
        [program, asset, ..] if address_eq(program.address(), &TOKEN_PROGRAM) => {
            let asset = Asset::load(program_id, asset)?;
            asset.require_open()?;
            Ok(Some(asset))
        }
        [program] if address_eq(program.address(), &TOKEN_PROGRAM) => Err(RelayError::MissingTokenAccount),
        _ => Ok(None),
    }
}

/// The tokens of a listing.
pub struct Escrow<'a> {
    pub program_id: &'a Address,
    pub asset: u8,
    pub listing: &'a Address,
    pub vault_bump: u8,
    /// What [`split`] found.
    pub accounts: &'a [AccountView],
}

impl<'a> Escrow<'a> {
    #[inline(never)]
    fn purse(&self, vault: &Address) -> Result<Purse<'a>, RelayError> {
        let [program, asset, account, parties @ ..] = self.accounts else {
            return Err(RelayError::MissingTokenAccount);
        };
        verify::address(program, &TOKEN_PROGRAM)?;
        let Asset { number, mint, .. } = Asset::load(self.program_id, asset)?;
        require(*number == self.asset, RelayError::InvalidAccount)?;
        verify::address(account, &associated(vault, mint)?)?;
        verify::writable(account)?;
        Ok(Purse { program_id: self.program_id, mint, account, parties })
    }

    /// Takes a budget or a stake from the token account that comes next, by the signature of who may spend from it, or of the
    /// mandate that this is.
    #[inline(never)]
    pub fn deposit(&self, by: &AccountView, amount: u64, mandate: Option<&Mandate>) -> ProgramResult {
        let seeds: &[&[u8]; 2] = &[seeds::VAULT, self.listing.as_ref()];
        let vault = Address::derive_address(seeds, Some(self.vault_bump), self.program_id);
        let Purse { mint, account, parties, .. } = self.purse(&vault)?;
        let [source, ..] = parties else {
            return Err(RelayError::MissingTokenAccount.into());
        };
        fields(account)?;
        require(can_receive(account, &vault), RelayError::PayeeCannotReceive)?;
        verify::writable(source)?;
        let held = fields(source)?;
        require(address_eq(held.mint(), mint), RelayError::InvalidMint)?;
        let call = Call { from: source, to: account, by, amount: Some(amount) };
        let Some(mandate) = mandate else {
            return call.sign(&[]);
        };
        require(held.amount() >= amount, RelayError::MandateEmpty)?;
        call.sign(&[Signer::from(&mandate.seeds()[..])])
    }

    /// Pays these wallets from the vault; their accounts come in this order.
    #[inline(never)]
    pub fn pay(&self, vault: &AccountView, payees: &[(&Address, u64)]) -> ProgramResult {
        let mut purse = self.purse(vault.address())?;
        for (wallet, amount) in payees {
            purse.pay(wallet, *amount, &self.signing(vault))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn signing<'b>(&'b self, vault: &'b AccountView) -> Signing<'b> {
        Signing { vault, signature: Signature { listing: self.listing, bump: &self.vault_bump } }
    }
}

/// A listing that is over, and who gets a stake back before its funder gets the rest.
pub struct Ending<'a> {
    pub escrow: Escrow<'a>,
    pub funder: &'a Address,
    pub waiting: &'a [AccountView],
    /// Of each of them.
    pub stake: u64,
}

impl<'a> Ending<'a> {
    /// Of a listing at this address for which nobody waits with a stake.
    #[inline(always)]
    pub fn of<T: Listing>(
        program_id: &'a Address,
        address: &'a Address,
        listing: &'a T,
        accounts: &'a [AccountView],
    ) -> Self {
        let (asset, vault_bump) = (listing.asset(), *listing.vault_bump());
        let escrow = Escrow { program_id, asset, listing: address, vault_bump, accounts };
        Self { escrow, funder: listing.funder(), waiting: &[], stake: 0 }
    }

    /// Empties the vault, the funder comes last, and gives the funder the rent of its token account and the lamports that
    /// strangers sent; how many tokens the funder got.
    #[inline(never)]
    pub fn end(&self, vault: &AccountView, funder: &AccountView) -> Result<u64, ProgramError> {
        let Self { escrow, waiting, stake, .. } = self;
        verify::address(funder, self.funder)?;
        verify::payee(funder)?;
        seeds::vault(vault, escrow.listing, escrow.vault_bump, escrow.program_id)?;
        let signing = escrow.signing(vault);
        let mut purse = escrow.purse(vault.address())?;
        for wallet in *waiting {
            purse.pay(wallet.address(), *stake, &signing)?;
        }
        let left = fields(purse.account)?.amount();
        purse.pay(funder.address(), left, &signing)?;
        require(purse.parties.is_empty(), RelayError::InvalidLegCount)?;
        let seeds = signing.signature.seeds();
        Call { from: purse.account, to: funder, by: vault, amount: None }.sign(&[Signer::from(&seeds[..])])?;
        if vault.lamports() > 0 {
            vault::pay(vault, funder, vault.lamports(), &signing.signature)?;
        }
        Ok(left)
    }
}

/// The vault, and what it signs with.
struct Signing<'a> {
    vault: &'a AccountView,
    signature: Signature<'a>,
}

/// The vault's associated token account, and the accounts of parties that are left. It is as the associated token program
/// made it: its owner, the vault, signs for nothing else than payments.
struct Purse<'a> {
    program_id: &'a Address,
    mint: &'a Address,
    account: &'a AccountView,
    parties: &'a [AccountView],
}

impl Purse<'_> {
    /// Pays a wallet: to its associated token account or, where the issuer has frozen that or the wallet has given it away, to
    /// its locker's. Whoever sends the instruction creates what is missing: else it could starve a payee.
    #[inline(never)]
    fn pay(&mut self, wallet: &Address, amount: u64, signing: &Signing) -> ProgramResult {
        let [own, of_locker, left @ ..] = self.parties else {
            return Err(RelayError::MissingTokenAccount.into());
        };
        self.parties = left;
        if amount == 0 {
            return Ok(());
        }
        verify::address(own, &associated(wallet, self.mint)?)?;
        fields(own)?;
        let to = if can_receive(own, wallet) {
            own
        } else {
            let locker = locker(wallet, self.program_id)?.0;
            let held = associated(&locker, self.mint)?;
            require(address_eq(of_locker.address(), &held), RelayError::MissingTokenAccount)?;
            fields(of_locker)?;
            require(can_receive(of_locker, &locker), RelayError::PayeeCannotReceive)?;
            of_locker
        };
        verify::writable(to)?;
        let seeds = signing.signature.seeds();
        Call { from: self.account, to, by: signing.vault, amount: Some(amount) }.sign(&[Signer::from(&seeds[..])])
    }
}

/// A call of the token program.
pub struct Call<'a> {
    pub from: &'a AccountView,
    pub to: &'a AccountView,
    pub by: &'a AccountView,
    /// To transfer; none: `from` is empty, and gives its rent to `to` and closes.
    pub amount: Option<u64>,
}

impl Call<'_> {
    // Not inlined, because a call of another program is large.
    #[inline(never)]
    pub fn sign(&self, signers: &[Signer]) -> ProgramResult {
        let Self { from, to, by, amount } = *self;
        let accounts = [
            InstructionAccount::writable(from.address()),
            InstructionAccount::writable(to.address()),
            InstructionAccount::readonly_signer(by.address()),
        ];
        let mut transfer = [TRANSFER; 9];
        let data: &[u8] = match amount {
            Some(amount) => {
                transfer[1..].copy_from_slice(&amount.to_le_bytes());
                &transfer
            }
            None => &[CLOSE_ACCOUNT],
        };
        let instruction = InstructionView { program_id: &TOKEN_PROGRAM, accounts: &accounts, data };
        invoke_signed(&instruction, &[from, to, by], signers)
    }
}

/// The associated token account of a wallet.
#[inline(never)]
pub fn associated(wallet: &Address, mint: &Address) -> Result<Address, RelayError> {
    let seeds: &[&[u8]; 3] = &[wallet.as_ref(), TOKEN_PROGRAM.as_ref(), mint.as_ref()];
    let derived = Address::derive_program_address(seeds, &ASSOCIATED_TOKEN_PROGRAM);
    Ok(derived.ok_or(RelayError::InvalidAccount)?.0)
}

/// Owns the token accounts where money waits for a wallet that could not receive it.
#[inline(always)]
pub fn locker(wallet: &Address, program_id: &Address) -> Result<(Address, u8), RelayError> {
    seeds::derived(&[seeds::LOCKER, wallet.as_ref()], program_id)
}

/// A token account of the classic Token program, of whatever mint and owner.
#[inline(never)]
pub fn fields(account: &AccountView) -> Result<&Account, RelayError> {
    // SAFETY: nothing writes the data while it is read.
    unsafe { Account::from_account_view_unchecked(account) }.map_err(|_| RelayError::MissingTokenAccount)
}

/// A token account that belongs to this owner and is not frozen.
#[inline(never)]
pub fn can_receive(account: &AccountView, owner: &Address) -> bool {
    fields(account).is_ok_and(|fields| address_eq(fields.owner(), owner) && fields.state() == AccountState::Initialized)
}

/// The decimals of a mint that listings can be paid in.
#[inline(always)]
pub fn decimals(mint: &AccountView) -> Result<u8, RelayError> {
    // SAFETY: nothing writes the data while it is read.
    let fields = unsafe { Mint::from_account_view_unchecked(mint) }.map_err(|_| RelayError::InvalidMint)?;
    let fine =
        fields.is_initialized() && fields.decimals() <= MOST_DECIMALS && !address_eq(mint.address(), &NATIVE_MINT);
    require(fine, RelayError::InvalidMint)?;
    Ok(fields.decimals())
}
