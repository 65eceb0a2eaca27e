//! Escrow, handoff and reputation rules of Agent Relay. The numbered rules are in docs/protocol.md.
#![no_std]

mod cpi;
mod entrypoint;
mod error;
mod event;
mod instructions;
mod math;
#[cfg(target_arch = "bpf")]
mod memory;
mod rent;
mod state;
mod verify;

pub use error::RelayError;
