use pinocchio::error::ProgramError;

/// Code of the first error; the others count up from it in the order below.
const FIRST_CODE: u32 = 6000;

/// What a check that needs nothing of the runtime finds.
pub type Checked = Result<(), RelayError>;

/// Why an instruction was refused, as a custom error code. New errors are added at the end only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// As wide as a register of the target: results of checks need no conversion.
#[repr(u64)]
pub enum RelayError {
    LegOutOfOrder,
    MissingNextLeg,
    UnexpectedNextLeg,
    UnauthorizedRecipient,
    InsufficientVault,
    InvalidStatus,
    Paused,
    Unauthorized,
    DeadlinePassed,
    DeadlineNotReached,
    BudgetExceeded,
    InvalidLegCount,
    InvalidAmount,
    DuplicateCourier,
    SelfDealing,
    InvalidDeadline,
    FormationMismatch,
    LegsIncomplete,
    LegsComplete,
    TotalMismatch,
    InvalidCourier,
    PayeeCannotReceive,
    InvalidRole,
    AlreadyInitialized,
    InvalidAccount,
    InvalidAccountOwner,
    InvalidAccountKind,
    MissingSignature,
    AccountNotWritable,
    NotEnoughAccounts,
    InvalidInstruction,
    ArithmeticOverflow,
    LegAlreadyAssigned,
    LegNotAssigned,
    DuplicateAgent,
    InvalidAgent,
    TermsMissing,
    InvalidTerms,
    LegInTime,
    LegOverdue,
    ReviewOpen,
    ReviewOver,
    ClaimPending,
    MalformedProof,
    HandoffMismatch,
    HandoffInFuture,
    MissingTokenAccount,
    AssetClosed,
    InvalidMint,
    MandateMissing,
    MandateExpired,
    MandateForbids,
    MandateExceeded,
    MandateEmpty,
}

impl RelayError {
    pub const fn code(self) -> u32 {
        FIRST_CODE + self as u32
    }
}

impl From<RelayError> for ProgramError {
    fn from(error: RelayError) -> Self {
        ProgramError::Custom(error.code())
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::{format, string::ToString};

    /// The name of the IDL's error with this code, with a capital first letter.
    fn idl_name(code: u32) -> std::string::String {
        let idl = include_str!("../idl/relay.json");
        let at = idl.find(&format!("\"code\": {code},")).expect("the IDL has the code");
        let start = idl[..at].rfind("\"name\": \"").expect("an error has a name") + 9;
        let name = &idl[start..start + idl[start..].find('"').unwrap()];
        name[..1].to_uppercase() + &name[1..]
    }

    #[test]
    fn errors_have_the_names_and_codes_of_the_idl() {
        let last = RelayError::MandateEmpty.code();
        for code in FIRST_CODE..=last {
            // SAFETY: the enumeration is dense from 0 to its last variant.
            let error: RelayError = unsafe { core::mem::transmute((code - FIRST_CODE) as u64) };
            assert_eq!(format!("{error:?}"), idl_name(code));
        }
        let idl = include_str!("../idl/relay.json");
        assert_eq!(idl.matches("\"kind\": \"errorNode\"").count() as u32, last - FIRST_CODE + 1);
        assert!(!idl.contains(&("\"code\": ".to_string() + &(last + 1).to_string())));
    }
}
