//! Calls the program of its first account with the other accounts, or only logs: what a stranger's program can do to the
//! relay. The first byte of the data says which, the rest is handed on.
#![no_std]

use pinocchio::{
    cpi::invoke_with_bounds,
    error::ProgramError,
    instruction::{InstructionAccount, InstructionView},
    no_allocator, nostd_panic_handler, program_entrypoint, AccountView, Address, ProgramResult,
};

const CALL: u8 = 0;
const LOG: u8 = 1;
/// Accounts of the called instruction at most.
const MAX_ACCOUNTS: usize = 16;

program_entrypoint!(process_instruction, 17);
no_allocator!();
nostd_panic_handler!();

fn process_instruction(_: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    match data.split_first() {
        Some((&CALL, data)) => call(accounts, data),
        Some((&LOG, data)) => {
            log(data);
            Ok(())
        }
        _ => Err(ProgramError::InvalidInstructionData),
    }
}

fn call(accounts: &[AccountView], data: &[u8]) -> ProgramResult {
    let [program, given @ ..] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut metas = [const { InstructionAccount::new(&NOBODY, false, false) }; MAX_ACCOUNTS];
    let mut references = [program; MAX_ACCOUNTS];
    for (index, account) in given.iter().enumerate().take(MAX_ACCOUNTS) {
        metas[index] = InstructionAccount::new(account.address(), account.is_writable(), account.is_signer());
        references[index] = account;
    }
    let count = given.len().min(MAX_ACCOUNTS);
    let instruction = InstructionView { program_id: program.address(), data, accounts: &metas[..count] };
    invoke_with_bounds::<MAX_ACCOUNTS, &AccountView>(&instruction, &references[..count])
}

static NOBODY: Address = Address::new_from_array([0; 32]);

fn log(bytes: &[u8]) {
    let fields = [bytes];
    // SAFETY: the runtime reads one slice of bytes.
    unsafe { pinocchio::syscalls::sol_log_data(fields.as_ptr() as *const u8, 1) }
}
