"""Made by `npm run generate` from the contracts of the service. Do not edit."""

from typing import Mapping, NamedTuple, Optional, Sequence


class Account(NamedTuple):
    """An account that an instruction names."""

    name: str
    writable: bool
    signer: bool
    #: May be left out: then the address of the program itself stands in its place.
    optional: bool
    #: Of an account that is always the same.
    address: Optional[str]


class Instruction(NamedTuple):
    """An instruction: accounts in order, and arguments with their types."""

    discriminator: int
    accounts: Sequence[Account]
    arguments: Mapping[str, str]


#: Instructions by name. A type with a question mark is a tail that may be missing.
INSTRUCTIONS: Mapping[str, Instruction] = {
    "initialize": Instruction(0, [Account("upgrade_authority", True, True, False, None), Account("config", True, False, False, None), Account("program", False, False, False, None), Account("program_data", False, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {"authority": "pubkey", "coordinator": "pubkey"}),
    "set_coordinator": Instruction(1, [Account("authority", False, True, False, None), Account("config", True, False, False, None)], {"coordinator": "pubkey"}),
    "set_paused": Instruction(2, [Account("authority", False, True, False, None), Account("config", True, False, False, None)], {"paused": "bool"}),
    "propose_authority": Instruction(12, [Account("authority", False, True, False, None), Account("config", True, False, False, None)], {"new_authority": "pubkey"}),
    "accept_authority": Instruction(13, [Account("new_authority", False, True, False, None), Account("config", True, False, False, None)], {}),
    "list_package": Instruction(3, [Account("funder", True, False, False, None), Account("shipper", False, False, False, None), Account("config", False, False, False, None), Account("package", True, False, False, None), Account("vault", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {"package_id": "bytes:16", "max_budget": "u64", "deadline": "i64", "terms_hash": "bytes:32", "terms": "?terms"}),
    "cancel_package": Instruction(4, [Account("signer", False, True, False, None), Account("config", False, False, False, None), Account("package", True, False, False, None), Account("vault", True, False, False, None), Account("funder", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {}),
    "form_swarm": Instruction(5, [Account("coordinator", True, True, False, None), Account("config", False, False, False, None), Account("package", True, False, False, None), Account("swarm", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {"total_legs": "u8", "total_lamports": "u64"}),
    "assign_leg": Instruction(6, [Account("coordinator", True, True, False, None), Account("config", False, False, False, None), Account("package", True, False, False, None), Account("swarm", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111"), Account("leg", True, False, False, None), Account("courier", False, False, False, None), Account("reputation", True, False, False, None)], {"index": "u8", "payment_lamports": "u64", "counted_later": "?bool"}),
    "confirm_leg": Instruction(7, [Account("recipient", False, False, False, None), Account("package", True, False, False, None), Account("swarm", True, False, False, None), Account("leg", True, False, False, None), Account("vault", True, False, False, None), Account("courier", True, False, False, None), Account("reputation", True, False, False, None), Account("next_leg", True, False, True, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {"formation": "u16"}),
    "settle": Instruction(8, [Account("signer", False, True, False, None), Account("config", False, False, False, None), Account("package", True, False, False, None), Account("vault", True, False, False, None), Account("funder", True, False, False, None), Account("swarm", True, False, False, None), Account("rent_payer", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {}),
    "reclaim_package": Instruction(10, [Account("signer", False, True, False, None), Account("config", False, False, False, None), Account("package", True, False, False, None), Account("vault", True, False, False, None), Account("funder", True, False, False, None), Account("swarm", True, False, False, None), Account("rent_payer", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {}),
    "close_package": Instruction(11, [Account("signer", False, True, False, None), Account("config", False, False, False, None), Account("package", True, False, False, None), Account("funder", True, False, False, None)], {}),
    "open_reputation": Instruction(14, [Account("payer", True, True, False, None), Account("agent", False, False, False, None), Account("reputation", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {}),
    "list_task": Instruction(16, [Account("funder", True, False, False, None), Account("poster", False, False, False, None), Account("config", False, False, False, None), Account("task", True, False, False, None), Account("vault", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {"task_id": "bytes:16", "num_legs": "u8", "max_budget": "u64", "deadline": "i64", "terms_hash": "bytes:32", "terms": "?terms"}),
    "assign_task_leg": Instruction(17, [Account("coordinator", True, True, False, None), Account("config", False, False, False, None), Account("task", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111"), Account("task_leg", True, False, False, None), Account("agent", False, False, False, None), Account("reputation", True, False, False, None)], {"index": "u8", "counted_later": "?bool"}),
    "release_task_leg": Instruction(18, [Account("coordinator", False, True, False, None), Account("config", False, False, False, None), Account("task", True, False, False, None), Account("task_leg", True, False, False, None), Account("rent_payer", True, False, False, None), Account("agent", False, False, False, None)], {"index": "u8"}),
    "confirm_task_leg": Instruction(19, [Account("signer", False, False, False, None), Account("config", False, False, False, None), Account("task", True, False, False, None), Account("task_leg", True, False, False, None), Account("vault", True, False, False, None), Account("agent", True, False, False, None), Account("reputation", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {"index": "u8", "result_hash": "bytes:32"}),
    "settle_task": Instruction(20, [Account("signer", False, True, False, None), Account("config", False, False, False, None), Account("task", True, False, False, None), Account("vault", True, False, False, None), Account("funder", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {}),
    "cancel_task": Instruction(21, [Account("signer", False, True, False, None), Account("config", False, False, False, None), Account("task", True, False, False, None), Account("vault", True, False, False, None), Account("funder", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {}),
    "reclaim_task": Instruction(22, [Account("signer", False, True, False, None), Account("config", False, False, False, None), Account("task", True, False, False, None), Account("vault", True, False, False, None), Account("funder", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {}),
    "close_task": Instruction(23, [Account("signer", False, True, False, None), Account("config", False, False, False, None), Account("task", True, False, False, None), Account("funder", True, False, False, None)], {}),
    "accept": Instruction(24, [Account("courier", True, True, False, None), Account("listing", False, False, False, None), Account("swarm", False, False, True, None), Account("leg", True, False, False, None), Account("lister", False, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {"formation": "u16", "take": "bool"}),
    "vacate": Instruction(25, [Account("signer", False, True, False, None), Account("listing", False, False, False, None), Account("swarm", True, False, True, None), Account("leg", True, False, False, None), Account("courier", True, False, False, None), Account("vault", True, False, False, None), Account("previous_leg", False, False, True, None)], {"formation": "u16"}),
    "claim": Instruction(26, [Account("courier", False, True, False, None), Account("listing", False, False, False, None), Account("swarm", False, False, True, None), Account("leg", True, False, False, None)], {"formation": "u16", "evidence_hash": "bytes:32"}),
    "dispute": Instruction(27, [Account("disputer", True, True, False, None), Account("listing", False, False, False, None), Account("swarm", False, False, True, None), Account("leg", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {"formation": "u16", "reason_hash": "bytes:32"}),
    "rule": Instruction(28, [Account("signer", False, True, False, None), Account("worker", True, False, False, None), Account("other", True, False, False, None), Account("config", False, False, False, None), Account("listing", False, False, False, None), Account("swarm", False, False, True, None), Account("leg", True, False, False, None), Account("fee", True, False, False, None), Account("vault", True, False, False, None)], {"formation": "u16", "percent": "u8"}),
    "set_asset": Instruction(29, [Account("authority", True, True, False, None), Account("config", False, False, False, None), Account("asset", True, False, False, None), Account("mint", False, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {"number": "u8", "is_open": "bool", "min_amount": "u64"}),
    "collect": Instruction(30, [Account("wallet", False, False, False, None), Account("locker", False, False, False, None), Account("from", True, False, False, None), Account("to", True, False, False, None), Account("token_program", False, False, False, None)], {}),
    "set_mandate": Instruction(31, [Account("owner", True, True, False, None), Account("delegate", False, False, False, None), Account("mandate", True, False, False, None), Account("system_program", False, False, False, "11111111111111111111111111111111")], {"asset": "u8", "permits": "u8", "cap": "u64", "period": "u32", "expires_at": "i64", "max_ahead": "u32", "arbiter": "pubkey"}),
    "close_mandate": Instruction(32, [Account("owner", True, True, False, None), Account("mandate", True, False, False, None)], {}),
}

#: Fields of each account, in order.
ACCOUNTS: Mapping[str, Mapping[str, str]] = {
    "config": {"kind": "u8", "version": "u8", "bump": "u8", "authority": "pubkey", "pending_authority": "pubkey", "coordinator": "pubkey", "paused": "u8"},
    "package": {"kind": "u8", "version": "u8", "bump": "u8", "status": "package_status", "vault_bump": "u8", "formation": "u16", "package_id": "bytes:16", "shipper": "pubkey", "funder": "pubkey", "max_budget": "u64", "paid": "u64", "listed_at": "i64", "deadline": "i64", "terms_hash": "bytes:32", "nonce": "bytes:8", "asset": "u8", "reserved": "bytes:23", "terms": "?terms"},
    "swarm": {"kind": "u8", "version": "u8", "bump": "u8", "status": "swarm_status", "formation": "u16", "total_legs": "u8", "assigned_legs": "u8", "completed_legs": "u8", "package": "pubkey", "rent_payer": "pubkey", "total_lamports": "u64", "assigned_lamports": "u64", "paid_lamports": "u64", "last_courier": "pubkey"},
    "leg": {"kind": "u8", "version": "u8", "bump": "u8", "status": "leg_status", "index": "u8", "swarm": "pubkey", "courier": "pubkey", "payment_lamports": "u64", "completed_at": "i64", "turn": "?turn"},
    "reputation": {"kind": "u8", "version": "u8", "bump": "u8", "reliability_score": "u8", "agent": "pubkey", "legs_accepted": "u64", "legs_completed": "u64"},
    "task": {"kind": "u8", "version": "u8", "bump": "u8", "status": "task_status", "vault_bump": "u8", "num_legs": "u8", "assigned_legs": "u8", "completed_legs": "u8", "task_id": "bytes:16", "poster": "pubkey", "funder": "pubkey", "agents": "4*pubkey", "max_budget": "u64", "paid": "u64", "listed_at": "i64", "deadline": "i64", "terms_hash": "bytes:32", "formation": "u16", "nonce": "bytes:8", "asset": "u8", "reserved": "bytes:21", "terms": "?terms"},
    "task_leg": {"kind": "u8", "version": "u8", "bump": "u8", "status": "leg_status", "index": "u8", "task": "pubkey", "agent": "pubkey", "rent_payer": "pubkey", "payment_lamports": "u64", "result_hash": "bytes:32", "completed_at": "i64", "turn": "?turn"},
    "asset": {"kind": "u8", "version": "u8", "bump": "u8", "number": "u8", "mint": "pubkey", "decimals": "u8", "is_open": "u8", "min_amount": "u64", "reserved": "bytes:18"},
    "mandate": {"kind": "u8", "version": "u8", "bump": "u8", "asset": "u8", "permits": "u8", "cap": "u64", "period": "u32", "expires_at": "i64", "max_ahead": "u32", "arbiter": "pubkey", "owner": "pubkey", "delegate": "pubkey", "period_start": "i64", "spent": "u64", "reserved": "bytes:19"},
}

#: The first byte of each account.
KINDS: Mapping[str, int] = {
    "config": 1,
    "package": 2,
    "swarm": 3,
    "leg": 4,
    "reputation": 5,
    "task": 6,
    "task_leg": 7,
    "asset": 8,
    "mandate": 9,
}

#: Structures within accounts and arguments.
STRUCTS: Mapping[str, Mapping[str, str]] = {
    "terms": {"receiver": "pubkey", "arbiter": "pubkey", "stake": "u64", "carry": "u32", "handoff": "u32", "review": "u32", "arbitration": "u32", "flags": "u8"},
    "turn": {"since": "i64", "formation": "u16", "note": "u8", "percent": "u8"},
}

#: Words for a byte, in order.
ENUMS: Mapping[str, Sequence[str]] = {
    "package_status": ["listed", "forming", "in_transit", "delivered", "cancelled", "reclaimed"],
    "swarm_status": ["forming", "active"],
    "leg_status": ["pending", "completed", "accepted", "carried", "claimed", "disputed", "ruled", "vacant"],
    "task_status": ["listed", "in_progress", "completed", "cancelled", "reclaimed"],
}

#: Seeds of derived addresses: a text in quotes, else the type of what stands there.
SEEDS: Mapping[str, Sequence[str]] = {
    "config": ["\"config\""],
    "package": ["\"package\"", "pubkey", "bytes:16"],
    "swarm": ["\"swarm\"", "pubkey"],
    "leg": ["\"leg\"", "pubkey", "u8"],
    "vault": ["\"vault\"", "pubkey"],
    "reputation": ["\"reputation\"", "pubkey"],
    "task": ["\"task\"", "pubkey", "bytes:16"],
    "task_leg": ["\"task_leg\"", "pubkey", "u8"],
    "asset": ["\"asset\"", "u8"],
    "locker": ["\"locker\"", "pubkey"],
    "mandate": ["\"mandate\"", "pubkey", "pubkey", "u8"],
}

#: Names and messages of the program's errors by their code.
ERRORS: Mapping[int, "tuple[str, str]"] = {
    6000: ("LegOutOfOrder", "Legs are assigned and confirmed in index order; this is not the next one"),
    6001: ("MissingNextLeg", "An intermediate leg needs the next leg account"),
    6002: ("UnexpectedNextLeg", "The final leg takes no next leg account"),
    6003: ("UnauthorizedRecipient", "Only the recipient of this leg may confirm it"),
    6004: ("InsufficientVault", "The vault cannot cover the payment on top of its rent minimum"),
    6005: ("InvalidStatus", "The account is not in a status that allows this"),
    6006: ("Paused", "The program is paused; only exits are open"),
    6007: ("Unauthorized", "The signer may not do this"),
    6008: ("DeadlinePassed", "The deadline has passed"),
    6009: ("DeadlineNotReached", "The deadline has not been reached"),
    6010: ("BudgetExceeded", "The payments exceed what is available for them"),
    6011: ("InvalidLegCount", "The number of legs is not allowed or not the one expected"),
    6012: ("InvalidAmount", "An amount must be above zero"),
    6013: ("DuplicateCourier", "A courier cannot have two legs in a row"),
    6014: ("SelfDealing", "Who carries or works may be neither shipper, poster nor coordinator"),
    6015: ("InvalidDeadline", "The deadline must lie 10 minutes to 180 days ahead"),
    6016: ("FormationMismatch", "What was signed belongs to another formation of the package, or to another courier or result of the leg"),
    6017: ("LegsIncomplete", "Not every leg is completed"),
    6018: ("LegsComplete", "Every leg is completed; settle instead"),
    6019: ("TotalMismatch", "The payments of all legs must add up to the total of the swarm"),
    6020: ("InvalidCourier", "The courier must be a wallet: an account of the system program whose address is a key"),
    6021: ("PayeeCannotReceive", "The payee is executable or would stay below its rent minimum"),
    6022: ("InvalidRole", "Authority and coordinator must be two different keys, neither of them zero"),
    6023: ("AlreadyInitialized", "The account to create exists already"),
    6024: ("InvalidAccount", "An account is not the one expected in its place"),
    6025: ("InvalidAccountOwner", "An account is not owned by the program expected"),
    6026: ("InvalidAccountKind", "An account is not of the kind or version expected"),
    6027: ("MissingSignature", "A required signature is missing"),
    6028: ("AccountNotWritable", "An account that must be writable is not"),
    6029: ("NotEnoughAccounts", "The instruction needs more accounts"),
    6030: ("InvalidInstruction", "The instruction is unknown or its data has the wrong length"),
    6031: ("ArithmeticOverflow", "An amount does not fit"),
    6032: ("LegAlreadyAssigned", "The leg has an agent already"),
    6033: ("LegNotAssigned", "The leg has no agent"),
    6034: ("DuplicateAgent", "The agent has another leg of the task"),
    6035: ("InvalidAgent", "The agent must be a wallet: an account of the system program whose address is a key"),
    6036: ("TermsMissing", "The package or task has no terms"),
    6037: ("InvalidTerms", "The terms are not allowed: a key, the stake, a clock or a flag"),
    6038: ("LegInTime", "The clock of the leg's courier is not over yet"),
    6039: ("LegOverdue", "The courier's clock is over: to leave freely is no longer possible"),
    6040: ("ReviewOpen", "The review of the claim is not over yet"),
    6041: ("ReviewOver", "The review of the claim is over; it can no longer be disputed"),
    6042: ("ClaimPending", "A claim, a dispute or a ruling must be ended first"),
    6043: ("MalformedProof", "The Ed25519 instruction just before must verify one signature, with key, signature and text in itself"),
    6044: ("HandoffMismatch", "The signed text is not about this handoff, to the letter"),
    6045: ("HandoffInFuture", "The signed text is of a time that is more than 15 minutes ahead"),
    6046: ("MissingTokenAccount", "A token account that the listing needs was not given, or is not there yet"),
    6047: ("AssetClosed", "No new listing can be paid in this asset"),
    6048: ("InvalidMint", "The mint is none of the Token program with at most 9 decimals, or another one than the asset has"),
    6049: ("MandateMissing", "The funder is neither a wallet that signed nor a mandate: its owner may have ended it"),
    6050: ("MandateExpired", "The mandate has expired"),
    6051: ("MandateForbids", "The mandate does not allow this: the asset, packages or tasks, the time to the deadline, or the terms"),
    6052: ("MandateExceeded", "The mandate allows no more until its period is over"),
    6053: ("MandateEmpty", "The mandate does not hold what this takes"),
}
