//! A handoff that its receiver signed as a text, at the door, without a wallet's transaction. Whoever has a network sends it.
use pinocchio::{
    sysvars::{
        instructions::{Instructions, INSTRUCTIONS_ID},
        slot_hashes::SLOTHASHES_ID,
    },
    AccountView, Address,
};
use solana_address::address_eq;

use crate::{
    error::{Checked, RelayError},
    state::{Nonce, U16},
    text::Text,
    verify::require,
};

const ED25519: Address = Address::from_str_const("Ed25519SigVerify111111111111111111111111111");
const FIRST_LINE: &[u8] = b"Legwork handoff 1\n";
/// The leg's number, of one digit, in the third line and the end of the line before.
const LEG_AT: usize = 5;
/// A phone's clock may be ahead by so much, seconds.
const CLOCK_AHEAD: i64 = 15 * 60;

/// What the signer says of the parcel, or of a task's result.
#[derive(Clone, Copy)]
pub enum Said<'a> {
    /// By the lister: the first courier has it.
    PickedUp,
    /// By the next courier: it has it from now on.
    TakenOver,
    /// By the lister or the receiver: it is where it should be.
    Received,
    /// By the poster or the receiver: this result of a task is what was asked for.
    Accepted(&'a [u8; 32]),
}

/// The one handoff that a text has to be about.
pub struct Handoff<'a> {
    pub listing: &'a Address,
    pub nonce: &'a Nonce,
    /// From 0 on; people count from 1.
    pub leg: u8,
    pub formation: U16,
    pub said: Said<'a>,
    pub now: i64,
}

/// How somebody agrees to a handoff.
pub enum Agreement<'a> {
    BySignature,
    /// The text that its key signed.
    ByText(&'a [u8]),
}

impl<'a> Agreement<'a> {
    /// The account signs the transaction; or the last account is the instructions sysvar, and the instruction just before this
    /// one verifies a text by this key.
    #[inline(always)]
    pub fn of(signer: &AccountView, last: Option<&'a AccountView>) -> Result<Self, RelayError> {
        if signer.is_signer() {
            return Ok(Self::BySignature);
        }
        signed_text(signer.address(), last).map(Self::ByText)
    }

    /// A signature agrees to whatever the instruction is about, a text only to what it says.
    #[inline(always)]
    pub fn require(&self, handoff: &Handoff) -> Checked {
        match self {
            Self::BySignature => Ok(()),
            Self::ByText(text) => require_about(text, handoff),
        }
    }
}

/// The text of the Ed25519 instruction just before this one.
///
/// Its data has one form only: one signature, its key, signature and text in that order behind the header, all three in that
/// very instruction. Offsets that point elsewhere would have other bytes verified than those that are read here.
#[inline(never)]
fn signed_text<'a>(key: &Address, last: Option<&'a AccountView>) -> Result<&'a [u8], RelayError> {
    const OWN: [u8; 2] = u16::MAX.to_le_bytes();
    const KEY: usize = 16;
    const SIGNATURE: usize = KEY + 32;
    const TEXT: usize = SIGNATURE + 64;
    let sysvar = last.filter(|account| address_eq(account.address(), &INSTRUCTIONS_ID));
    let sysvar = sysvar.ok_or(RelayError::MissingSignature)?;
    // SAFETY: the address is the sysvar's, and nobody writes it.
    let instructions = unsafe { Instructions::new_unchecked(sysvar.borrow_unchecked()) };
    let index = instructions.load_current_index();
    require(index > 0, RelayError::MissingSignature)?;
    // SAFETY: the sysvar lists every instruction up to this one.
    let before = unsafe { instructions.deserialize_instruction_unchecked(index as usize - 1) };
    require(address_eq(before.get_program_id(), &ED25519), RelayError::MissingSignature)?;
    // The sysvar's account outlives the view of it.
    let data = before.get_instruction_data();
    // SAFETY: the bytes are those of the sysvar's account, which live as long as it.
    let data: &'a [u8] = unsafe { core::slice::from_raw_parts(data.as_ptr(), data.len()) };
    require(data.len() > TEXT, RelayError::MalformedProof)?;
    let (header, text) = data.split_at(TEXT);
    let [long, longer] = (text.len() as u16).to_le_bytes();
    let [own, or_own] = OWN;
    let form =
        [1, 0, SIGNATURE as u8, 0, own, or_own, KEY as u8, 0, own, or_own, TEXT as u8, 0, long, longer, own, or_own];
    require(header[..KEY] == form, RelayError::MalformedProof)?;
    require(header[KEY..SIGNATURE] == *key.as_ref(), RelayError::MissingSignature)?;
    Ok(text)
}

/// The text is what people see before they sign, so every line of it counts.
#[inline(never)]
fn require_about(text: &[u8], handoff: &Handoff) -> Checked {
    let Handoff { listing, nonce, leg, formation, said, now } = handoff;
    // Listed before texts were: nothing tells it from the same listing on another cluster.
    require(!nonce.is_none(), RelayError::HandoffMismatch)?;
    let mut text = Text(text);
    text.word(FIRST_LINE)?;
    text.address(listing)?;
    let mut leg_line = *b"\nleg 1, formation ";
    leg_line[LEG_AT] += *leg;
    text.word(&leg_line)?;
    text.number(formation.get())?;
    match said {
        Said::PickedUp => text.word(b"\npicked up\n")?,
        Said::TakenOver => text.word(b"\ntaken over\n")?,
        Said::Received => text.word(b"\nreceived\n")?,
        Said::Accepted(result_hash) => {
            text.word(b"\naccepted\nresult ")?;
            text.hex(*result_hash)?;
        }
    }
    let is_of_parcel = !matches!(said, Said::Accepted(_));
    if is_of_parcel && text.word(b"as described").is_err() {
        text.word(b"noted ")?;
        text.any_hex(64)?;
    }
    text.word(b"\n")?;
    let signed_at = text.time()?;
    text.word(b"\n")?;
    text.hex(nonce.bytes())?;
    text.end()?;
    require(signed_at <= now.saturating_add(CLOCK_AHEAD), RelayError::HandoffInFuture)
}

/// What tells a listing from one at the same address on another cluster: a part of the latest slot's hash, which nobody
/// chooses.
#[inline(always)]
pub fn new_nonce() -> Result<Nonce, RelayError> {
    /// Behind the number of entries and the first one's slot.
    const HASH: usize = 16;
    let mut bytes = [0; 8];
    pinocchio::sysvars::get_sysvar(&mut bytes, &SLOTHASHES_ID, HASH).map_err(|_| RelayError::InvalidAccount)?;
    Ok(Nonce::new(bytes))
}
