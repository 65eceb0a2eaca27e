use pinocchio::{cpi::Seed, AccountView, Address, ProgramResult};

use crate::{
    cpi::Creator,
    error::RelayError,
    event::{AssetSet, Event},
    rent::Rent,
    state::{seeds, Asset, Config, Kind, Version, SOL, U64},
    tokens,
    verify::{self, owned_by, require, Arguments},
};

pub const DISCRIMINATOR: u8 = 29;

#[repr(C)]
struct Args {
    number: u8,
    is_open: u8,
    min_amount: U64,
}

// SAFETY: bytes only.
unsafe impl Arguments for Args {}

/// Makes a token one that listings can be paid in, or opens, closes or bounds it anew. What is listed goes on.
#[inline(always)]
pub fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [authority, config, asset, mint, system_program, ..] = accounts else {
        return Err(RelayError::NotEnoughAccounts.into());
    };
    let Args { number, is_open, min_amount } = Args::read(data)?;

    verify::signer(authority)?;
    verify::writable(authority)?;
    verify::writable(asset)?;
    verify::system_program(system_program)?;
    Config::load(program_id, config)?.require_authority(authority)?;
    require(*is_open <= 1, RelayError::InvalidInstruction)?;
    require(*number != SOL && min_amount.get() > 0, RelayError::InvalidAmount)?;
    let decimals = tokens::decimals(mint)?;
    if !owned_by(asset, program_id) {
        let (address, bump) = seeds::derived(&[seeds::ASSET, &[*number]], program_id)?;
        verify::address(asset, &address)?;
        let signer_seeds = [
            Seed::from(seeds::ASSET),
            Seed::from(core::slice::from_ref(number)),
            Seed::from(core::slice::from_ref(&bump)),
        ];
        let creator = Creator { program_id, payer: authority, rent: Rent::get()?, deposit: 0 };
        creator.create::<Asset>(asset, Version::Plain, &signer_seeds)?;
        // SAFETY: created above.
        let (fields, _) = unsafe { Asset::begin(asset, bump) };
        fields.number = *number;
        fields.mint = *mint.address();
        fields.decimals = decimals;
    }
    let fields = Asset::load_mut(program_id, asset)?;
    require(fields.number == *number, RelayError::InvalidAccount)?;
    verify::address(mint, &fields.mint)?;
    fields.min_amount = *min_amount;
    fields.set_open(*is_open == 1);

    AssetSet {
        discriminator: DISCRIMINATOR,
        number: *number,
        mint: *mint.address(),
        decimals,
        is_open: *is_open,
        min_amount: *min_amount,
    }
    .emit();
    Ok(())
}
