//! What packages and tasks share: to be listed, cancelled and closed.
use pinocchio::{
    cpi::Seed,
    error::ProgramError,
    sysvars::{clock::Clock, Sysvar},
    AccountView, Address, ProgramResult,
};

use crate::{
    close::{empty_account, move_lamports},
    cpi::Creator,
    deadline::require_ahead,
    error::RelayError,
    event::{Cancelled, Closed, Event},
    handoff::new_nonce,
    mandate::Draw,
    rent::Rent,
    state::{seeds, Asset, Behind, Config, Kind, Listed, Listing, Mandate, Nonce, Terms, Version, Wish, I64, SOL, U64},
    tokens::{self, Ending, Escrow},
    vault,
    verify::{self, require, Arguments},
};

/// Accounts of a listing, behind which those of tokens may stand.
const OWN: usize = 6;

/// What somebody wants to list.
pub struct Offer<'a> {
    pub id: &'a [u8; 16],
    /// Above zero.
    pub max_budget: U64,
    pub deadline: I64,
    pub terms: Option<&'a Terms>,
}

/// A listing that was just created, its vault funded and its fields still to be filled.
pub struct Opened<'a, T> {
    pub fields: &'a mut T,
    pub address: Address,
    pub vault_bump: u8,
    pub lister: &'a Address,
    pub funder: &'a Address,
    pub now: i64,
    pub nonce: Nonce,
}

/// Creates the account of a package or task, locks its budget in a vault, and lets `fill` write what it is.
#[inline(always)]
pub fn open<T: Listing>(
    program_id: &Address,
    accounts: &mut [AccountView],
    offer: &Offer,
    fill: impl FnOnce(Opened<T>),
) -> ProgramResult {
    let space = T::space(Version::of(offer.terms));
    let form = Form { offer, word: T::WORD, known_flags: T::KNOWN_FLAGS, permit: T::PERMIT, space };
    let Created { bump, vault_bump, asset, now, nonce } = create(program_id, accounts, &form)?;
    let [funder, lister, _, listing, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let address = *listing.address();
    // SAFETY: created above.
    let (fields, tail) = unsafe { T::begin(listing, bump) };
    if let (Some(tail), Some(terms)) = (tail, offer.terms) {
        *tail = *terms;
    }
    if asset != SOL {
        fields.set_asset(asset);
    }
    fill(Opened { fields, address, vault_bump, lister: lister.address(), funder: funder.address(), now, nonce });
    Ok(())
}

/// An offer, and what packages and tasks differ in when they are created.
struct Form<'a> {
    offer: &'a Offer<'a>,
    /// First seed of the address.
    word: &'static [u8],
    /// Flags of terms that mean something.
    known_flags: u8,
    /// Bit among the permits of a mandate.
    permit: u8,
    space: usize,
}

impl Form<'_> {
    /// What the listing signs with to be created.
    #[inline(always)]
    fn seeds<'a>(&'a self, lister: &'a AccountView, bump: &'a u8) -> [Seed<'a>; 4] {
        let lister = Seed::from(lister.address().as_ref());
        [Seed::from(self.word), lister, Seed::from(self.offer.id), Seed::from(core::slice::from_ref(bump))]
    }
}

/// The bumps that were found, and when.
struct Created {
    bump: u8,
    vault_bump: u8,
    asset: u8,
    now: i64,
    nonce: Nonce,
}

// Not inlined, because packages and tasks begin with it; the target passes at most five arguments, the result's place among
// them.
#[inline(never)]
fn create(program_id: &Address, accounts: &mut [AccountView], form: &Form) -> Result<Created, ProgramError> {
    let Form { offer, .. } = form;
    let Some((own, more)) = accounts.split_first_chunk_mut::<OWN>() else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let [funder, lister, config, listing, vault, system_program] = own;
    verify::writable(funder)?;
    verify::writable(listing)?;
    verify::writable(vault)?;
    verify::system_program(system_program)?;
    let settings = Config::load(program_id, config)?;
    settings.require_running()?;
    // A sponsor's listing costs the lister nothing, so the lister need not agree to it.
    if !settings.is_coordinator(funder.address()) {
        verify::signer(lister)?;
    }
    let now = Clock::get()?.unix_timestamp;
    require_ahead(now, offer.deadline.get())?;
    let rent = Rent::get()?;
    let min_balance = rent.minimum(0)?;
    let offered = tokens::offered(program_id, more)?;
    if let Some(terms) = offer.terms {
        terms.require_valid(&Listed {
            lister: lister.address(),
            funder: funder.address(),
            config: settings,
            known_flags: form.known_flags,
            // Half a stake opens a wallet.
            min_stake: match offered {
                Some(asset) => asset.min_amount.get(),
                None => min_balance.saturating_add(min_balance),
            },
            max_budget: offer.max_budget.get(),
        })?;
    }
    let listing_seeds: &[&[u8]; 3] = &[form.word, lister.address().as_ref(), offer.id];
    let bump = seeds::canonical(listing, listing_seeds, program_id)?;
    let vault_seeds: &[&[u8]; 2] = &[seeds::VAULT, listing.address().as_ref()];
    let vault_bump = seeds::canonical(vault, vault_seeds, program_id)?;

    let deposit = match offered {
        Some(asset) => {
            require(offer.max_budget.get() >= asset.min_amount.get(), RelayError::InvalidAmount)?;
            0
        }
        None => offer.max_budget.get().checked_add(min_balance).ok_or(RelayError::ArithmeticOverflow)?,
    };
    if funder.is_signer() {
        let creator = Creator { program_id, payer: funder, rent, deposit };
        creator.create_with_space(listing, form.space, &form.seeds(lister, &bump))?;
    } else {
        create_by_mandate(program_id, own, form, &Drawing { bump, offered, now, deposit })?;
    }
    let [funder, _, _, listing, vault, _] = own;
    let asset = if let Some(Asset { number, .. }) = offered {
        let mandate = if funder.is_signer() { None } else { Some(Mandate::load(program_id, funder)?) };
        Escrow { program_id, asset: *number, listing: listing.address(), vault_bump, accounts: more }.deposit(
            funder,
            offer.max_budget.get(),
            mandate,
        )?;
        *number
    } else {
        // The vault stays a system account without data. What a stranger may have sent to its address comes on top and goes
        // to the funder in the end.
        move_lamports(listing, vault, deposit)?;
        SOL
    };
    Ok(Created { bump, vault_bump, asset, now, nonce: new_nonce()? })
}

/// What is known of a listing that a mandate is to pay for.
struct Drawing<'a> {
    bump: u8,
    offered: Option<&'a Asset>,
    now: i64,
    /// Lamports of the vault.
    deposit: u64,
}

// Apart, so that a listing that a wallet pays for takes no step more.
#[cold]
#[inline(never)]
fn create_by_mandate(
    program_id: &Address,
    accounts: &mut [AccountView; OWN],
    form: &Form,
    drawing: &Drawing,
) -> ProgramResult {
    let [funder, lister, _, listing, ..] = accounts;
    let Form { offer, permit, space, .. } = *form;
    let Drawing { bump, offered, now, deposit } = drawing;
    let asset = offered.map_or(SOL, |asset| asset.number);
    let wish = Wish { permit, asset, now: *now, deadline: offer.deadline.get(), terms: offer.terms };
    Draw { program_id, lister, wish, max_budget: offer.max_budget.get(), space, deposit: *deposit }.create(
        funder,
        listing,
        &form.seeds(lister, bump),
    )
}

/// Withdraws what is only listed; the whole vault returns to the funder. Open while paused.
#[inline(always)]
pub fn cancel<T: Listing>(
    program_id: &Address,
    accounts: &mut [AccountView],
    data: &[u8],
    discriminator: u8,
) -> ProgramResult {
    let [signer, config, listing, vault, funder, system_program, accounts @ ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    <()>::read(data)?;

    verify::signer(signer)?;
    verify::writable(vault)?;
    verify::system_program(system_program)?;
    let settings = Config::load(program_id, config)?;
    let address = *listing.address();
    let fields = T::load_mut(program_id, listing)?;
    fields.require_party(signer.address(), settings, &Behind { program_id, funder })?;
    require(fields.is_listed(), RelayError::InvalidStatus)?;

    fields.cancel();
    let refund = if fields.asset() == SOL {
        vault::refund(program_id, &address, fields, vault, funder)?
    } else {
        Ending::of(program_id, &address, fields, accounts).end(vault, funder)?
    };

    Cancelled { discriminator, listing: address, refund_lamports: U64::new(refund) }.emit();
    Ok(())
}

/// Gives up the data of what is over, and returns its rent to the funder. Open while paused.
///
/// The account itself stays, empty, with the rent of an empty account: its address, and so its id, cannot be used again.
/// What began again there would take confirmations that were signed for this one, and pay by them.
#[inline(always)]
pub fn close<T: Listing>(
    program_id: &Address,
    accounts: &mut [AccountView],
    data: &[u8],
    discriminator: u8,
) -> ProgramResult {
    let [signer, config, listing, funder, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    <()>::read(data)?;

    verify::signer(signer)?;
    verify::writable(listing)?;
    let settings = Config::load(program_id, config)?;
    let fields = T::load(program_id, listing)?;
    fields.require_manager(signer.address(), settings, &Behind { program_id, funder })?;
    require(fields.is_over(), RelayError::InvalidStatus)?;
    verify::address(funder, fields.funder())?;
    verify::payee(funder)?;

    let address = *listing.address();
    // SAFETY: the fields are not used after this.
    let rent = unsafe { empty_account(listing, funder) }?;

    Closed { discriminator, listing: address, rent_lamports: U64::new(rent) }.emit();
    Ok(())
}
