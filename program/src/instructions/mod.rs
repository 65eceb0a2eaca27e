//! One file an instruction: checks first, effects after.
pub mod assign_leg;
pub mod cancel_package;
mod close_swarm;
pub mod confirm_leg;
pub mod form_swarm;
pub mod initialize;
pub mod list_package;
pub mod reclaim_package;
pub mod settle;
