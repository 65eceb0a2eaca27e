//! One file an instruction: checks first, effects after.
pub mod accept_authority;
pub mod assign_leg;
pub mod cancel_package;
pub mod close_package;
mod close_swarm;
pub mod confirm_leg;
pub mod form_swarm;
pub mod initialize;
pub mod list_package;
pub mod propose_authority;
pub mod reclaim_package;
pub mod set_coordinator;
pub mod set_paused;
pub mod settle;
