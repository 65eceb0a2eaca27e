//! Escrow, handoff and reputation rules of Legwork. The numbered rules are in docs/protocol/program.md.
#![no_std]

mod close;
mod cpi;
mod deadline;
mod entrypoint;
mod error;
mod event;
mod handoff;
mod instructions;
mod mandate;
mod math;
#[cfg(target_arch = "bpf")]
mod memory;
mod moving;
mod rent;
mod stake;
mod state;
mod text;
mod tokens;
mod vault;
mod verify;

pub use error::RelayError;
