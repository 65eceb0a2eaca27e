"""Made by `npm run generate` from the contracts of the service. Do not edit."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Mapping, Sequence, Union

from typing_extensions import NotRequired, TypeAlias, TypedDict


class PackageDetail(TypedDict):
    id: str
    status: Literal["listed", "swarm_forming", "in_transit", "delivered", "failed"]
    failureReason: Literal["cancelled", "reclaimed"] | None
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    originLat: float
    """degrees, WGS 84"""
    originLng: float
    """degrees, WGS 84"""
    destLat: float
    """degrees, WGS 84"""
    destLng: float
    """degrees, WGS 84"""
    description: str
    weightKg: float
    volumeLitres: float
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    maxBudget: int
    """base units of the asset, in decimal digits"""
    maxBudgetSol: float | None
    maxBudgetLamports: int | None
    deadline: datetime
    """ISO 8601, UTC"""
    shipperPubkey: str
    """Solana address, base58"""
    funderPubkey: str
    """Solana address, base58"""
    termsHash: str
    """sha256 of the canonical JSON of the terms, hex; stored on-chain"""
    onChainPackage: str
    """Solana address, base58"""
    onChainVault: str
    """Solana address, base58"""
    listSignature: str
    listedAt: datetime
    """ISO 8601, UTC"""
    settleSignature: str | None
    refund: int | None
    """budget minus what the couriers were paid; set at settlement"""
    refundLamports: int | None
    endSignature: str | None
    """of the transaction that cancelled or reclaimed it"""
    biddingWindowSec: int
    biddingClosesAt: datetime | None
    """bids are evaluated when the window closes; null: at once"""
    terms: Terms | None
    requirements: Requirements | None
    erasedAt: datetime | None
    """when its personal data was erased; null: it was not"""
    documentKnown: bool
    """false: rebuilt from the ledger; what it says is not known"""
    bids: int
    """live bids"""
    swarm: Swarm | None
    salt: str | None
    """of the document that termsHash is of; null: listed without one, or erased"""
    privateHashes: PrivateHashes | None
    """in that document, of the private parts; null: it has none"""
    explorer: PackageDetailExplorer
    """pages that show the fields of the same names"""


class PackageDetailExplorer(TypedDict):
    """pages that show the fields of the same names"""
    onChainPackage: str
    onChainVault: str
    listSignature: str
    settleSignature: str | None
    endSignature: str | None


class Terms(TypedDict):
    """what binds both sides: stake, clocks, arbiter; null: nothing does"""
    receiverPubkey: str | None
    """confirms and disputes in the shipper's place; null: nobody does"""
    arbiterPubkey: str
    """rules disputes"""
    stake: int
    """what a courier posts when it accepts, and who disputes its claim"""
    stakeLamports: int | None
    carrySec: int
    """seconds from the turn of a leg to its pickup, and from pickup to handoff or claim; of a task from acceptance to claim"""
    handoffSec: int
    """seconds to accept a leg, and to take over from a courier who claims to be there"""
    reviewSec: int
    """seconds to contradict a claim"""
    arbitrationSec: int
    """seconds to rule a dispute"""
    cosignedPickup: bool
    """the shipper signs the first pickup too; false of tasks"""


class OwnTerms(TypedDict):
    """preset, and of your own: receiverPubkey, arbiterPubkey, stakeSol or stake (base units), carrySec, handoffSec, reviewSec, arbitrationSec, cosignedPickup"""
    preset: NotRequired[Literal["standard", "guarded"]]
    """default standard"""
    receiverPubkey: NotRequired[str]
    """confirms and disputes in the shipper's place"""
    arbiterPubkey: NotRequired[str]
    """default: the arbiter that GET /config names"""
    stakeSol: NotRequired[float]
    """SOL, above 0, at most nine decimals"""
    stake: NotRequired[int]
    """base units of the asset, in decimal digits"""
    carrySec: NotRequired[int]
    """seconds from the turn of a leg to its pickup, and from pickup to handoff or claim; of a task from acceptance to claim"""
    handoffSec: NotRequired[int]
    """seconds to accept a leg, and to take over from a courier who claims to be there"""
    reviewSec: NotRequired[int]
    """seconds to contradict a claim"""
    arbitrationSec: NotRequired[int]
    """seconds to rule a dispute"""
    cosignedPickup: NotRequired[bool]


class Requirements(TypedDict):
    """what an agent must have to be chosen: minScore (percent), minCompleted (legs), capabilities, blocked (keys that get no leg)"""
    minScore: NotRequired[int]
    """least reliability score, percent"""
    minCompleted: NotRequired[int]
    """fewest completed legs"""
    capabilities: NotRequired[list[str]]
    """what its registration must name, all of them"""
    blocked: NotRequired[list[str]]
    """keys that get no leg of it. Everybody can read this list"""


class Package(TypedDict):
    id: str
    status: Literal["listed", "swarm_forming", "in_transit", "delivered", "failed"]
    failureReason: Literal["cancelled", "reclaimed"] | None
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    originLat: float
    """degrees, WGS 84"""
    originLng: float
    """degrees, WGS 84"""
    destLat: float
    """degrees, WGS 84"""
    destLng: float
    """degrees, WGS 84"""
    description: str
    weightKg: float
    volumeLitres: float
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    maxBudget: int
    """base units of the asset, in decimal digits"""
    maxBudgetSol: float | None
    maxBudgetLamports: int | None
    deadline: datetime
    """ISO 8601, UTC"""
    shipperPubkey: str
    """Solana address, base58"""
    funderPubkey: str
    """Solana address, base58"""
    termsHash: str
    """sha256 of the canonical JSON of the terms, hex; stored on-chain"""
    onChainPackage: str
    """Solana address, base58"""
    onChainVault: str
    """Solana address, base58"""
    listSignature: str
    listedAt: datetime
    """ISO 8601, UTC"""
    settleSignature: str | None
    refund: int | None
    """budget minus what the couriers were paid; set at settlement"""
    refundLamports: int | None
    endSignature: str | None
    """of the transaction that cancelled or reclaimed it"""
    biddingWindowSec: int
    biddingClosesAt: datetime | None
    """bids are evaluated when the window closes; null: at once"""
    terms: Terms | None
    requirements: Requirements | None
    erasedAt: datetime | None
    """when its personal data was erased; null: it was not"""
    documentKnown: bool
    """false: rebuilt from the ledger; what it says is not known"""


class PrivateHashes(TypedDict):
    pickup: str | None
    dropoff: str | None


class PrivatePart(TypedDict):
    salt: str
    """random; of the hash that the terms hold"""
    address: str
    """the exact place"""
    contact: NotRequired[str]
    """who is there, and how to reach them"""
    note: NotRequired[str]


class Swarm(TypedDict):
    id: str
    packageId: str
    status: Literal["forming", "active", "settled", "failed"]
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    onChainSwarm: str
    """Solana address, base58"""
    createdAt: datetime
    """when the chain was chosen"""
    formedAt: datetime | None
    """when the ledger showed it"""
    formSignature: str | None
    settleSignature: str | None
    totalLegs: int
    completedLegs: int
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    total: int
    """base units of the asset, in decimal digits"""
    totalLamports: int | None
    exact: bool
    """false: the search ran out of time and this is the best chain it had found"""
    legs: list[Leg]
    explorer: SwarmExplorer
    """pages that show the fields of the same names"""


class SwarmExplorer(TypedDict):
    """pages that show the fields of the same names"""
    onChainSwarm: str
    formSignature: str | None
    settleSignature: str | None


class Leg(TypedDict):
    id: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    pickupLat: float
    """degrees, WGS 84"""
    pickupLng: float
    """degrees, WGS 84"""
    dropoffLat: float
    """degrees, WGS 84"""
    dropoffLng: float
    """degrees, WGS 84"""
    distanceKm: float
    estimatedDurationMin: int
    cost: int
    """what the courier bid"""
    costLamports: int | None
    agreedPayment: int
    """what the leg pays; fixed when the swarm forms"""
    agreedPaymentSol: float | None
    agreedPaymentLamports: int | None
    status: Literal["pending", "completed"]
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    onChainLeg: str
    """Solana address, base58"""
    confirmSignature: str | None
    startedAt: datetime | None
    """when its turn came: the formation, then each handoff; null: not yet"""
    completedAt: datetime | None
    formation: int | None
    """the number that every move of it names"""
    stage: Literal["pending", "accepted", "carried", "claimed", "disputed", "ruled", "vacant", "completed"] | None
    """where it stands by its terms"""
    since: datetime | None
    """from when on its clock counts, by the ledger: its last move"""
    actor: Literal["courier", "shipper", "agent", "poster", "receiver", "arbiter", "coordinator", "anyone", "nobody"] | None
    """whose move it is; receiver: or the lister; anyone: also a stranger"""
    until: datetime | None
    """when silence decides; null: it never does"""
    disputerPubkey: str | None
    """who contradicted its claim"""
    evidenceHash: str | None
    """sha256, hex, of what its claim rests on"""
    reasonHash: str | None
    """sha256, hex, of why it was disputed"""
    percent: int | None
    """what a ruling left of its payment; null: none"""
    forfeited: int | None
    """stake that its courier lost by silence; null: none"""
    forfeitedLamports: int | None
    paid: int | None
    """what it was paid; less than agreed after a ruling; null: not completed"""
    paidLamports: int | None
    explorer: LegExplorer
    """pages that show the fields of the same names"""


class LegExplorer(TypedDict):
    """pages that show the fields of the same names"""
    onChainLeg: str
    confirmSignature: str | None


class DigitalTaskDetail(TypedDict):
    id: str
    status: Literal["listed", "in_progress", "completed", "failed"]
    failureReason: Literal["cancelled", "reclaimed"] | None
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    shipperPubkey: str
    """who posted it"""
    funderPubkey: str
    """Solana address, base58"""
    title: str
    description: str
    isPlanned: bool
    """the service split it into legs, not who posted it"""
    numLegs: int
    completedLegs: int
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    maxBudget: int
    """base units of the asset, in decimal digits"""
    maxBudgetSol: float | None
    maxBudgetLamports: int | None
    paymentPerLeg: int
    """what each leg pays: the budget by the number of legs, rounded down"""
    paymentPerLegSol: float | None
    paymentPerLegLamports: int | None
    claimTimeoutSec: int
    """seconds that an agent has for a leg once it is assigned"""
    deadline: datetime
    """ISO 8601, UTC"""
    termsHash: str
    """sha256 of the canonical JSON of the terms, hex; stored on-chain"""
    onChainTask: str
    """Solana address, base58"""
    onChainVault: str
    """Solana address, base58"""
    listSignature: str
    listedAt: datetime
    """ISO 8601, UTC"""
    settleSignature: str | None
    refund: int | None
    """budget minus what the agents were paid; set at settlement"""
    refundLamports: int | None
    endSignature: str | None
    """of the transaction that cancelled or reclaimed it"""
    terms: Terms | None
    requirements: Requirements | None
    erasedAt: datetime | None
    """when its personal data was erased; null: it was not"""
    documentKnown: bool
    """false: rebuilt from the ledger; what it says is not known"""
    legs: list[DigitalLegDetail]
    resourceUri: str
    """the MCP resource that holds this task with its whole results"""
    salt: str | None
    """of the document that termsHash is of; null: listed without one, or erased"""
    explorer: DigitalTaskDetailExplorer
    """pages that show the fields of the same names"""


class DigitalTaskDetailExplorer(TypedDict):
    """pages that show the fields of the same names"""
    onChainTask: str
    onChainVault: str
    listSignature: str
    settleSignature: str | None
    endSignature: str | None


class DigitalLegDetail(TypedDict):
    id: str
    legIndex: int
    instruction: str
    status: Literal["pending", "in_progress", "completed", "failed"]
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    isOpen: bool
    """nobody has it, and it can be claimed"""
    isWorkable: bool
    """every earlier leg is completed: its agent can work; a claim before that is a reservation"""
    agentPubkey: str | None
    bid: int | None
    """what its agent bid; it is paid the equal share all the same"""
    bidLamports: int | None
    claimedAt: datetime | None
    dueAt: datetime | None
    """set while in_progress: without a result by then it is open again"""
    payment: int | None
    """what its agent was paid; null until it is confirmed"""
    paymentLamports: int | None
    completedAt: datetime | None
    formation: int | None
    """the number that every move of it names"""
    stage: Literal["pending", "accepted", "carried", "claimed", "disputed", "ruled", "vacant", "completed"] | None
    """where it stands by its terms"""
    since: datetime | None
    """from when on its clock counts, by the ledger: its last move"""
    actor: Literal["courier", "shipper", "agent", "poster", "receiver", "arbiter", "coordinator", "anyone", "nobody"] | None
    """whose move it is; receiver: or the lister; anyone: also a stranger"""
    until: datetime | None
    """when silence decides; null: it never does"""
    disputerPubkey: str | None
    """who contradicted its claim"""
    evidenceHash: str | None
    """sha256, hex, of what its claim rests on"""
    reasonHash: str | None
    """sha256, hex, of why it was disputed"""
    percent: int | None
    """what a ruling left of its payment; null: none"""
    forfeited: int | None
    """stake that its courier lost by silence; null: none"""
    forfeitedLamports: int | None
    hasResult: bool
    """a result was handed in; its payment may be under way"""
    result: str | None
    """null until it is confirmed on-chain, or if the confirmed text is not here"""
    resultBytes: int | None
    """size of the whole result in UTF-8; null with it"""
    resultHash: str | None
    """sha256 of text and files, hex; stored on-chain"""
    artifacts: list[DigitalLegDetailArtifactsItem]
    """the files of the result; none while it is null"""
    onChainLeg: str
    """Solana address, base58"""
    assignSignature: str | None
    confirmSignature: str | None
    explorer: DigitalLegDetailExplorer
    """pages that show the fields of the same names"""


class DigitalLegDetailArtifactsItem(TypedDict):
    sha256: str
    name: str
    """file name, 1 to 200 characters"""
    contentType: str
    """media type, as its agent says; nobody has looked"""
    bytes: int


class DigitalLegDetailExplorer(TypedDict):
    """pages that show the fields of the same names"""
    onChainLeg: str
    assignSignature: str | None
    confirmSignature: str | None


class DigitalTask(TypedDict):
    id: str
    status: Literal["listed", "in_progress", "completed", "failed"]
    failureReason: Literal["cancelled", "reclaimed"] | None
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    shipperPubkey: str
    """who posted it"""
    funderPubkey: str
    """Solana address, base58"""
    title: str
    description: str
    isPlanned: bool
    """the service split it into legs, not who posted it"""
    numLegs: int
    completedLegs: int
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    maxBudget: int
    """base units of the asset, in decimal digits"""
    maxBudgetSol: float | None
    maxBudgetLamports: int | None
    paymentPerLeg: int
    """what each leg pays: the budget by the number of legs, rounded down"""
    paymentPerLegSol: float | None
    paymentPerLegLamports: int | None
    claimTimeoutSec: int
    """seconds that an agent has for a leg once it is assigned"""
    deadline: datetime
    """ISO 8601, UTC"""
    termsHash: str
    """sha256 of the canonical JSON of the terms, hex; stored on-chain"""
    onChainTask: str
    """Solana address, base58"""
    onChainVault: str
    """Solana address, base58"""
    listSignature: str
    listedAt: datetime
    """ISO 8601, UTC"""
    settleSignature: str | None
    refund: int | None
    """budget minus what the agents were paid; set at settlement"""
    refundLamports: int | None
    endSignature: str | None
    """of the transaction that cancelled or reclaimed it"""
    terms: Terms | None
    requirements: Requirements | None
    erasedAt: datetime | None
    """when its personal data was erased; null: it was not"""
    documentKnown: bool
    """false: rebuilt from the ledger; what it says is not known"""
    legs: list[DigitalLeg]


class DigitalLeg(TypedDict):
    id: str
    legIndex: int
    instruction: str
    status: Literal["pending", "in_progress", "completed", "failed"]
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    isOpen: bool
    """nobody has it, and it can be claimed"""
    isWorkable: bool
    """every earlier leg is completed: its agent can work; a claim before that is a reservation"""
    agentPubkey: str | None
    bid: int | None
    """what its agent bid; it is paid the equal share all the same"""
    bidLamports: int | None
    claimedAt: datetime | None
    dueAt: datetime | None
    """set while in_progress: without a result by then it is open again"""
    payment: int | None
    """what its agent was paid; null until it is confirmed"""
    paymentLamports: int | None
    completedAt: datetime | None
    formation: int | None
    """the number that every move of it names"""
    stage: Literal["pending", "accepted", "carried", "claimed", "disputed", "ruled", "vacant", "completed"] | None
    """where it stands by its terms"""
    since: datetime | None
    """from when on its clock counts, by the ledger: its last move"""
    actor: Literal["courier", "shipper", "agent", "poster", "receiver", "arbiter", "coordinator", "anyone", "nobody"] | None
    """whose move it is; receiver: or the lister; anyone: also a stranger"""
    until: datetime | None
    """when silence decides; null: it never does"""
    disputerPubkey: str | None
    """who contradicted its claim"""
    evidenceHash: str | None
    """sha256, hex, of what its claim rests on"""
    reasonHash: str | None
    """sha256, hex, of why it was disputed"""
    percent: int | None
    """what a ruling left of its payment; null: none"""
    forfeited: int | None
    """stake that its courier lost by silence; null: none"""
    forfeitedLamports: int | None

QueuedLeg: TypeAlias = "QueuedPhysicalLeg | QueuedDigitalLeg"

Turn: TypeAlias = "PackageTurn | TaskTurn"


class PackageTurn(TypedDict):
    kind: Literal["package"]
    packageId: str
    legId: str
    legIndex: int
    agentPubkey: str
    """who has the leg"""
    stage: Literal["pending", "accepted", "carried", "claimed", "disputed", "ruled", "vacant", "completed"]
    actions: list[Literal["accept", "take", "vacate", "claim", "confirm", "dispute", "rule", "agree", "crank"]]
    """what this key can do: first what is awaited of it, last what pays or forfeits at once"""
    awaited: Literal["accept", "take", "vacate", "claim", "confirm", "dispute", "rule", "agree", "crank"] | None
    """what others wait for this key to do; null: nothing now"""
    moves: NotRequired[list[PackageTurnMovesItem]]
    """what each of the actions does, in their order"""
    actor: Literal["courier", "shipper", "agent", "poster", "receiver", "arbiter", "coordinator", "anyone", "nobody"]
    """whose clock runs until then"""
    until: datetime | None
    """when silence decides; null: it never does"""
    silence: str
    """what it costs this key to do nothing until then, in words"""
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    stake: int
    """the stake of each side"""
    stakeLamports: int | None
    payment: int
    """what the leg pays"""
    paymentLamports: int | None


class PackageTurnMovesItem(TypedDict):
    action: Literal["accept", "take", "vacate", "claim", "confirm", "dispute", "rule", "agree", "crank"]
    when: str | None
    """what has to be true before the move is right; null: nothing"""
    does: str
    """what it does, to whom, and how much, in words"""
    isFinal: bool
    """pays somebody, or takes somebody's stake, at once: nothing undoes it"""
    pays: int | None
    """what the leg is paid at once; null: nothing"""
    paysLamports: int | None
    stakes: int | None
    """the stake that this key posts with it; null: none"""
    stakesLamports: int | None


class TaskTurn(TypedDict):
    kind: Literal["task"]
    taskId: str
    legId: str
    legIndex: int
    agentPubkey: str
    """who has the leg"""
    stage: Literal["pending", "accepted", "carried", "claimed", "disputed", "ruled", "vacant", "completed"]
    actions: list[Literal["accept", "take", "vacate", "claim", "confirm", "dispute", "rule", "agree", "crank"]]
    """what this key can do: first what is awaited of it, last what pays or forfeits at once"""
    awaited: Literal["accept", "take", "vacate", "claim", "confirm", "dispute", "rule", "agree", "crank"] | None
    """what others wait for this key to do; null: nothing now"""
    moves: NotRequired[list[TaskTurnMovesItem]]
    """what each of the actions does, in their order"""
    actor: Literal["courier", "shipper", "agent", "poster", "receiver", "arbiter", "coordinator", "anyone", "nobody"]
    """whose clock runs until then"""
    until: datetime | None
    """when silence decides; null: it never does"""
    silence: str
    """what it costs this key to do nothing until then, in words"""
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    stake: int
    """the stake of each side"""
    stakeLamports: int | None
    payment: int
    """what the leg pays"""
    paymentLamports: int | None


class TaskTurnMovesItem(TypedDict):
    action: Literal["accept", "take", "vacate", "claim", "confirm", "dispute", "rule", "agree", "crank"]
    when: str | None
    """what has to be true before the move is right; null: nothing"""
    does: str
    """what it does, to whom, and how much, in words"""
    isFinal: bool
    """pays somebody, or takes somebody's stake, at once: nothing undoes it"""
    pays: int | None
    """what the leg is paid at once; null: nothing"""
    paysLamports: int | None
    stakes: int | None
    """the stake that this key posts with it; null: none"""
    stakesLamports: int | None


class QueuedPhysicalLeg(TypedDict):
    id: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    pickupLat: float
    """degrees, WGS 84"""
    pickupLng: float
    """degrees, WGS 84"""
    dropoffLat: float
    """degrees, WGS 84"""
    dropoffLng: float
    """degrees, WGS 84"""
    distanceKm: float
    estimatedDurationMin: int
    cost: int
    """what the courier bid"""
    costLamports: int | None
    agreedPayment: int
    """what the leg pays; fixed when the swarm forms"""
    agreedPaymentSol: float | None
    agreedPaymentLamports: int | None
    status: Literal["pending", "completed"]
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    onChainLeg: str
    """Solana address, base58"""
    confirmSignature: str | None
    startedAt: datetime | None
    """when its turn came: the formation, then each handoff; null: not yet"""
    completedAt: datetime | None
    formation: int | None
    """the number that every move of it names"""
    stage: Literal["pending", "accepted", "carried", "claimed", "disputed", "ruled", "vacant", "completed"] | None
    """where it stands by its terms"""
    since: datetime | None
    """from when on its clock counts, by the ledger: its last move"""
    actor: Literal["courier", "shipper", "agent", "poster", "receiver", "arbiter", "coordinator", "anyone", "nobody"] | None
    """whose move it is; receiver: or the lister; anyone: also a stranger"""
    until: datetime | None
    """when silence decides; null: it never does"""
    disputerPubkey: str | None
    """who contradicted its claim"""
    evidenceHash: str | None
    """sha256, hex, of what its claim rests on"""
    reasonHash: str | None
    """sha256, hex, of why it was disputed"""
    percent: int | None
    """what a ruling left of its payment; null: none"""
    forfeited: int | None
    """stake that its courier lost by silence; null: none"""
    forfeitedLamports: int | None
    paid: int | None
    """what it was paid; less than agreed after a ruling; null: not completed"""
    paidLamports: int | None
    explorer: QueuedPhysicalLegExplorer
    """pages that show the fields of the same names"""
    kind: Literal["physical"]
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    packageId: str
    packageStatus: Literal["listed", "swarm_forming", "in_transit", "delivered", "failed"]
    packageDescription: str
    deadline: datetime
    """ISO 8601, UTC"""
    swarmId: str
    swarmStatus: Literal["forming", "active", "settled", "failed"]
    isTurn: bool
    """every earlier leg is completed: the parcel is with this courier"""
    recipientPubkey: str
    """who confirms this leg: the next courier, or the shipper"""
    takeOverLegId: str | None
    """the leg before, which this courier confirms when taking the parcel over; null: it is first"""


class QueuedPhysicalLegExplorer(TypedDict):
    """pages that show the fields of the same names"""
    onChainLeg: str
    confirmSignature: str | None


class QueuedDigitalLeg(TypedDict):
    id: str
    legIndex: int
    instruction: str
    status: Literal["pending", "in_progress", "completed", "failed"]
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    isWorkable: bool
    """every earlier leg is completed: its agent can work; a claim before that is a reservation"""
    bid: int | None
    """what its agent bid; it is paid the equal share all the same"""
    bidLamports: int | None
    claimedAt: datetime | None
    dueAt: datetime | None
    """set while in_progress: without a result by then it is open again"""
    payment: int | None
    """what its agent was paid; null until it is confirmed"""
    paymentLamports: int | None
    completedAt: datetime | None
    formation: int | None
    """the number that every move of it names"""
    stage: Literal["pending", "accepted", "carried", "claimed", "disputed", "ruled", "vacant", "completed"] | None
    """where it stands by its terms"""
    since: datetime | None
    """from when on its clock counts, by the ledger: its last move"""
    actor: Literal["courier", "shipper", "agent", "poster", "receiver", "arbiter", "coordinator", "anyone", "nobody"] | None
    """whose move it is; receiver: or the lister; anyone: also a stranger"""
    until: datetime | None
    """when silence decides; null: it never does"""
    disputerPubkey: str | None
    """who contradicted its claim"""
    evidenceHash: str | None
    """sha256, hex, of what its claim rests on"""
    reasonHash: str | None
    """sha256, hex, of why it was disputed"""
    percent: int | None
    """what a ruling left of its payment; null: none"""
    forfeited: int | None
    """stake that its courier lost by silence; null: none"""
    forfeitedLamports: int | None
    kind: Literal["digital"]
    agentPubkey: str
    """Solana address, base58"""
    taskId: str
    taskStatus: Literal["listed", "in_progress", "completed", "failed"]
    taskTitle: str
    deadline: datetime
    """ISO 8601, UTC"""
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    paymentPerLeg: int
    """base units of the asset, in decimal digits"""
    paymentPerLegLamports: int | None
    hasResult: bool
    """a result was handed in; its payment may be under way"""
    onChainLeg: str
    """Solana address, base58"""
    resourceUri: str
    """the MCP resource of the task, with the results of the legs before"""


class ConsideredBid(TypedDict):
    id: str
    agentPubkey: str
    """Solana address, base58"""
    pickup: ConsideredBidPickup
    dropoff: ConsideredBidDropoff
    distanceKm: float
    estimatedDurationMin: float
    """the agent's own estimate: it counted for nothing"""
    cost: int
    """base units of the asset, in decimal digits"""
    costLamports: int | None
    rho: int
    """percent that its agent counted for then"""
    expiresAt: datetime
    """ISO 8601, UTC"""


class ConsideredBidPickup(TypedDict):
    lat: float
    """degrees, WGS 84"""
    lng: float
    """degrees, WGS 84"""


class ConsideredBidDropoff(TypedDict):
    lat: float
    """degrees, WGS 84"""
    lng: float
    """degrees, WGS 84"""


class ChosenLeg(TypedDict):
    swarmId: str
    legId: str
    legIndex: int
    payment: int
    """what the leg pays"""
    paymentLamports: int | None


class WinningChain(TypedDict):
    swarmId: str
    totalLegs: int
    cost: int
    """what its bids ask together"""
    costLamports: int | None
    total: int
    """what its legs pay together"""
    totalLamports: int | None


Receipt = TypedDict("Receipt", {
    "v": "Literal[\"legwork.receipt/1\"]",
    "program": "str",
    "listing": "str",
    "document": "str",
    "legIndex": "int",
    "formation": "int",
    "said": "Literal[\"picked up\", \"taken over\", \"received\", \"accepted\"]",
    "from": "str",
    "to": "str",
    "condition": "Literal[\"as described\", \"noted\", \"not said\"]",
    "hash": "str | None",
    "at": "str",
    "signed": "SignedHandoff | None",
    "previous": "str | None",
    "landed": "LandedHandoff | None",
})


class SignedHandoff(TypedDict):
    signer: str
    """Solana address, base58"""
    signature: str
    text: str


class LandedHandoff(TypedDict):
    transaction: str
    slot: str

Event: TypeAlias = "PackageListedEvent | BidStoredEvent | BidWithdrawnEvent | SwarmFormedEvent | BidReceivedEvent | LegConfirmedEvent | PackageDeliveredEvent | PackageFailedEvent | TaskListedEvent | TaskLegClaimedEvent | TaskLegAssignedEvent | TaskLegReleasedEvent | TaskLegCompletedEvent | TaskCompletedEvent | TaskFailedEvent | LegAcceptedEvent | LegCarriedEvent | LegVacatedEvent | LegOpenedEvent | LegReplacedEvent | LegClaimedEvent | LegDisputedEvent | LegRuledEvent | LedgerRevertedEvent | LedgerHealedEvent"


class PackageListedEvent(TypedDict):
    packageId: str
    shipperPubkey: str
    """Solana address, base58"""
    origin: PackageListedEventOrigin
    destination: PackageListedEventDestination
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    maxBudgetLamports: int | None
    maxBudget: NotRequired[int]
    """base units of the asset, in decimal digits"""
    deadline: datetime
    """ISO 8601, UTC"""
    onChainPackage: str
    """Solana address, base58"""
    listSignature: str
    type: Literal["PACKAGE_LISTED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class PackageListedEventOrigin(TypedDict):
    lat: float
    """degrees, WGS 84"""
    lng: float
    """degrees, WGS 84"""


class PackageListedEventDestination(TypedDict):
    lat: float
    """degrees, WGS 84"""
    lng: float
    """degrees, WGS 84"""


class BidStoredEvent(TypedDict):
    packageId: str
    bidId: str
    agentPubkey: str
    """Solana address, base58"""
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    costLamports: int | None
    """left out while the bidding window of the package is open"""
    cost: NotRequired[int]
    """base units of the asset, in decimal digits"""
    type: Literal["BID_STORED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class BidWithdrawnEvent(TypedDict):
    packageId: str
    bidId: str
    agentPubkey: str
    """Solana address, base58"""
    type: Literal["BID_WITHDRAWN"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class SwarmFormedEvent(TypedDict):
    packageId: str
    swarmId: str
    onChainSwarm: str
    """Solana address, base58"""
    formSignature: str
    totalLegs: int
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    totalLamports: int | None
    total: NotRequired[int]
    """base units of the asset, in decimal digits"""
    type: Literal["SWARM_FORMED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class BidReceivedEvent(TypedDict):
    packageId: str
    swarmId: str
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    costLamports: int | None
    cost: NotRequired[int]
    """base units of the asset, in decimal digits"""
    agreedPaymentLamports: int | None
    agreedPayment: NotRequired[int]
    """base units of the asset, in decimal digits"""
    type: Literal["BID_RECEIVED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class LegConfirmedEvent(TypedDict):
    packageId: str
    swarmId: str
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    paymentLamports: int | None
    payment: NotRequired[int]
    """base units of the asset, in decimal digits"""
    signature: str
    type: Literal["LEG_CONFIRMED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class PackageDeliveredEvent(TypedDict):
    packageId: str
    settleSignature: str
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    refundLamports: int | None
    refund: NotRequired[int]
    """base units of the asset, in decimal digits"""
    type: Literal["PACKAGE_DELIVERED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class PackageFailedEvent(TypedDict):
    packageId: str
    failureReason: Literal["cancelled", "reclaimed"]
    type: Literal["PACKAGE_FAILED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class TaskListedEvent(TypedDict):
    taskId: str
    shipperPubkey: str
    """Solana address, base58"""
    title: str
    numLegs: int
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    maxBudgetLamports: int | None
    maxBudget: NotRequired[int]
    """base units of the asset, in decimal digits"""
    deadline: datetime
    """ISO 8601, UTC"""
    onChainTask: str
    """Solana address, base58"""
    listSignature: str
    type: Literal["TASK_LISTED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class TaskLegClaimedEvent(TypedDict):
    taskId: str
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    isWorkable: bool
    """false: reserved until the legs before it are completed"""
    type: Literal["TASK_LEG_CLAIMED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class TaskLegAssignedEvent(TypedDict):
    taskId: str
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    dueAt: datetime
    """ISO 8601, UTC"""
    signature: str
    type: Literal["TASK_LEG_ASSIGNED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class TaskLegReleasedEvent(TypedDict):
    taskId: str
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    reason: Literal["withdrawn", "released", "timeout", "lapsed", "refused", "rejected"]
    signature: NotRequired[str]
    """left out when it was never assigned on-chain"""
    type: Literal["TASK_LEG_RELEASED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class TaskLegCompletedEvent(TypedDict):
    taskId: str
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    paymentLamports: int | None
    payment: NotRequired[int]
    """base units of the asset, in decimal digits"""
    resultHash: str
    signature: str
    type: Literal["TASK_LEG_COMPLETED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class TaskCompletedEvent(TypedDict):
    taskId: str
    settleSignature: str
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    refundLamports: int | None
    refund: NotRequired[int]
    """base units of the asset, in decimal digits"""
    type: Literal["TASK_COMPLETED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class TaskFailedEvent(TypedDict):
    taskId: str
    failureReason: Literal["cancelled", "reclaimed"]
    type: Literal["TASK_FAILED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class LegAcceptedEvent(TypedDict):
    kind: Literal["package", "task"]
    packageId: NotRequired[str]
    """of the package; left out where taskId is given"""
    swarmId: NotRequired[str]
    """goes with packageId"""
    taskId: NotRequired[str]
    """of the digital task; left out where packageId is given"""
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    signature: str
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    stakeLamports: int | None
    stake: NotRequired[int]
    """base units of the asset, in decimal digits"""
    type: Literal["LEG_ACCEPTED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class LegCarriedEvent(TypedDict):
    kind: Literal["package", "task"]
    packageId: NotRequired[str]
    """of the package; left out where taskId is given"""
    swarmId: NotRequired[str]
    """goes with packageId"""
    taskId: NotRequired[str]
    """of the digital task; left out where packageId is given"""
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    signature: str
    until: datetime
    """when silence decides"""
    type: Literal["LEG_CARRIED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class LegVacatedEvent(TypedDict):
    kind: Literal["package", "task"]
    packageId: NotRequired[str]
    """of the package; left out where taskId is given"""
    swarmId: NotRequired[str]
    """goes with packageId"""
    taskId: NotRequired[str]
    """of the digital task; left out where packageId is given"""
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    signature: str
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    forfeitedLamports: int | None
    """of its stake; 0: it left in time"""
    forfeited: NotRequired[int]
    """base units of the asset, in decimal digits"""
    type: Literal["LEG_VACATED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class LegOpenedEvent(TypedDict):
    kind: Literal["package"]
    packageId: str
    swarmId: str
    legId: str
    legIndex: int
    pickup: LegOpenedEventPickup
    dropoff: LegOpenedEventDropoff
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    maxCostLamports: int | None
    """the most that a bid for it may ask"""
    maxCost: NotRequired[int]
    """base units of the asset, in decimal digits"""
    closesAt: datetime
    """when its bids are evaluated first"""
    type: Literal["LEG_OPENED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class LegOpenedEventPickup(TypedDict):
    lat: float
    """degrees, WGS 84"""
    lng: float
    """degrees, WGS 84"""


class LegOpenedEventDropoff(TypedDict):
    lat: float
    """degrees, WGS 84"""
    lng: float
    """degrees, WGS 84"""


class LegReplacedEvent(TypedDict):
    kind: Literal["package"]
    packageId: str
    swarmId: str
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    signature: str
    formerLegId: str
    formerAgentPubkey: str
    """Solana address, base58"""
    asset: NotRequired[str]
    """what the listing pays in; left out: SOL"""
    agreedPaymentLamports: int | None
    agreedPayment: NotRequired[int]
    """base units of the asset, in decimal digits"""
    type: Literal["LEG_REPLACED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class LegClaimedEvent(TypedDict):
    kind: Literal["package", "task"]
    packageId: NotRequired[str]
    """of the package; left out where taskId is given"""
    swarmId: NotRequired[str]
    """goes with packageId"""
    taskId: NotRequired[str]
    """of the digital task; left out where packageId is given"""
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    signature: str
    evidenceHash: str
    """sha256, hex"""
    until: datetime
    """when silence decides"""
    type: Literal["LEG_CLAIMED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class LegDisputedEvent(TypedDict):
    kind: Literal["package", "task"]
    packageId: NotRequired[str]
    """of the package; left out where taskId is given"""
    swarmId: NotRequired[str]
    """goes with packageId"""
    taskId: NotRequired[str]
    """of the digital task; left out where packageId is given"""
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    signature: str
    disputerPubkey: str
    """Solana address, base58"""
    reasonHash: str
    """sha256, hex"""
    until: datetime
    """when silence decides"""
    type: Literal["LEG_DISPUTED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class LegRuledEvent(TypedDict):
    kind: Literal["package", "task"]
    packageId: NotRequired[str]
    """of the package; left out where taskId is given"""
    swarmId: NotRequired[str]
    """goes with packageId"""
    taskId: NotRequired[str]
    """of the digital task; left out where packageId is given"""
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    signature: str
    by: Literal["arbiter", "silence", "agreement"]
    percent: int
    """of its payment; 0: the leg is open again"""
    type: Literal["LEG_RULED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class LedgerRevertedEvent(TypedDict):
    packageId: NotRequired[str]
    """of the package; left out where taskId is given"""
    taskId: NotRequired[str]
    """of the digital task; left out where packageId is given"""
    instruction: str
    """name of the program's instruction, such as confirm_leg"""
    signature: str
    """of the transaction that the ledger no longer shows"""
    type: Literal["LEDGER_REVERTED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


class LedgerHealedEvent(TypedDict):
    packageId: NotRequired[str]
    """of the package; left out where taskId is given"""
    taskId: NotRequired[str]
    """of the digital task; left out where packageId is given"""
    changes: list[LedgerHealedEventChangesItem]
    """what is not as it was told before"""
    type: Literal["LEDGER_HEALED"]
    seq: int
    occurredAt: datetime
    """ISO 8601, UTC"""


LedgerHealedEventChangesItem = TypedDict("LedgerHealedEventChangesItem", {
    "legIndex": "int | None",
    "was": "str",
    "is": "str",
})


class GoodCredential(TypedDict):
    valid: Literal[True]
    payload: dict[str, Any]


class RefusedCredential(TypedDict):
    valid: Literal[False]
    reason: Literal["malformed", "unsupported_alg", "unknown_issuer", "bad_signature", "subject_mismatch", "not_yet_valid", "expired", "too_old"]
    expired: NotRequired[Literal[True]]


class NextDigitalLeg(TypedDict):
    legId: str
    agentPubkey: str | None


class Reputation(TypedDict):
    agentPubkey: str
    """Solana address, base58"""
    onChainPDA: str
    """the AgentReputation account"""
    legsAccepted: int
    legsCompleted: int
    reliabilityScore: int
    """floor(legsCompleted / legsAccepted * 100), 0 without history"""
    mirroredAt: datetime | None
    """when the ledger was last read; null: it shows no such account"""


DidDocument = TypedDict("DidDocument", {
    "@context": "list[str]",
    "id": "str",
    "verificationMethod": "list[DidDocumentVerificationMethodItem]",
    "authentication": "list[str]",
    "assertionMethod": "list[str]",
    "service": "list[DidDocumentServiceItem]",
})


class DidDocumentVerificationMethodItem(TypedDict):
    id: str
    """a DID and, after #, a part of its document"""
    type: Literal["Multikey"]
    controller: str
    """did:svc: and a Solana public key in base58"""
    publicKeyMultibase: str
    """z and base58btc of 0xed01 and the 32 bytes of the key"""


class DidDocumentServiceItem(TypedDict):
    id: str
    """a DID and, after #, a part of its document"""
    type: str
    serviceEndpoint: str


class ToldAudit(TypedDict):
    at: datetime
    """ISO 8601, UTC"""
    differences: int
    operatorPubkey: str
    """Solana address, base58"""


class GetConfigAnswer(TypedDict):
    name: str
    """the kind of service; no client should depend on it"""
    version: str
    publicUrl: str
    mcpUrl: str
    """where MCP clients connect (transport http)"""
    cluster: Literal["embedded", "localnet", "devnet", "testnet", "mainnet-beta"]
    rpcUrl: str
    rpcSubscriptionsUrl: str
    genesisHash: str
    programId: str
    """Solana address, base58"""
    coordinatorPubkey: str
    """Solana address, base58"""
    feePayerPubkey: str | None
    """pays the fees of transactions that relayTransaction takes; null: it takes none"""
    arbiterPubkey: str | None
    """rules disputes of packages whose terms name no other; null: terms have to name one"""
    termsDocument: int
    """newest version of the documents of terms that it takes; 2: with a salt"""
    pushPublicKey: str | None
    """applicationServerKey for notices by web push, base64url; null: it sends none"""
    assets: NotRequired[list[GetConfigAnswerAssetsItem]]
    """what listings can be paid in"""
    privateParts: bool
    """whether it keeps private parts of packages"""
    rewards: GetConfigAnswerRewards
    """when reward claims are taken, both ends included"""
    limits: GetConfigAnswerLimits


class GetConfigAnswerAssetsItem(TypedDict):
    asset: str
    """sol, usdc, or a mint"""
    number: int
    """of its account on the ledger; 0: SOL"""
    mint: str | None
    """of the token; null: SOL"""
    decimals: int
    minAmount: int
    """least budget and stake of a listing"""


class GetConfigAnswerRewards(TypedDict):
    """when reward claims are taken, both ends included"""
    opensAt: datetime
    """ISO 8601, UTC"""
    closesAt: datetime
    """ISO 8601, UTC"""


class GetConfigAnswerLimits(TypedDict):
    maxLegs: int
    handoffRadiusKm: float
    maxBudgetLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    bidExpirySec: GetConfigAnswerLimitsBidExpirySec
    deadlineSec: GetConfigAnswerLimitsDeadlineSec
    nonceWindowSec: int
    bodyBytes: int
    biddingWindowSec: GetConfigAnswerLimitsBiddingWindowSec
    liveBidsPerAgent: int
    """live bids of one agent on one package"""
    perMinute: GetConfigAnswerLimitsPerMinute
    """requests a minute; 0: no limit"""
    unsignedCalls: Literal["newcomers", "all", "none"]
    """in whose name bids, claims, releases and results are taken unsigned: newcomers: keys that never signed for one; all: also the others, unless they asked for signatures; none: nobody"""
    newcomers: GetConfigAnswerLimitsNewcomers
    """what the coordinator spends on reputation accounts of agents that have none"""
    fees: NotRequired[GetConfigAnswerLimitsFees]
    """what the coordinator spends in 24 hours on fees and token accounts of others; left out: nothing"""
    perHour: GetConfigAnswerLimitsPerHour
    """listings drafted at one address in an hour; 0: no limit"""
    webhooks: GetConfigAnswerLimitsWebhooks
    """that one key, and one address, may have; 0: no limit"""
    perDay: GetConfigAnswerLimitsPerDay
    """of one address in a day; 0: no limit"""
    sponsoring: GetConfigAnswerLimitsSponsoring


class GetConfigAnswerLimitsBidExpirySec(TypedDict):
    min: int
    max: int
    default: int


class GetConfigAnswerLimitsDeadlineSec(TypedDict):
    min: int
    max: int
    default: int


class GetConfigAnswerLimitsBiddingWindowSec(TypedDict):
    min: int
    max: int
    default: int


class GetConfigAnswerLimitsPerMinute(TypedDict):
    """requests a minute; 0: no limit"""
    toolCalls: int
    bids: int
    bidsPerAddress: int
    writes: int
    parts: int
    reads: int


class GetConfigAnswerLimitsNewcomers(TypedDict):
    """what the coordinator spends on reputation accounts of agents that have none"""
    addressPerDayLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    perDayLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""


class GetConfigAnswerLimitsFees(TypedDict):
    """what the coordinator spends in 24 hours on fees and token accounts of others; left out: nothing"""
    keyPerDayLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    addressPerDayLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    perDayLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""


class GetConfigAnswerLimitsPerHour(TypedDict):
    """listings drafted at one address in an hour; 0: no limit"""
    drafts: int


class GetConfigAnswerLimitsWebhooks(TypedDict):
    """that one key, and one address, may have; 0: no limit"""
    perKey: int
    perAddress: int


class GetConfigAnswerLimitsPerDay(TypedDict):
    """of one address in a day; 0: no limit"""
    airdrops: int


class GetConfigAnswerLimitsSponsoring(TypedDict):
    taskLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    posterPerDayLamports: int
    """of the last 24 hours and what is outstanding from before; signed and unsigned postings count apart"""
    addressPerDayLamports: int
    """of the last 24 hours and what is outstanding from before"""
    perDayLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    outstandingLamports: int
    """advanced and not back yet, in all"""
    maxDeadlineSec: int
    needsApiKey: bool


class GivePapersBody(TypedDict):
    listingId: str
    """of the package or the digital task"""
    document: str
    """the canonical JSON whose sha256 is termsHash"""


class GivePapersAnswer(TypedDict):
    listingId: str
    isNew: bool
    """false: the document was here already"""


class GetHealthAnswer(TypedDict):
    status: Literal["ok"]


class GetOperationsAnswer(TypedDict):
    now: datetime
    """ISO 8601, UTC"""
    version: str
    openUntil: datetime | None
    """of the key that asks, if an operator opened it"""
    rebuilt: bool
    """all listings of the ledger are here"""
    service: GetOperationsAnswerService
    """the process that answers; what it counts begins with its start"""
    database: GetOperationsAnswerDatabase
    ledger: GetOperationsAnswerLedger
    mirroredAt: datetime | None
    """when this process last had all that the ledger shows"""
    coordinator: GetOperationsAnswerCoordinator
    budgets: GetOperationsAnswerBudgets
    """of 24 hours; outstanding: at any time"""
    intents: list[GetOperationsAnswerIntentsItem]
    unnumberedEvents: int
    webhooks: GetOperationsAnswerWebhooks
    files: GetOperationsAnswerFiles
    issuers: list[GetOperationsAnswerIssuersItem]
    """keys of credentials, the newest first"""
    audited: ToldAudit | None
    """what the last audit found that an operator told; null: none was told"""
    attention: list[GetOperationsAnswerAttentionItem]


class GetOperationsAnswerService(TypedDict):
    """the process that answers; what it counts begins with its start"""
    replicas: int
    """services that listen to this database"""
    startedAt: datetime
    """ISO 8601, UTC"""
    refused: int
    """requests above a limit"""
    failed: int
    """requests answered with 500 or above"""


class GetOperationsAnswerDatabase(TypedDict):
    bytes: int
    connections: int
    """of all clients of this database"""
    mostConnections: int
    waiting: int
    """queries of this process without a connection"""


class GetOperationsAnswerLedger(TypedDict):
    slot: int | None
    """null: the node does not answer"""
    behindSec: int | None
    slotsBehind: int
    """of what was final here"""
    paused: bool | None
    """the program takes nothing new"""
    notFinal: int
    halted: int


class GetOperationsAnswerCoordinator(TypedDict):
    pubkey: str
    """Solana address, base58"""
    balanceLamports: int | None
    reserveLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    promisedLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    advancedLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    dayLamports: int
    """at most, of the last 24 hours: rents, fees and funded budgets of what it began, and fees for others; nothing that came back is taken off"""


class GetOperationsAnswerBudgets(TypedDict):
    """of 24 hours; outstanding: at any time"""
    newcomers: GetOperationsAnswerBudgetsNewcomers
    listings: GetOperationsAnswerBudgetsListings
    outstanding: GetOperationsAnswerBudgetsOutstanding
    fees: GetOperationsAnswerBudgetsFees


class GetOperationsAnswerBudgetsNewcomers(TypedDict):
    mostLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    usedLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""


class GetOperationsAnswerBudgetsListings(TypedDict):
    mostLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    usedLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""


class GetOperationsAnswerBudgetsOutstanding(TypedDict):
    mostLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    usedLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""


class GetOperationsAnswerBudgetsFees(TypedDict):
    mostLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    usedLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""


class GetOperationsAnswerIntentsItem(TypedDict):
    kind: str
    status: str
    intents: int
    oldestSec: float
    lastError: str | None
    """of the oldest"""


class GetOperationsAnswerWebhooks(TypedDict):
    active: int
    failing: int
    disabled: int


class GetOperationsAnswerFiles(TypedDict):
    stored: int
    bytes: int
    freeBytes: int | None
    """null: not on a disk of this machine"""
    reserveBytes: int


class GetOperationsAnswerIssuersItem(TypedDict):
    pubkey: str
    """Solana address, base58"""
    since: datetime
    """ISO 8601, UTC"""
    until: datetime | None


class GetOperationsAnswerAttentionItem(TypedDict):
    of: Literal["ledger", "funds", "halt", "intent", "clock", "events", "files", "webhook", "dispute", "history", "audit"]
    subject: str | None
    """package:ID, task:ID or webhook:ID; null: the service"""
    intentId: str | None
    kind: str | None
    """of the intent"""
    since: datetime | None
    cause: str
    advice: str
    acts: list[Literal["open", "close", "retry", "heal", "sweep", "audit"]]


class ActAsOperatorBody(TypedDict):
    act: Literal["open", "close", "retry", "heal", "sweep", "audit"]
    key: NotRequired[str]
    """Solana address, base58"""
    intentId: NotRequired[str]
    kind: NotRequired[str]
    listingId: NotRequired[str]
    differences: NotRequired[int]


class ActAsOperatorAnswer(TypedDict):
    isDone: bool
    outcome: str


class RegisterAgentBody(TypedDict):
    agentPubkey: str
    """Solana wallet address, base58"""
    displayName: NotRequired[str]
    capabilities: NotRequired[list[str]]


class RegisterAgentAnswer(TypedDict):
    registered: Literal[True]
    agentPubkey: str
    """Solana address, base58"""
    airdrop: RegisterAgentAnswerAirdrop
    tokens: NotRequired[list[RegisterAgentAnswerTokensItem]]
    """test tokens that came with the airdrop"""
    systemPrompt: str
    """instructions for a model that acts as this agent"""
    configSnippets: RegisterAgentAnswerConfigSnippets
    """how two host applications are pointed at this service"""


class RegisterAgentAnswerAirdrop(TypedDict):
    status: Literal["sent", "skipped", "failed"]
    signature: str | None
    reason: str | None


class RegisterAgentAnswerTokensItem(TypedDict):
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    amount: int
    """base units of the asset, in decimal digits"""
    signature: str


class RegisterAgentAnswerConfigSnippets(TypedDict):
    """how two host applications are pointed at this service"""
    claudeCode: str
    cursor: str


class GetAgentAnswer(TypedDict):
    agentPubkey: str
    """Solana address, base58"""
    displayName: str | None
    capabilities: list[str]
    requireSignedCalls: bool
    """true: bids, claims, releases and results in its name need its signature"""
    registeredAt: datetime | None
    """null: it took part without registering"""
    reputation: Reputation
    trust: GetAgentAnswerTrust
    history: GetAgentAnswerHistory


class GetAgentAnswerTrust(TypedDict):
    adjustmentPercent: int
    """percent points taken from its weight"""
    isNewcomer: bool
    """no leg of it has ended yet"""
    weightPercent: int
    """what selection and payment count it as"""


class GetAgentAnswerHistory(TypedDict):
    legsPending: int
    """legs of active swarms and assigned digital legs that are not completed yet"""
    legsCompleted: int
    legsLost: int
    """legs assigned on-chain that ended without completion: reclaimed, released or run out of time"""
    earnedLamports: int
    """what its completed legs paid in SOL, physical and digital"""
    bids: int
    """bids it ever made"""
    lastCompletedAt: datetime | None


class UpdateAgentBody(TypedDict):
    displayName: NotRequired[str | None]
    capabilities: NotRequired[list[str]]
    requireSignedCalls: NotRequired[bool]


class UpdateAgentAnswer(TypedDict):
    agentPubkey: str
    """Solana address, base58"""
    displayName: str | None
    capabilities: list[str]
    requireSignedCalls: bool
    """true: bids, claims, releases and results in its name need its signature"""
    registeredAt: datetime | None
    """null: it took part without registering"""


class BuildOpenReputationTxBody(TypedDict):
    payerPubkey: NotRequired[str]
    """Solana wallet address, base58"""


class BuildOpenReputationTxAnswer(TypedDict):
    agentPubkey: str
    """Solana address, base58"""
    signerPubkey: str
    """who has to sign, and pays the rent and the fee"""
    transaction: str
    """unsigned, base64"""
    blockhash: str
    lastValidBlockHeight: int


class GetStatsAnswer(TypedDict):
    packages: int
    packagesByStatus: GetStatsAnswerPackagesByStatus
    digitalTasks: int
    digitalTasksByStatus: GetStatsAnswerDigitalTasksByStatus
    swarms: int
    bids: int
    agents: int
    volumeLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    volumeSol: float
    """SOL"""
    escrowLamports: int
    """what the vaults of packages and digital tasks hold, without their rent"""
    assets: NotRequired[list[GetStatsAnswerAssetsItem]]
    """what listings in tokens paid, and what their vaults hold; never added up"""
    lastEventSeq: int
    """of the newest event that is counted here: give it as since to follow what is not; 0 before the first"""
    medianFormationMs: int | None
    """from the choice of a chain to its formation on the ledger, median of the last 100; null before the first"""


class GetStatsAnswerPackagesByStatus(TypedDict):
    listed: int
    swarm_forming: int
    in_transit: int
    delivered: int
    failed: int


class GetStatsAnswerDigitalTasksByStatus(TypedDict):
    listed: int
    in_progress: int
    completed: int
    failed: int


class GetStatsAnswerAssetsItem(TypedDict):
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    volume: int
    """base units of the asset, in decimal digits"""
    escrow: int
    """base units of the asset, in decimal digits"""


class RegisterWebhookBody(TypedDict):
    url: str
    filter: NotRequired[RegisterWebhookBodyFilter]
    secret: NotRequired[str]
    """key of the HMAC: whsec_ and 24 to 64 bytes in base64"""
    since: NotRequired[int]
    """begin behind this seq; left out: with what happens next"""


class RegisterWebhookBodyFilter(TypedDict):
    package: NotRequired[str]
    """only what is about this package"""
    task: NotRequired[str]
    """only what is about this digital task"""
    agent: NotRequired[str]
    """only listings that this key posted, bid on or worked on, from the first event on that names it"""
    near: NotRequired[str]
    """only packages that start or end near this latitude,longitude, and legs of them that are open near it"""
    radiusKm: NotRequired[float]
    topics: NotRequired[str]
    """types of events, joined by commas"""


class RegisterWebhookAnswer(TypedDict):
    id: str
    url: str
    filter: RegisterWebhookAnswerFilter
    """what it is told of"""
    status: Literal["active", "failing", "disabled"]
    """failing: tried again at nextTryAt; disabled: nothing is sent until POST /webhooks/{webhookId}/redeliver"""
    ackedSeq: int
    """every event up to this seq was taken, or is not one it wants"""
    attempts: int
    """tries of the next event that came to nothing"""
    failingSince: datetime | None
    nextTryAt: datetime | None
    """null unless it is failing"""
    lastError: str | None
    """why the last try came to nothing; null: it did not"""
    deliveredAt: datetime | None
    """when its receiver last took an event"""
    disabledAt: datetime | None
    publicKey: str
    """whpk_ and an Ed25519 key in base64: verifies v1a signatures of this webhook"""
    createdAt: datetime
    """ISO 8601, UTC"""
    secret: str


class RegisterWebhookAnswerFilter(TypedDict):
    """what it is told of"""
    package: NotRequired[str]
    """only what is about this package"""
    task: NotRequired[str]
    """only what is about this digital task"""
    agent: NotRequired[str]
    """only listings that this key posted, bid on or worked on, from the first event on that names it"""
    near: NotRequired[str]
    """only packages that start or end near this latitude,longitude, and legs of them that are open near it"""
    radiusKm: NotRequired[float]
    topics: NotRequired[str]
    """types of events, joined by commas"""


class TestWebhookAnswer(TypedDict):
    delivered: bool
    status: int | None
    """HTTP status of the answer; null: there was none"""
    error: str | None


class RotateWebhookSecretBody(TypedDict):
    secret: NotRequired[str]
    """key of the HMAC: whsec_ and 24 to 64 bytes in base64"""


class RotateWebhookSecretAnswer(TypedDict):
    id: str
    secret: str
    formerUntil: datetime
    """ISO 8601, UTC"""


class RedeliverWebhookBody(TypedDict):
    since: int
    """seq of the last event seen; 0: of none"""


class RedeliverWebhookAnswer(TypedDict):
    id: str
    url: str
    filter: RedeliverWebhookAnswerFilter
    """what it is told of"""
    status: Literal["active", "failing", "disabled"]
    """failing: tried again at nextTryAt; disabled: nothing is sent until POST /webhooks/{webhookId}/redeliver"""
    ackedSeq: int
    """every event up to this seq was taken, or is not one it wants"""
    attempts: int
    """tries of the next event that came to nothing"""
    failingSince: datetime | None
    nextTryAt: datetime | None
    """null unless it is failing"""
    lastError: str | None
    """why the last try came to nothing; null: it did not"""
    deliveredAt: datetime | None
    """when its receiver last took an event"""
    disabledAt: datetime | None
    publicKey: str
    """whpk_ and an Ed25519 key in base64: verifies v1a signatures of this webhook"""
    createdAt: datetime
    """ISO 8601, UTC"""


class RedeliverWebhookAnswerFilter(TypedDict):
    """what it is told of"""
    package: NotRequired[str]
    """only what is about this package"""
    task: NotRequired[str]
    """only what is about this digital task"""
    agent: NotRequired[str]
    """only listings that this key posted, bid on or worked on, from the first event on that names it"""
    near: NotRequired[str]
    """only packages that start or end near this latitude,longitude, and legs of them that are open near it"""
    radiusKm: NotRequired[float]
    topics: NotRequired[str]
    """types of events, joined by commas"""


class DeleteWebhookAnswer(TypedDict):
    id: str


class SubscribePushBody(TypedDict):
    endpoint: str
    expirationTime: NotRequired[int | None]
    """is not looked at: a push service says when one is gone"""
    keys: SubscribePushBodyKeys
    """with which the browser decrypts"""


class SubscribePushBodyKeys(TypedDict):
    """with which the browser decrypts"""
    p256dh: str
    auth: str


class SubscribePushAnswer(TypedDict):
    id: str
    """for DELETE /push/{subscriptionId}"""
    createdAt: datetime
    """ISO 8601, UTC"""


class UnsubscribePushAnswer(TypedDict):
    id: str


class LookupAnswer(TypedDict):
    matches: list[LookupAnswerMatchesItem]


class LookupAnswerMatchesItem(TypedDict):
    kind: Literal["package", "task", "swarm", "leg", "taskLeg", "agent", "transaction"]
    id: str
    """its id; the key of an agent, the signature of a transaction"""
    field: Literal["id", "agentPubkey", "onChainPackage", "onChainVault", "onChainSwarm", "onChainLeg", "onChainTask", "onChainPDA", "signature"]
    """which of its fields the text is"""
    packageId: str | None
    """the package that it is, or belongs to"""
    taskId: str | None
    """the digital task that it is, or belongs to"""
    title: str | None
    """the beginning of the description of its package, the title of its task, the name of the agent"""


class BuildListTxBody(TypedDict):
    shipperPubkey: str
    """Solana wallet address, base58"""
    originLat: float
    """degrees, WGS 84"""
    originLng: float
    """degrees, WGS 84"""
    destLat: float
    """degrees, WGS 84"""
    destLng: float
    """degrees, WGS 84"""
    description: str
    weightKg: float
    """kilograms"""
    volumeLitres: float
    """litres"""
    maxBudgetSol: NotRequired[float]
    """SOL, above 0, at most nine decimals"""
    deadline: NotRequired[datetime]
    """default 72 hours from now; 10 minutes to 180 days away"""
    biddingWindowSec: NotRequired[int]
    """seconds that bids are gathered, hidden from each other, before one chain is chosen; default 0"""
    terms: NotRequired[Literal["plain", "standard", "guarded"] | OwnTerms]
    """plain (the default): none; standard or guarded: who works posts a stake, silence has an end, disputes are ruled"""
    requirements: NotRequired[Requirements]
    maxBudget: NotRequired[int]
    """in place of maxBudgetSol: base units of the asset"""
    asset: NotRequired[str]
    """what it pays in: sol, or a token that GET /config names"""
    mandateOwnerPubkey: NotRequired[str]
    """who pays: the mandate that this owner gave shipperPubkey in the asset; left out: shipperPubkey"""
    private: NotRequired[BuildListTxBodyPrivate]
    """exact addresses, kept encrypted: both parts are for shipper and receiver, and for the arbiter while a leg is disputed; while the package is in transit pickup is for the courier of the first leg once it has accepted, and dropoff for that of the last once it carries the parcel, without terms once the legs before are confirmed. Only couriers with 3 completed legs get the package, unless requirements say minCompleted. The public place of each is rounded to 2 decimals"""
    salt: NotRequired[str]
    """random, so that nobody can test guesses against termsHash"""


class BuildListTxBodyPrivate(TypedDict):
    """exact addresses, kept encrypted: both parts are for shipper and receiver, and for the arbiter while a leg is disputed; while the package is in transit pickup is for the courier of the first leg once it has accepted, and dropoff for that of the last once it carries the parcel, without terms once the legs before are confirmed. Only couriers with 3 completed legs get the package, unless requirements say minCompleted. The public place of each is rounded to 2 decimals"""
    pickup: NotRequired[PrivatePart]
    dropoff: NotRequired[PrivatePart]


class BuildListTxAnswer(TypedDict):
    packageId: str
    transaction: str
    """unsigned, base64"""
    onChainPackage: str
    """Solana address, base58"""
    onChainVault: str
    """Solana address, base58"""
    blockhash: str
    lastValidBlockHeight: int
    termsHash: str


class PostSponsoredBody(TypedDict):
    shipperPubkey: str
    """Solana wallet address, base58"""
    originLat: float
    """degrees, WGS 84"""
    originLng: float
    """degrees, WGS 84"""
    destLat: float
    """degrees, WGS 84"""
    destLng: float
    """degrees, WGS 84"""
    description: str
    weightKg: float
    """kilograms"""
    volumeLitres: float
    """litres"""
    maxBudgetSol: float
    """SOL, above 0, at most nine decimals"""
    deadline: NotRequired[datetime]
    """default 72 hours from now; 10 minutes to 7 days away"""
    biddingWindowSec: NotRequired[int]
    """seconds that bids are gathered, hidden from each other, before one chain is chosen; default 0"""
    terms: NotRequired[Literal["plain", "standard", "guarded"] | OwnTerms]
    """plain (the default): none; standard or guarded: who works posts a stake, silence has an end, disputes are ruled"""
    requirements: NotRequired[Requirements]


class SubmitPackageBody(TypedDict):
    signature: NotRequired[str]
    """of the transaction that you sent, base58"""
    transaction: NotRequired[str]
    """signed, base64; the service sends it"""
    packageId: str


class GetPrivatePartsAnswer(TypedDict):
    """null: there is none, or it is not for this key"""
    packageId: str
    pickup: PrivatePart | None
    dropoff: PrivatePart | None


class ErasePackageDataAnswer(TypedDict):
    packageId: str
    erasedAt: datetime
    """ISO 8601, UTC"""


class EraseTaskDataAnswer(TypedDict):
    taskId: str
    erasedAt: datetime
    """ISO 8601, UTC"""


class GetPackageMoneyAnswer(TypedDict):
    packageId: str
    onChainVault: str
    """Solana address, base58"""
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    vault: int
    """what the vault holds of the budget: the movements into it less those out of it, to the base unit"""
    vaultLamports: int | None
    vaultRentLamports: int
    """what the funder locked on top for the account of the vault itself. The account holds it until the refund, which returns it"""
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    movements: list[GetPackageMoneyAnswerMovementsItem]
    """in the ledger's order"""


GetPackageMoneyAnswerMovementsItem = TypedDict("GetPackageMoneyAnswerMovementsItem", {
    "what": "str",
    "legIndex": "int | None",
    "from": "str",
    "to": "str",
    "amount": "int",
    "lamports": "int | None",
    "signature": "str",
    "slot": "int | None",
    "appliedAt": "datetime | None",
    "finality": "Literal[\"confirmed\", \"final\", \"reverted\"]",
})


class GetPackageReceiptsAnswer(TypedDict):
    packageId: str
    receipts: list[Receipt]


class GetPackageCustodyAnswer(TypedDict):
    jwt: str


class GetDecisionAnswer(TypedDict):
    packageId: str
    swarmId: str
    swarmStatus: Literal["forming", "active", "settled", "failed"]
    decidedAt: datetime
    """the instant from which minutes were counted"""
    exact: bool
    """false: the search ran out of time and this is the best chain it had found"""
    origin: GetDecisionAnswerOrigin
    destination: GetDecisionAnswerDestination
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    budget: int
    """base units of the asset, in decimal digits"""
    budgetLamports: int | None
    deadline: datetime
    """ISO 8601, UTC"""
    shipperPubkey: str
    """its own bids would not count"""
    considered: list[ConsideredBid] | None
    """every bid that it was chosen of; null: chosen by a version that did not keep that"""
    chosen: list[GetDecisionAnswerChosenItem]
    """in carrying order"""
    replacements: NotRequired[list[GetDecisionAnswerReplacementsItem]]
    """couriers who took the place of others, in order"""


class GetDecisionAnswerOrigin(TypedDict):
    lat: float
    """degrees, WGS 84"""
    lng: float
    """degrees, WGS 84"""


class GetDecisionAnswerDestination(TypedDict):
    lat: float
    """degrees, WGS 84"""
    lng: float
    """degrees, WGS 84"""


class GetDecisionAnswerChosenItem(TypedDict):
    bidId: str
    payment: int
    """base units of the asset, in decimal digits"""
    paymentLamports: int | None


class GetDecisionAnswerReplacementsItem(TypedDict):
    legId: str
    """the leg that the courier got"""
    formerLegId: str
    legIndex: int
    decidedAt: datetime
    """ISO 8601, UTC"""
    bidId: str
    payment: int
    """base units of the asset, in decimal digits"""
    paymentLamports: int | None
    maxCost: int
    """the most that a bid could ask"""
    maxCostLamports: int | None
    considered: list[ConsideredBid]


class BuildCancelTxAnswer(TypedDict):
    packageId: str
    signerPubkey: str
    """who has to sign, and pays the fee"""
    transaction: str
    """unsigned, base64"""
    blockhash: str
    lastValidBlockHeight: int


class SubmitBidBody(TypedDict):
    packageId: str
    legId: NotRequired[str]
    """a vacant leg of it, from listOpenings; left out: of a new chain"""
    agentPubkey: str
    """Solana wallet address, base58"""
    pickupLat: float
    """degrees, WGS 84"""
    pickupLng: float
    """degrees, WGS 84"""
    dropoffLat: float
    """degrees, WGS 84"""
    dropoffLng: float
    """degrees, WGS 84"""
    distanceKm: float
    """kilometres; at least 90 % of the great circle"""
    estimatedDurationMin: float
    """minutes, the agent's own estimate: shown with the bid, and used in no choice"""
    costSol: NotRequired[float]
    """SOL, above 0, at most nine decimals"""
    cost: NotRequired[int]
    """in place of costSol: base units of the package's asset"""
    reasoning: NotRequired[str]
    expiresInSec: NotRequired[int]
    """seconds; default 600, or 600 after the bidding window closes"""


class SubmitBidAnswer(TypedDict):
    id: str
    packageId: str
    agentPubkey: str
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    cost: int
    """base units of the asset, in decimal digits"""
    costSol: float | None
    costLamports: int | None
    expectedPayment: int
    """what this bid would be paid if it carried the package alone"""
    expectedPaymentLamports: int | None
    expiresAt: datetime
    """ISO 8601, UTC"""
    createdAt: datetime
    """ISO 8601, UTC"""
    warning: str | None
    """why the bid is not considered for now, or that the wallet cannot pay the stake, and what would help; null: neither"""


class WithdrawBidAnswer(TypedDict):
    id: str
    packageId: str
    legId: str | None
    """the vacant leg that it is for; null: for the package"""
    agentPubkey: str
    """Solana address, base58"""
    pickupLat: float
    """degrees, WGS 84"""
    pickupLng: float
    """degrees, WGS 84"""
    dropoffLat: float
    """degrees, WGS 84"""
    dropoffLng: float
    """degrees, WGS 84"""
    distanceKm: float
    estimatedDurationMin: float
    """the agent's own estimate"""
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    cost: int | None
    """base units of the asset; null while the bidding window is open, but for your own"""
    costSol: float | None
    costLamports: int | None
    reasoning: str | None
    """null as cost is, too"""
    status: Literal["live", "chosen", "expired", "replaced", "withdrawn", "excluded"]
    signed: bool
    """whether the agent's key signed it"""
    expiresAt: datetime
    """ISO 8601, UTC"""
    createdAt: datetime
    """ISO 8601, UTC"""


class BuildConfirmTxAnswer(TypedDict):
    legId: str
    legIndex: int
    isFinal: bool
    recipientPubkey: str
    """Solana address, base58"""
    transaction: str
    """unsigned, base64; the recipient pays the fee"""
    blockhash: str
    lastValidBlockHeight: int


class ConfirmLegBody(TypedDict):
    signature: NotRequired[str]
    """of the transaction that you sent, base58"""
    transaction: NotRequired[str]
    """signed, base64; the service sends it"""


class ConfirmLegAnswer(TypedDict):
    legId: str
    status: Literal["pending", "completed"]
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    swarmStatus: Literal["forming", "active", "settled", "failed"]
    settleSignature: str | None


class MirrorLegBody(TypedDict):
    agentPubkey: str
    """the courier of the leg, or the one who confirms it"""


class MirrorLegAnswer(TypedDict):
    legId: str
    status: Literal["pending", "completed"]
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    swarmStatus: Literal["forming", "active", "settled", "failed"]
    confirmSignature: str | None
    settleSignature: str | None
    recipientPubkey: str
    """who confirms this leg on-chain"""


class BuildTurnTxBody(TypedDict):
    legId: str
    action: Literal["accept", "take", "vacate", "claim", "confirm", "dispute", "rule", "agree", "crank"]
    pubkey: str
    """who makes the move"""
    evenBeforePickup: NotRequired[bool]
    """confirm: true builds it although nobody has picked the parcel up, and pays at once"""
    payerPubkey: NotRequired[str]
    """pays the fee, and signs too; default pubkey"""
    hash: NotRequired[str]
    """as putEvidence answers it. claim, dispute: required; rule: of your reason, if you give one"""
    percent: NotRequired[int]
    """rule and agree: what the worker gets of its payment; 0: the leg is open again"""


class BuildTurnTxAnswer(TypedDict):
    legId: str
    action: Literal["accept", "take", "vacate", "claim", "confirm", "dispute", "rule", "agree", "crank"]
    signers: list[str]
    """all who have to sign; the first pays the fee"""
    transaction: str
    """unsigned, base64"""
    blockhash: str
    lastValidBlockHeight: int


class SubmitTurnBody(TypedDict):
    signature: NotRequired[str]
    """of the transaction that you sent, base58"""
    transaction: NotRequired[str]
    """signed, base64; the service sends it"""
    legId: str


class SubmitTurnAnswer(TypedDict):
    legId: str
    stage: Literal["pending", "accepted", "carried", "claimed", "disputed", "ruled", "vacant", "completed"]
    until: datetime | None
    signature: str


class RelayTransactionBody(TypedDict):
    transaction: str
    """signed by all but its fee payer, base64"""


class RelayTransactionAnswer(TypedDict):
    signature: str
    """of the transaction, which the ledger has confirmed"""
    transaction: str
    """with the signature of its fee payer, base64"""


class PutEvidenceBody(TypedDict):
    text: str


class PutEvidenceAnswer(TypedDict):
    legId: str
    hash: str


class MoveOpeningBody(TypedDict):
    legId: str
    pickupLat: float
    """degrees, WGS 84"""
    pickupLng: float
    """degrees, WGS 84"""
    dropoffLat: NotRequired[float]
    """where a leg that was rebuilt ends"""
    dropoffLng: NotRequired[float]
    """degrees, WGS 84"""


class MoveOpeningAnswer(TypedDict):
    legId: str
    packageId: str
    legIndex: int
    pickup: MoveOpeningAnswerPickup
    dropoff: MoveOpeningAnswerDropoff
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    maxCost: int
    """the most that a bid for it may ask: what is paid is the bid"""
    maxCostLamports: int | None
    deadline: datetime
    """ISO 8601, UTC"""
    closesAt: datetime | None
    """when its bids are evaluated next; null: when the next bid comes"""
    packageDescription: str


class MoveOpeningAnswerPickup(TypedDict):
    lat: float
    """degrees, WGS 84"""
    lng: float
    """degrees, WGS 84"""


class MoveOpeningAnswerDropoff(TypedDict):
    lat: float
    """degrees, WGS 84"""
    lng: float
    """degrees, WGS 84"""


class GetArbiterAnswer(TypedDict):
    arbiterPubkey: str
    """Solana address, base58"""
    ruled: int
    """disputes that it ruled"""
    silent: int
    """disputes that ended because it did not"""
    open: int
    """disputes that wait for it"""
    meanPercent: float | None
    """what its rulings left of payments; null: it ruled none"""


class QuoteBody(TypedDict):
    originLat: NotRequired[float]
    """degrees, WGS 84"""
    originLng: NotRequired[float]
    """degrees, WGS 84"""
    destLat: NotRequired[float]
    """degrees, WGS 84"""
    destLng: NotRequired[float]
    """degrees, WGS 84"""
    weightKg: NotRequired[float]
    """kilograms"""
    numLegs: NotRequired[int]
    """of a digital task, in place of places"""
    capabilities: NotRequired[list[str]]
    """that a digital task requires"""
    terms: NotRequired[Literal["plain", "standard", "guarded"] | OwnTerms]
    """plain (the default): none; standard or guarded: who works posts a stake, silence has an end, disputes are ruled"""


class QuoteAnswer(TypedDict):
    kind: Literal["package", "task"]
    expectedLamports: int | None
    """what agents would be paid in all; null: unknown"""
    lowLamports: int | None
    highLamports: int | None
    distanceKm: float | None
    """by great circle; null of a digital task"""
    agents: int
    """who were paid for the like, bid nearby now, or say that they can do it"""
    formsInSec: float | None
    """from the listing until agents have it; null: unknown"""
    onTop: list[QuoteAnswerOnTopItem]
    basis: QuoteAnswerBasis


class QuoteAnswerOnTopItem(TypedDict):
    what: Literal["rent", "fee", "stake"]
    payer: Literal["shipper", "agent"]
    """whose wallet it leaves"""
    lamports: int | None
    """null: unknown, as the price is"""
    returnedLamports: int | None
    """what of it comes back when all goes well"""
    words: str


class QuoteAnswerBasis(TypedDict):
    settled: int
    """from how many settled listings the price was found"""
    days: int
    """how far back it looks"""
    words: str
    """how the price was found"""


class BuildListDigitalTaskTxBody(TypedDict):
    shipperPubkey: str
    """who posts it"""
    title: str
    description: str
    """the whole goal"""
    maxBudgetSol: NotRequired[float]
    """SOL, above 0, at most nine decimals"""
    legs: NotRequired[list[BuildListDigitalTaskTxBodyLegsItem]]
    """1 to 4 steps in order, each for a different agent; left out, the service plans them"""
    claimTimeoutSec: NotRequired[int]
    """seconds that an agent has for its leg once it is assigned; default 1800"""
    deadline: NotRequired[datetime]
    """default 72 hours from now; at least 10 minutes and claimTimeoutSec for each leg away, at most 180 days"""
    terms: NotRequired[Literal["plain", "standard", "guarded"] | OwnTerms]
    """plain (the default): none; standard or guarded: who works posts a stake, silence has an end, disputes are ruled"""
    requirements: NotRequired[Requirements]
    maxBudget: NotRequired[int]
    """in place of maxBudgetSol: base units of the asset"""
    asset: NotRequired[str]
    """what it pays in: sol, or a token that GET /config names"""
    mandateOwnerPubkey: NotRequired[str]
    """who pays: the mandate that this owner gave shipperPubkey in the asset; left out: shipperPubkey"""
    salt: NotRequired[str]
    """random, so that nobody can test guesses against termsHash"""


class BuildListDigitalTaskTxBodyLegsItem(TypedDict):
    instruction: str
    """what the agent of this leg is to do, exactly"""


class BuildListDigitalTaskTxAnswer(TypedDict):
    taskId: str
    transaction: str
    """unsigned, base64"""
    onChainTask: str
    """Solana address, base58"""
    onChainVault: str
    """Solana address, base58"""
    blockhash: str
    lastValidBlockHeight: int
    termsHash: str
    paymentPerLeg: int
    """base units of the asset, in decimal digits"""
    paymentPerLegLamports: int | None
    legs: list[BuildListDigitalTaskTxAnswerLegsItem]


class BuildListDigitalTaskTxAnswerLegsItem(TypedDict):
    id: str
    legIndex: int
    instruction: str


class SubmitDigitalTaskBody(TypedDict):
    signature: NotRequired[str]
    """of the transaction that you sent, base58"""
    transaction: NotRequired[str]
    """signed, base64; the service sends it"""
    taskId: str


class PostSponsoredDigitalTaskBody(TypedDict):
    shipperPubkey: str
    """who posts it"""
    title: str
    description: str
    """the whole goal"""
    maxBudgetSol: float
    """SOL, above 0, at most nine decimals"""
    legs: NotRequired[list[PostSponsoredDigitalTaskBodyLegsItem]]
    """1 to 4 steps in order, each for a different agent; left out, the service plans them"""
    claimTimeoutSec: NotRequired[int]
    """seconds that an agent has for its leg once it is assigned; default 1800"""
    deadline: NotRequired[datetime]
    """default 72 hours from now; at least 10 minutes and claimTimeoutSec for each leg away, at most 7 days"""
    terms: NotRequired[Literal["plain", "standard", "guarded"] | OwnTerms]
    """plain (the default): none; standard or guarded: who works posts a stake, silence has an end, disputes are ruled"""
    requirements: NotRequired[Requirements]


class PostSponsoredDigitalTaskBodyLegsItem(TypedDict):
    instruction: str
    """what the agent of this leg is to do, exactly"""


class GetTaskMoneyAnswer(TypedDict):
    taskId: str
    onChainVault: str
    """Solana address, base58"""
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    vault: int
    """what the vault holds of the budget: the movements into it less those out of it, to the base unit"""
    vaultLamports: int | None
    vaultRentLamports: int
    """what the funder locked on top for the account of the vault itself. The account holds it until the refund, which returns it"""
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    movements: list[GetTaskMoneyAnswerMovementsItem]
    """in the ledger's order"""


GetTaskMoneyAnswerMovementsItem = TypedDict("GetTaskMoneyAnswerMovementsItem", {
    "what": "str",
    "legIndex": "int | None",
    "from": "str",
    "to": "str",
    "amount": "int",
    "lamports": "int | None",
    "signature": "str",
    "slot": "int | None",
    "appliedAt": "datetime | None",
    "finality": "Literal[\"confirmed\", \"final\", \"reverted\"]",
})


class GetTaskReceiptsAnswer(TypedDict):
    taskId: str
    receipts: list[Receipt]


class BuildCancelDigitalTaskTxAnswer(TypedDict):
    taskId: str
    signerPubkey: str
    """who has to sign, and pays the fee"""
    transaction: str
    """unsigned, base64"""
    blockhash: str
    lastValidBlockHeight: int


class BidDigitalLegBody(TypedDict):
    agentPubkey: str
    """Solana wallet address, base58"""
    bidSol: NotRequired[float]
    """SOL, above 0, at most nine decimals"""
    bid: NotRequired[int]
    """in place of bidSol: base units of the task's asset"""


class BidDigitalLegAnswer(TypedDict):
    taskId: str
    legId: str
    legIndex: int
    agentPubkey: str
    """Solana address, base58"""
    status: Literal["pending", "in_progress", "completed", "failed"]
    """in_progress: assigned on-chain, work; pending: reserved, or its assignment is under way"""
    isWorkable: bool
    """false: reserved until the legs before it are completed"""
    instruction: str
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    bid: int
    """base units of the asset, in decimal digits"""
    bidSol: float | None
    bidLamports: int | None
    paymentPerLeg: int
    """what the leg pays, whatever was bid"""
    paymentPerLegSol: float | None
    paymentPerLegLamports: int | None
    claimTimeoutSec: int
    dueAt: datetime | None
    """hand in the result by then; null until it is assigned on-chain"""
    assignSignature: str | None
    previousResult: str | None
    """result of the leg before: the context of this one"""
    resourceUri: str
    """the MCP resource that holds the task with its whole results"""


class CompleteDigitalLegBody(TypedDict):
    agentPubkey: str
    """Solana wallet address, base58"""
    result: str
    """text, at most 256 KiB in UTF-8"""
    artifacts: NotRequired[list[CompleteDigitalLegBodyArtifactsItem]]
    """its files, uploaded before with startArtifact; resultHash covers them"""


class CompleteDigitalLegBodyArtifactsItem(TypedDict):
    sha256: str
    name: str
    """file name, 1 to 200 characters"""
    contentType: str
    """media type, as its agent says; nobody has looked"""


class CompleteDigitalLegAnswer(TypedDict):
    taskId: str
    legId: str
    legIndex: int
    status: Literal["pending", "in_progress", "completed", "failed"]
    taskStatus: Literal["listed", "in_progress", "completed", "failed"]
    resultBytes: int
    resultHash: str
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    payment: int | None
    """what was paid; null: the payment is under way"""
    paymentLamports: int | None
    finality: Literal["confirmed", "final", "reverted"]
    """whether the ledger may take back what is shown: confirmed, rarely; final, never; reverted, it did"""
    confirmSignature: str | None
    explorer: CompleteDigitalLegAnswerExplorer
    """pages that show the fields of the same names"""
    stage: Literal["pending", "accepted", "carried", "claimed", "disputed", "ruled", "vacant", "completed"] | None
    """of a task with terms"""
    claimTransaction: str | None
    """unsigned, base64; signed and sent it claims the leg: the review begins"""
    notHandedIn: str | None
    """what is still to do, and by when; null: it is handed in"""
    nextLeg: NextDigitalLeg | None
    """whom the result goes to; null: this was the last leg"""


class CompleteDigitalLegAnswerExplorer(TypedDict):
    """pages that show the fields of the same names"""
    confirmSignature: str | None


class ReleaseDigitalLegBody(TypedDict):
    agentPubkey: str
    """Solana wallet address, base58"""


class ReleaseDigitalLegAnswer(TypedDict):
    taskId: str
    legId: str
    status: Literal["pending", "in_progress", "completed", "failed"]
    """pending: it is open; in_progress: its release is under way"""
    isBarred: bool
    """whether the agent can claim no other leg of this task"""


class StartArtifactBody(TypedDict):
    sha256: str
    """of the whole file, hex"""
    bytes: int
    """of the whole file"""


class StartArtifactAnswer(TypedDict):
    legId: str
    sha256: str
    bytes: int
    receivedBytes: int
    """kept of it so far; the next part begins here"""
    partBytes: int
    """bytes of every part but the last"""
    isStored: bool
    """all of it is here, and its sha256 is right"""


class GetDidForm(TypedDict):
    didDocument: DidDocument | None
    didResolutionMetadata: GetDidFormDidResolutionMetadata
    didDocumentMetadata: GetDidFormDidDocumentMetadata


class GetDidFormDidResolutionMetadata(TypedDict):
    contentType: NotRequired[str]
    error: NotRequired[Literal["invalidDid"]]
    message: NotRequired[str]


class GetDidFormDidDocumentMetadata(TypedDict):
    pass


class GetReputationCredentialAnswer(TypedDict):
    jwt: str


class VerifyCredentialBody(TypedDict):
    jwt: str
    """compact JWT"""
    maxAgeSec: NotRequired[int]
    """refuse one issued longer ago than this"""

VerifyCredentialAnswer: TypeAlias = "GoodCredential | RefusedCredential"


class PreviewRewardClaimBody(TypedDict):
    devnetPubkey: str
    """Solana wallet address, base58"""


class PreviewRewardClaimAnswer(TypedDict):
    devnetPubkey: str
    """Solana address, base58"""
    devnetEarningsLamports: int
    """what completed digital legs paid"""
    sponsoredLamports: int
    """of these, from tasks that the coordinator funded"""
    selfFundedLamports: int
    """of these, from tasks that their posters funded"""
    legs: int
    """completed legs that were counted"""
    posters: int
    """distinct posters of their tasks"""
    window: PreviewRewardClaimAnswerWindow
    claim: RegisterRewardClaimAnswer | None
    """the claim of this key, if there is one"""
    payoutProof: str
    """the payout key may sign this text, with its own address in place of {mainnetPubkey}"""


class PreviewRewardClaimAnswerWindow(TypedDict):
    opensAt: datetime
    """ISO 8601, UTC"""
    closesAt: datetime
    """ISO 8601, UTC"""
    isOpen: bool


class RegisterRewardClaimBody(TypedDict):
    devnetPubkey: str
    """Solana wallet address, base58"""
    mainnetPubkey: str
    """where the payout goes, on mainnet"""
    confirmedEarningsLamports: int
    """lamports (1 SOL = 1,000,000,000 lamports)"""
    mainnetSignature: NotRequired[str]
    """signature of the payout key over payoutProof of the preview, base58: proves that somebody holds it"""


class RegisterRewardClaimAnswer(TypedDict):
    id: str
    devnetPubkey: str
    """Solana address, base58"""
    mainnetPubkey: str
    """where the payout goes; it is never changed"""
    mainnetProven: bool
    """the payout key signed for it"""
    devnetEarningsLamports: int
    """what completed digital legs paid"""
    sponsoredLamports: int
    """of these, from tasks that the coordinator funded"""
    selfFundedLamports: int
    """of these, from tasks that their posters funded"""
    legs: int
    """completed legs that were counted"""
    posters: int
    """distinct posters of their tasks"""
    lastConfirmSignature: str | None
    """transaction of the last leg that was counted"""
    claimedAt: datetime
    """ISO 8601, UTC"""
    paidSignature: str | None
    """of the payout on mainnet"""
    paidAt: datetime | None
    explorer: RegisterRewardClaimAnswerExplorer
    """pages that show the fields of the same names"""


class RegisterRewardClaimAnswerExplorer(TypedDict):
    """pages that show the fields of the same names"""
    paidSignature: str | None


class ExportRewardClaimsAnswer(TypedDict):
    csv: str
    sha256: str
    claims: int


class MarkRewardClaimPaidBody(TypedDict):
    signature: str
    """transaction signature, base58"""


class ListOperatorActsAnswerItem(TypedDict):
    at: datetime
    """ISO 8601, UTC"""
    operatorPubkey: str
    """Solana address, base58"""
    openedBy: str | None
    """the operator who opened that key; null: it is one"""
    act: Literal["open", "close", "retry", "heal", "sweep", "audit"]
    target: str
    text: str
    body: str | None
    """whose sha256 the text ends with"""
    signature: str


class ListAgentsAnswerItem(TypedDict):
    agentPubkey: str
    """Solana address, base58"""
    displayName: str | None
    capabilities: list[str]
    requireSignedCalls: bool
    """true: bids, claims, releases and results in its name need its signature"""
    registeredAt: datetime | None
    """null: it took part without registering"""
    reputation: ListAgentsAnswerItemReputation
    """zeros: the ledger shows none"""
    earnedLamports: int
    """what its completed legs paid in SOL, physical and digital"""
    lastCompletedAt: datetime | None


class ListAgentsAnswerItemReputation(TypedDict):
    """zeros: the ledger shows none"""
    legsAccepted: int
    legsCompleted: int
    reliabilityScore: int
    """floor(legsCompleted / legsAccepted * 100), 0 without history"""


class GetLeaderboardAnswerItem(TypedDict):
    agentPubkey: str
    """Solana address, base58"""
    onChainPDA: str
    """the AgentReputation account"""
    legsAccepted: int
    legsCompleted: int
    reliabilityScore: int
    """floor(legsCompleted / legsAccepted * 100), 0 without history"""
    mirroredAt: datetime | None
    """when the ledger was last read; null: it shows no such account"""
    rank: int
    displayName: str | None


class ListPrivateReadingsAnswerItem(TypedDict):
    part: Literal["pickup", "dropoff"]
    readerPubkey: str
    """Solana address, base58"""
    readAs: Literal["shipper", "receiver", "courier", "arbiter"]
    times: int
    firstAt: datetime
    """ISO 8601, UTC"""
    lastAt: datetime
    """ISO 8601, UTC"""


class ListRelaysAnswerItem(TypedDict):
    id: str
    status: Literal["listed", "swarm_forming", "in_transit", "delivered", "failed"]
    description: str
    """its first 80 characters"""
    originLat: float
    """degrees, WGS 84"""
    originLng: float
    """degrees, WGS 84"""
    destLat: float
    """degrees, WGS 84"""
    destLng: float
    """degrees, WGS 84"""
    legs: list[ListRelaysAnswerItemLegsItem]
    """of its swarm, in carrying order; empty without one"""
    completedLegs: int
    totalLegs: int
    holder: str | None
    """the courier that has the parcel; null unless it is in transit"""
    legStartedAt: datetime | None
    """when the holder got it: the last handoff, or the formation; null without a holder"""
    estimatedDurationMin: int | None
    """of the holder's leg, minutes; null without a holder"""
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    paid: int
    """what completed legs paid"""
    paidLamports: int | None
    total: int | None
    """what all legs pay; null without a swarm"""
    totalLamports: int | None
    maxBudget: int
    """base units of the asset, in decimal digits"""
    maxBudgetLamports: int | None
    listedAt: datetime
    """ISO 8601, UTC"""


class ListRelaysAnswerItemLegsItem(TypedDict):
    agentPubkey: str
    """address of a courier, base58"""
    pickupLat: float
    """degrees, WGS 84"""
    pickupLng: float
    """degrees, WGS 84"""
    dropoffLat: float
    """degrees, WGS 84"""
    dropoffLng: float
    """degrees, WGS 84"""
    status: Literal["pending", "completed"]
    stage: Literal["pending", "accepted", "carried", "claimed", "disputed", "ruled", "vacant", "completed"] | None
    """by its terms; null without any"""
    completedAt: datetime | None


class ListAgentBidsAnswerItem(TypedDict):
    id: str
    packageId: str
    legId: str | None
    """the vacant leg that it is for; null: for the package"""
    agentPubkey: str
    """Solana address, base58"""
    pickupLat: float
    """degrees, WGS 84"""
    pickupLng: float
    """degrees, WGS 84"""
    dropoffLat: float
    """degrees, WGS 84"""
    dropoffLng: float
    """degrees, WGS 84"""
    distanceKm: float
    estimatedDurationMin: float
    """the agent's own estimate"""
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    cost: int | None
    """base units of the asset; null while the bidding window is open, but for your own"""
    costSol: float | None
    costLamports: int | None
    reasoning: str | None
    """null as cost is, too"""
    signed: bool
    """whether the agent's key signed it"""
    expiresAt: datetime
    """ISO 8601, UTC"""
    createdAt: datetime
    """ISO 8601, UTC"""
    fate: Literal["live", "chosen", "expired", "replaced", "withdrawn", "excluded", "lost"]
    """lost: it stood when another chain was chosen, or when the package ended without one; live: it can still be chosen"""
    chosenAs: ChosenLeg | None
    """the leg that was made of it; null unless chosen"""
    lostTo: WinningChain | None
    """the chain that was chosen instead; null unless lost, and if there was none"""
    packageStatus: Literal["listed", "swarm_forming", "in_transit", "delivered", "failed"]
    packageDescription: str


class ListEvidenceAnswerItem(TypedDict):
    hash: str
    """sha256 of its UTF-8 bytes, hex: what claims and disputes name"""
    authorPubkey: str
    """Solana address, base58"""
    text: str
    createdAt: datetime
    """ISO 8601, UTC"""


class FindWorkAnswerItem(TypedDict):
    kind: Literal["package", "opening", "leg"]
    """package: takes bids; opening: its vacant leg takes bids; leg: of a digital task, can be claimed"""
    packageId: str | None
    """null of legs of tasks"""
    taskId: str | None
    legId: str | None
    """null of packages"""
    legIndex: int | None
    isWorkable: bool
    """false: the leg before is not completed, and a claim reserves this one"""
    shipperPubkey: str
    """Solana address, base58"""
    title: str | None
    """of the digital task"""
    text: str
    """the package's description, or the instruction of the leg"""
    asset: str
    """sol, usdc, or a mint"""
    decimals: int
    """of the asset: one has 10^decimals base units, which amounts count"""
    maxPay: int
    """the most that it pays: a budget, a share, the most that a bid may ask"""
    maxPaySol: float | None
    maxPayLamports: int | None
    originLat: float | None
    originLng: float | None
    destLat: float | None
    destLng: float | None
    distanceKm: float | None
    """from origin to destination by great circle"""
    weightKg: float | None
    volumeLitres: float | None
    hasTerms: bool
    stake: int
    """what its terms have the agent post; 0 without"""
    stakeLamports: int | None
    terms: Terms | None
    requirements: Requirements | None
    deadline: datetime
    """ISO 8601, UTC"""
    closesAt: datetime
    """from when on nobody can bid or claim"""
    biddingClosesAt: datetime | None
    """of a package whose bids are gathered: when they are evaluated; else null"""
    claimTimeoutSec: int | None
    """seconds that an agent has for the leg of a task once it is assigned; of packages null"""

#: How the fields of each model are decoded; what is left out is as it came.
FORMS: Mapping[str, Union[str, Mapping[str, str]]] = {
    "PackageDetailExplorer": {},
    "PackageDetail": {"maxBudget": "units", "deadline": "instant", "listedAt": "instant", "refund": "units", "biddingClosesAt": "instant", "terms": "Terms", "requirements": "Requirements", "erasedAt": "instant", "swarm": "Swarm", "privateHashes": "PrivateHashes", "explorer": "PackageDetailExplorer"},
    "Terms": {"stake": "units"},
    "OwnTerms": {"stake": "units"},
    "Requirements": {},
    "Package": {"maxBudget": "units", "deadline": "instant", "listedAt": "instant", "refund": "units", "biddingClosesAt": "instant", "terms": "Terms", "requirements": "Requirements", "erasedAt": "instant"},
    "PrivateHashes": {},
    "PrivatePart": {},
    "SwarmExplorer": {},
    "Swarm": {"createdAt": "instant", "formedAt": "instant", "total": "units", "legs": "[Leg", "explorer": "SwarmExplorer"},
    "LegExplorer": {},
    "Leg": {"cost": "units", "agreedPayment": "units", "startedAt": "instant", "completedAt": "instant", "since": "instant", "until": "instant", "forfeited": "units", "paid": "units", "explorer": "LegExplorer"},
    "DigitalTaskDetailExplorer": {},
    "DigitalTaskDetail": {"maxBudget": "units", "paymentPerLeg": "units", "deadline": "instant", "listedAt": "instant", "refund": "units", "terms": "Terms", "requirements": "Requirements", "erasedAt": "instant", "legs": "[DigitalLegDetail", "explorer": "DigitalTaskDetailExplorer"},
    "DigitalLegDetailArtifactsItem": {},
    "DigitalLegDetailExplorer": {},
    "DigitalLegDetail": {"bid": "units", "claimedAt": "instant", "dueAt": "instant", "payment": "units", "completedAt": "instant", "since": "instant", "until": "instant", "forfeited": "units", "artifacts": "[DigitalLegDetailArtifactsItem", "explorer": "DigitalLegDetailExplorer"},
    "DigitalTask": {"maxBudget": "units", "paymentPerLeg": "units", "deadline": "instant", "listedAt": "instant", "refund": "units", "terms": "Terms", "requirements": "Requirements", "erasedAt": "instant", "legs": "[DigitalLeg"},
    "DigitalLeg": {"bid": "units", "claimedAt": "instant", "dueAt": "instant", "payment": "units", "completedAt": "instant", "since": "instant", "until": "instant", "forfeited": "units"},
    "QueuedLeg": "QueuedPhysicalLeg|QueuedDigitalLeg",
    "Turn": "PackageTurn|TaskTurn",
    "PackageTurnMovesItem": {"pays": "units", "stakes": "units"},
    "PackageTurn": {"moves": "[PackageTurnMovesItem", "until": "instant", "stake": "units", "payment": "units"},
    "TaskTurnMovesItem": {"pays": "units", "stakes": "units"},
    "TaskTurn": {"moves": "[TaskTurnMovesItem", "until": "instant", "stake": "units", "payment": "units"},
    "QueuedPhysicalLegExplorer": {},
    "QueuedPhysicalLeg": {"cost": "units", "agreedPayment": "units", "startedAt": "instant", "completedAt": "instant", "since": "instant", "until": "instant", "forfeited": "units", "paid": "units", "explorer": "QueuedPhysicalLegExplorer", "deadline": "instant"},
    "QueuedDigitalLeg": {"bid": "units", "claimedAt": "instant", "dueAt": "instant", "payment": "units", "completedAt": "instant", "since": "instant", "until": "instant", "forfeited": "units", "deadline": "instant", "paymentPerLeg": "units"},
    "ConsideredBidPickup": {},
    "ConsideredBidDropoff": {},
    "ConsideredBid": {"pickup": "ConsideredBidPickup", "dropoff": "ConsideredBidDropoff", "cost": "units", "expiresAt": "instant"},
    "ChosenLeg": {"payment": "units"},
    "WinningChain": {"cost": "units", "total": "units"},
    "Receipt": {"signed": "SignedHandoff", "landed": "LandedHandoff"},
    "SignedHandoff": {},
    "LandedHandoff": {},
    "Event": "PackageListedEvent|BidStoredEvent|BidWithdrawnEvent|SwarmFormedEvent|BidReceivedEvent|LegConfirmedEvent|PackageDeliveredEvent|PackageFailedEvent|TaskListedEvent|TaskLegClaimedEvent|TaskLegAssignedEvent|TaskLegReleasedEvent|TaskLegCompletedEvent|TaskCompletedEvent|TaskFailedEvent|LegAcceptedEvent|LegCarriedEvent|LegVacatedEvent|LegOpenedEvent|LegReplacedEvent|LegClaimedEvent|LegDisputedEvent|LegRuledEvent|LedgerRevertedEvent|LedgerHealedEvent",
    "PackageListedEventOrigin": {},
    "PackageListedEventDestination": {},
    "PackageListedEvent": {"origin": "PackageListedEventOrigin", "destination": "PackageListedEventDestination", "maxBudget": "units", "deadline": "instant", "occurredAt": "instant"},
    "BidStoredEvent": {"cost": "units", "occurredAt": "instant"},
    "BidWithdrawnEvent": {"occurredAt": "instant"},
    "SwarmFormedEvent": {"total": "units", "occurredAt": "instant"},
    "BidReceivedEvent": {"cost": "units", "agreedPayment": "units", "occurredAt": "instant"},
    "LegConfirmedEvent": {"payment": "units", "occurredAt": "instant"},
    "PackageDeliveredEvent": {"refund": "units", "occurredAt": "instant"},
    "PackageFailedEvent": {"occurredAt": "instant"},
    "TaskListedEvent": {"maxBudget": "units", "deadline": "instant", "occurredAt": "instant"},
    "TaskLegClaimedEvent": {"occurredAt": "instant"},
    "TaskLegAssignedEvent": {"dueAt": "instant", "occurredAt": "instant"},
    "TaskLegReleasedEvent": {"occurredAt": "instant"},
    "TaskLegCompletedEvent": {"payment": "units", "occurredAt": "instant"},
    "TaskCompletedEvent": {"refund": "units", "occurredAt": "instant"},
    "TaskFailedEvent": {"occurredAt": "instant"},
    "LegAcceptedEvent": {"stake": "units", "occurredAt": "instant"},
    "LegCarriedEvent": {"until": "instant", "occurredAt": "instant"},
    "LegVacatedEvent": {"forfeited": "units", "occurredAt": "instant"},
    "LegOpenedEventPickup": {},
    "LegOpenedEventDropoff": {},
    "LegOpenedEvent": {"pickup": "LegOpenedEventPickup", "dropoff": "LegOpenedEventDropoff", "maxCost": "units", "closesAt": "instant", "occurredAt": "instant"},
    "LegReplacedEvent": {"agreedPayment": "units", "occurredAt": "instant"},
    "LegClaimedEvent": {"until": "instant", "occurredAt": "instant"},
    "LegDisputedEvent": {"until": "instant", "occurredAt": "instant"},
    "LegRuledEvent": {"occurredAt": "instant"},
    "LedgerRevertedEvent": {"occurredAt": "instant"},
    "LedgerHealedEventChangesItem": {},
    "LedgerHealedEvent": {"changes": "[LedgerHealedEventChangesItem", "occurredAt": "instant"},
    "GoodCredential": {},
    "RefusedCredential": {},
    "NextDigitalLeg": {},
    "Reputation": {"mirroredAt": "instant"},
    "DidDocumentVerificationMethodItem": {},
    "DidDocumentServiceItem": {},
    "DidDocument": {"verificationMethod": "[DidDocumentVerificationMethodItem", "service": "[DidDocumentServiceItem"},
    "ToldAudit": {"at": "instant"},
    "GetConfigAnswerAssetsItem": {"minAmount": "units"},
    "GetConfigAnswerRewards": {"opensAt": "instant", "closesAt": "instant"},
    "GetConfigAnswerLimitsBidExpirySec": {},
    "GetConfigAnswerLimitsDeadlineSec": {},
    "GetConfigAnswerLimitsBiddingWindowSec": {},
    "GetConfigAnswerLimitsPerMinute": {},
    "GetConfigAnswerLimitsNewcomers": {},
    "GetConfigAnswerLimitsFees": {},
    "GetConfigAnswerLimitsPerHour": {},
    "GetConfigAnswerLimitsWebhooks": {},
    "GetConfigAnswerLimitsPerDay": {},
    "GetConfigAnswerLimitsSponsoring": {},
    "GetConfigAnswerLimits": {"bidExpirySec": "GetConfigAnswerLimitsBidExpirySec", "deadlineSec": "GetConfigAnswerLimitsDeadlineSec", "biddingWindowSec": "GetConfigAnswerLimitsBiddingWindowSec", "perMinute": "GetConfigAnswerLimitsPerMinute", "newcomers": "GetConfigAnswerLimitsNewcomers", "fees": "GetConfigAnswerLimitsFees", "perHour": "GetConfigAnswerLimitsPerHour", "webhooks": "GetConfigAnswerLimitsWebhooks", "perDay": "GetConfigAnswerLimitsPerDay", "sponsoring": "GetConfigAnswerLimitsSponsoring"},
    "GetConfigAnswer": {"assets": "[GetConfigAnswerAssetsItem", "rewards": "GetConfigAnswerRewards", "limits": "GetConfigAnswerLimits"},
    "GivePapersBody": {},
    "GivePapersAnswer": {},
    "GetHealthAnswer": {},
    "GetOperationsAnswerService": {"startedAt": "instant"},
    "GetOperationsAnswerDatabase": {},
    "GetOperationsAnswerLedger": {},
    "GetOperationsAnswerCoordinator": {},
    "GetOperationsAnswerBudgetsNewcomers": {},
    "GetOperationsAnswerBudgetsListings": {},
    "GetOperationsAnswerBudgetsOutstanding": {},
    "GetOperationsAnswerBudgetsFees": {},
    "GetOperationsAnswerBudgets": {"newcomers": "GetOperationsAnswerBudgetsNewcomers", "listings": "GetOperationsAnswerBudgetsListings", "outstanding": "GetOperationsAnswerBudgetsOutstanding", "fees": "GetOperationsAnswerBudgetsFees"},
    "GetOperationsAnswerIntentsItem": {},
    "GetOperationsAnswerWebhooks": {},
    "GetOperationsAnswerFiles": {},
    "GetOperationsAnswerIssuersItem": {"since": "instant", "until": "instant"},
    "GetOperationsAnswerAttentionItem": {"since": "instant"},
    "GetOperationsAnswer": {"now": "instant", "openUntil": "instant", "service": "GetOperationsAnswerService", "database": "GetOperationsAnswerDatabase", "ledger": "GetOperationsAnswerLedger", "mirroredAt": "instant", "coordinator": "GetOperationsAnswerCoordinator", "budgets": "GetOperationsAnswerBudgets", "intents": "[GetOperationsAnswerIntentsItem", "webhooks": "GetOperationsAnswerWebhooks", "files": "GetOperationsAnswerFiles", "issuers": "[GetOperationsAnswerIssuersItem", "audited": "ToldAudit", "attention": "[GetOperationsAnswerAttentionItem"},
    "ActAsOperatorBody": {},
    "ActAsOperatorAnswer": {},
    "RegisterAgentBody": {},
    "RegisterAgentAnswerAirdrop": {},
    "RegisterAgentAnswerTokensItem": {"amount": "units"},
    "RegisterAgentAnswerConfigSnippets": {},
    "RegisterAgentAnswer": {"airdrop": "RegisterAgentAnswerAirdrop", "tokens": "[RegisterAgentAnswerTokensItem", "configSnippets": "RegisterAgentAnswerConfigSnippets"},
    "GetAgentAnswerTrust": {},
    "GetAgentAnswerHistory": {"lastCompletedAt": "instant"},
    "GetAgentAnswer": {"registeredAt": "instant", "reputation": "Reputation", "trust": "GetAgentAnswerTrust", "history": "GetAgentAnswerHistory"},
    "UpdateAgentBody": {},
    "UpdateAgentAnswer": {"registeredAt": "instant"},
    "BuildOpenReputationTxBody": {},
    "BuildOpenReputationTxAnswer": {},
    "GetStatsAnswerPackagesByStatus": {},
    "GetStatsAnswerDigitalTasksByStatus": {},
    "GetStatsAnswerAssetsItem": {"volume": "units", "escrow": "units"},
    "GetStatsAnswer": {"packagesByStatus": "GetStatsAnswerPackagesByStatus", "digitalTasksByStatus": "GetStatsAnswerDigitalTasksByStatus", "assets": "[GetStatsAnswerAssetsItem"},
    "RegisterWebhookBodyFilter": {},
    "RegisterWebhookBody": {"filter": "RegisterWebhookBodyFilter"},
    "RegisterWebhookAnswerFilter": {},
    "RegisterWebhookAnswer": {"filter": "RegisterWebhookAnswerFilter", "failingSince": "instant", "nextTryAt": "instant", "deliveredAt": "instant", "disabledAt": "instant", "createdAt": "instant"},
    "TestWebhookAnswer": {},
    "RotateWebhookSecretBody": {},
    "RotateWebhookSecretAnswer": {"formerUntil": "instant"},
    "RedeliverWebhookBody": {},
    "RedeliverWebhookAnswerFilter": {},
    "RedeliverWebhookAnswer": {"filter": "RedeliverWebhookAnswerFilter", "failingSince": "instant", "nextTryAt": "instant", "deliveredAt": "instant", "disabledAt": "instant", "createdAt": "instant"},
    "DeleteWebhookAnswer": {},
    "SubscribePushBodyKeys": {},
    "SubscribePushBody": {"keys": "SubscribePushBodyKeys"},
    "SubscribePushAnswer": {"createdAt": "instant"},
    "UnsubscribePushAnswer": {},
    "LookupAnswerMatchesItem": {},
    "LookupAnswer": {"matches": "[LookupAnswerMatchesItem"},
    "BuildListTxBodyPrivate": {"pickup": "PrivatePart", "dropoff": "PrivatePart"},
    "BuildListTxBody": {"deadline": "instant", "terms": "OwnTerms", "requirements": "Requirements", "maxBudget": "units", "private": "BuildListTxBodyPrivate"},
    "BuildListTxAnswer": {},
    "PostSponsoredBody": {"deadline": "instant", "terms": "OwnTerms", "requirements": "Requirements"},
    "SubmitPackageBody": {},
    "GetPrivatePartsAnswer": {"pickup": "PrivatePart", "dropoff": "PrivatePart"},
    "ErasePackageDataAnswer": {"erasedAt": "instant"},
    "EraseTaskDataAnswer": {"erasedAt": "instant"},
    "GetPackageMoneyAnswerMovementsItem": {"amount": "units", "appliedAt": "instant"},
    "GetPackageMoneyAnswer": {"vault": "units", "movements": "[GetPackageMoneyAnswerMovementsItem"},
    "GetPackageReceiptsAnswer": {"receipts": "[Receipt"},
    "GetPackageCustodyAnswer": {},
    "GetDecisionAnswerOrigin": {},
    "GetDecisionAnswerDestination": {},
    "GetDecisionAnswerChosenItem": {"payment": "units"},
    "GetDecisionAnswerReplacementsItem": {"decidedAt": "instant", "payment": "units", "maxCost": "units", "considered": "[ConsideredBid"},
    "GetDecisionAnswer": {"decidedAt": "instant", "origin": "GetDecisionAnswerOrigin", "destination": "GetDecisionAnswerDestination", "budget": "units", "deadline": "instant", "considered": "[ConsideredBid", "chosen": "[GetDecisionAnswerChosenItem", "replacements": "[GetDecisionAnswerReplacementsItem"},
    "BuildCancelTxAnswer": {},
    "SubmitBidBody": {"cost": "units"},
    "SubmitBidAnswer": {"cost": "units", "expectedPayment": "units", "expiresAt": "instant", "createdAt": "instant"},
    "WithdrawBidAnswer": {"cost": "units", "expiresAt": "instant", "createdAt": "instant"},
    "BuildConfirmTxAnswer": {},
    "ConfirmLegBody": {},
    "ConfirmLegAnswer": {},
    "MirrorLegBody": {},
    "MirrorLegAnswer": {},
    "BuildTurnTxBody": {},
    "BuildTurnTxAnswer": {},
    "SubmitTurnBody": {},
    "SubmitTurnAnswer": {"until": "instant"},
    "RelayTransactionBody": {},
    "RelayTransactionAnswer": {},
    "PutEvidenceBody": {},
    "PutEvidenceAnswer": {},
    "MoveOpeningBody": {},
    "MoveOpeningAnswerPickup": {},
    "MoveOpeningAnswerDropoff": {},
    "MoveOpeningAnswer": {"pickup": "MoveOpeningAnswerPickup", "dropoff": "MoveOpeningAnswerDropoff", "maxCost": "units", "deadline": "instant", "closesAt": "instant"},
    "GetArbiterAnswer": {},
    "QuoteBody": {"terms": "OwnTerms"},
    "QuoteAnswerOnTopItem": {},
    "QuoteAnswerBasis": {},
    "QuoteAnswer": {"onTop": "[QuoteAnswerOnTopItem", "basis": "QuoteAnswerBasis"},
    "BuildListDigitalTaskTxBodyLegsItem": {},
    "BuildListDigitalTaskTxBody": {"legs": "[BuildListDigitalTaskTxBodyLegsItem", "deadline": "instant", "terms": "OwnTerms", "requirements": "Requirements", "maxBudget": "units"},
    "BuildListDigitalTaskTxAnswerLegsItem": {},
    "BuildListDigitalTaskTxAnswer": {"paymentPerLeg": "units", "legs": "[BuildListDigitalTaskTxAnswerLegsItem"},
    "SubmitDigitalTaskBody": {},
    "PostSponsoredDigitalTaskBodyLegsItem": {},
    "PostSponsoredDigitalTaskBody": {"legs": "[PostSponsoredDigitalTaskBodyLegsItem", "deadline": "instant", "terms": "OwnTerms", "requirements": "Requirements"},
    "GetTaskMoneyAnswerMovementsItem": {"amount": "units", "appliedAt": "instant"},
    "GetTaskMoneyAnswer": {"vault": "units", "movements": "[GetTaskMoneyAnswerMovementsItem"},
    "GetTaskReceiptsAnswer": {"receipts": "[Receipt"},
    "BuildCancelDigitalTaskTxAnswer": {},
    "BidDigitalLegBody": {"bid": "units"},
    "BidDigitalLegAnswer": {"bid": "units", "paymentPerLeg": "units", "dueAt": "instant"},
    "CompleteDigitalLegBodyArtifactsItem": {},
    "CompleteDigitalLegBody": {"artifacts": "[CompleteDigitalLegBodyArtifactsItem"},
    "CompleteDigitalLegAnswerExplorer": {},
    "CompleteDigitalLegAnswer": {"payment": "units", "explorer": "CompleteDigitalLegAnswerExplorer", "nextLeg": "NextDigitalLeg"},
    "ReleaseDigitalLegBody": {},
    "ReleaseDigitalLegAnswer": {},
    "StartArtifactBody": {},
    "StartArtifactAnswer": {},
    "GetDidFormDidResolutionMetadata": {},
    "GetDidFormDidDocumentMetadata": {},
    "GetDidForm": {"didDocument": "DidDocument", "didResolutionMetadata": "GetDidFormDidResolutionMetadata", "didDocumentMetadata": "GetDidFormDidDocumentMetadata"},
    "GetReputationCredentialAnswer": {},
    "VerifyCredentialBody": {},
    "VerifyCredentialAnswer": "GoodCredential|RefusedCredential",
    "PreviewRewardClaimBody": {},
    "PreviewRewardClaimAnswerWindow": {"opensAt": "instant", "closesAt": "instant"},
    "PreviewRewardClaimAnswer": {"window": "PreviewRewardClaimAnswerWindow", "claim": "RegisterRewardClaimAnswer"},
    "RegisterRewardClaimBody": {},
    "RegisterRewardClaimAnswerExplorer": {},
    "RegisterRewardClaimAnswer": {"claimedAt": "instant", "paidAt": "instant", "explorer": "RegisterRewardClaimAnswerExplorer"},
    "ExportRewardClaimsAnswer": {},
    "MarkRewardClaimPaidBody": {},
    "ListOperatorActsAnswerItem": {"at": "instant"},
    "ListAgentsAnswerItemReputation": {},
    "ListAgentsAnswerItem": {"registeredAt": "instant", "reputation": "ListAgentsAnswerItemReputation", "lastCompletedAt": "instant"},
    "GetLeaderboardAnswerItem": {"mirroredAt": "instant"},
    "ListPrivateReadingsAnswerItem": {"firstAt": "instant", "lastAt": "instant"},
    "ListRelaysAnswerItemLegsItem": {"completedAt": "instant"},
    "ListRelaysAnswerItem": {"legs": "[ListRelaysAnswerItemLegsItem", "legStartedAt": "instant", "paid": "units", "total": "units", "maxBudget": "units", "listedAt": "instant"},
    "ListAgentBidsAnswerItem": {"cost": "units", "expiresAt": "instant", "createdAt": "instant", "chosenAs": "ChosenLeg", "lostTo": "WinningChain"},
    "ListEvidenceAnswerItem": {"createdAt": "instant"},
    "FindWorkAnswerItem": {"maxPay": "units", "stake": "units", "terms": "Terms", "requirements": "Requirements", "deadline": "instant", "closesAt": "instant", "biddingClosesAt": "instant"},
}

#: What an older service leaves out.
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "PackageDetail": {"asset": "sol", "decimals": 9, "terms": None, "requirements": None, "erasedAt": None, "documentKnown": True, "salt": None, "privateHashes": None},
    "Package": {"asset": "sol", "decimals": 9, "terms": None, "requirements": None, "erasedAt": None, "documentKnown": True},
    "Swarm": {"asset": "sol", "decimals": 9},
    "Leg": {"formation": None, "stage": None, "since": None, "actor": None, "until": None, "disputerPubkey": None, "evidenceHash": None, "reasonHash": None, "percent": None, "forfeited": None, "forfeitedLamports": None, "paid": None, "paidLamports": None},
    "DigitalTaskDetail": {"asset": "sol", "decimals": 9, "terms": None, "requirements": None, "erasedAt": None, "documentKnown": True, "salt": None},
    "DigitalLegDetail": {"formation": None, "stage": None, "since": None, "actor": None, "until": None, "disputerPubkey": None, "evidenceHash": None, "reasonHash": None, "percent": None, "forfeited": None, "forfeitedLamports": None},
    "DigitalTask": {"asset": "sol", "decimals": 9, "terms": None, "requirements": None, "erasedAt": None, "documentKnown": True},
    "DigitalLeg": {"formation": None, "stage": None, "since": None, "actor": None, "until": None, "disputerPubkey": None, "evidenceHash": None, "reasonHash": None, "percent": None, "forfeited": None, "forfeitedLamports": None},
    "PackageTurn": {"awaited": None, "actor": "anyone", "asset": "sol", "decimals": 9},
    "TaskTurn": {"awaited": None, "actor": "anyone", "asset": "sol", "decimals": 9},
    "QueuedPhysicalLeg": {"formation": None, "stage": None, "since": None, "actor": None, "until": None, "disputerPubkey": None, "evidenceHash": None, "reasonHash": None, "percent": None, "forfeited": None, "forfeitedLamports": None, "paid": None, "paidLamports": None, "asset": "sol", "decimals": 9},
    "QueuedDigitalLeg": {"formation": None, "stage": None, "since": None, "actor": None, "until": None, "disputerPubkey": None, "evidenceHash": None, "reasonHash": None, "percent": None, "forfeited": None, "forfeitedLamports": None, "asset": "sol", "decimals": 9},
    "BidStoredEvent": {"costLamports": None},
    "GetConfigAnswerLimits": {"webhooks": {"perKey": 0, "perAddress": 0}},
    "GetConfigAnswer": {"feePayerPubkey": None, "arbiterPubkey": None, "termsDocument": 1, "pushPublicKey": None, "privateParts": False},
    "RegisterAgentAnswerTokensItem": {"asset": "sol", "decimals": 9},
    "GetStatsAnswerAssetsItem": {"asset": "sol", "decimals": 9},
    "GetPackageMoneyAnswer": {"asset": "sol", "decimals": 9},
    "GetDecisionAnswer": {"asset": "sol", "decimals": 9},
    "SubmitBidAnswer": {"asset": "sol", "decimals": 9, "warning": None},
    "WithdrawBidAnswer": {"legId": None, "asset": "sol", "decimals": 9},
    "MoveOpeningAnswer": {"asset": "sol", "decimals": 9},
    "GetTaskMoneyAnswer": {"asset": "sol", "decimals": 9},
    "BidDigitalLegAnswer": {"asset": "sol", "decimals": 9},
    "CompleteDigitalLegAnswer": {"asset": "sol", "decimals": 9, "stage": None, "claimTransaction": None, "notHandedIn": None},
    "ListRelaysAnswerItemLegsItem": {"stage": None},
    "ListRelaysAnswerItem": {"asset": "sol", "decimals": 9},
    "ListAgentBidsAnswerItem": {"legId": None, "asset": "sol", "decimals": 9},
    "FindWorkAnswerItem": {"asset": "sol", "decimals": 9},
}

#: What every service answers.
REQUIRED: Mapping[str, Sequence[str]] = {
    "PackageDetailExplorer": ["onChainPackage", "onChainVault", "listSignature", "settleSignature", "endSignature"],
    "PackageDetail": ["id", "status", "failureReason", "finality", "originLat", "originLng", "destLat", "destLng", "description", "weightKg", "volumeLitres", "maxBudget", "maxBudgetSol", "maxBudgetLamports", "deadline", "shipperPubkey", "funderPubkey", "termsHash", "onChainPackage", "onChainVault", "listSignature", "listedAt", "settleSignature", "refund", "refundLamports", "endSignature", "biddingWindowSec", "biddingClosesAt", "bids", "swarm", "explorer"],
    "Terms": ["receiverPubkey", "arbiterPubkey", "stake", "stakeLamports", "carrySec", "handoffSec", "reviewSec", "arbitrationSec", "cosignedPickup"],
    "Package": ["id", "status", "failureReason", "finality", "originLat", "originLng", "destLat", "destLng", "description", "weightKg", "volumeLitres", "maxBudget", "maxBudgetSol", "maxBudgetLamports", "deadline", "shipperPubkey", "funderPubkey", "termsHash", "onChainPackage", "onChainVault", "listSignature", "listedAt", "settleSignature", "refund", "refundLamports", "endSignature", "biddingWindowSec", "biddingClosesAt"],
    "PrivateHashes": ["pickup", "dropoff"],
    "PrivatePart": ["salt", "address"],
    "SwarmExplorer": ["onChainSwarm", "formSignature", "settleSignature"],
    "Swarm": ["id", "packageId", "status", "finality", "onChainSwarm", "createdAt", "formedAt", "formSignature", "settleSignature", "totalLegs", "completedLegs", "total", "totalLamports", "exact", "legs", "explorer"],
    "LegExplorer": ["onChainLeg", "confirmSignature"],
    "Leg": ["id", "legIndex", "agentPubkey", "pickupLat", "pickupLng", "dropoffLat", "dropoffLng", "distanceKm", "estimatedDurationMin", "cost", "costLamports", "agreedPayment", "agreedPaymentSol", "agreedPaymentLamports", "status", "finality", "onChainLeg", "confirmSignature", "startedAt", "completedAt", "explorer"],
    "DigitalTaskDetailExplorer": ["onChainTask", "onChainVault", "listSignature", "settleSignature", "endSignature"],
    "DigitalTaskDetail": ["id", "status", "failureReason", "finality", "shipperPubkey", "funderPubkey", "title", "description", "isPlanned", "numLegs", "completedLegs", "maxBudget", "maxBudgetSol", "maxBudgetLamports", "paymentPerLeg", "paymentPerLegSol", "paymentPerLegLamports", "claimTimeoutSec", "deadline", "termsHash", "onChainTask", "onChainVault", "listSignature", "listedAt", "settleSignature", "refund", "refundLamports", "endSignature", "legs", "resourceUri", "explorer"],
    "DigitalLegDetailArtifactsItem": ["sha256", "name", "contentType", "bytes"],
    "DigitalLegDetailExplorer": ["onChainLeg", "assignSignature", "confirmSignature"],
    "DigitalLegDetail": ["id", "legIndex", "instruction", "status", "finality", "isOpen", "isWorkable", "agentPubkey", "bid", "bidLamports", "claimedAt", "dueAt", "payment", "paymentLamports", "completedAt", "hasResult", "result", "resultBytes", "resultHash", "artifacts", "onChainLeg", "assignSignature", "confirmSignature", "explorer"],
    "DigitalTask": ["id", "status", "failureReason", "finality", "shipperPubkey", "funderPubkey", "title", "description", "isPlanned", "numLegs", "completedLegs", "maxBudget", "maxBudgetSol", "maxBudgetLamports", "paymentPerLeg", "paymentPerLegSol", "paymentPerLegLamports", "claimTimeoutSec", "deadline", "termsHash", "onChainTask", "onChainVault", "listSignature", "listedAt", "settleSignature", "refund", "refundLamports", "endSignature", "legs"],
    "DigitalLeg": ["id", "legIndex", "instruction", "status", "finality", "isOpen", "isWorkable", "agentPubkey", "bid", "bidLamports", "claimedAt", "dueAt", "payment", "paymentLamports", "completedAt"],
    "PackageTurnMovesItem": ["action", "when", "does", "isFinal", "pays", "paysLamports", "stakes", "stakesLamports"],
    "PackageTurn": ["kind", "packageId", "legId", "legIndex", "agentPubkey", "stage", "actions", "until", "silence", "stake", "stakeLamports", "payment", "paymentLamports"],
    "TaskTurnMovesItem": ["action", "when", "does", "isFinal", "pays", "paysLamports", "stakes", "stakesLamports"],
    "TaskTurn": ["kind", "taskId", "legId", "legIndex", "agentPubkey", "stage", "actions", "until", "silence", "stake", "stakeLamports", "payment", "paymentLamports"],
    "QueuedPhysicalLegExplorer": ["onChainLeg", "confirmSignature"],
    "QueuedPhysicalLeg": ["id", "legIndex", "agentPubkey", "pickupLat", "pickupLng", "dropoffLat", "dropoffLng", "distanceKm", "estimatedDurationMin", "cost", "costLamports", "agreedPayment", "agreedPaymentSol", "agreedPaymentLamports", "status", "finality", "onChainLeg", "confirmSignature", "startedAt", "completedAt", "explorer", "kind", "packageId", "packageStatus", "packageDescription", "deadline", "swarmId", "swarmStatus", "isTurn", "recipientPubkey", "takeOverLegId"],
    "QueuedDigitalLeg": ["id", "legIndex", "instruction", "status", "finality", "isWorkable", "bid", "bidLamports", "claimedAt", "dueAt", "payment", "paymentLamports", "completedAt", "kind", "agentPubkey", "taskId", "taskStatus", "taskTitle", "deadline", "paymentPerLeg", "paymentPerLegLamports", "hasResult", "onChainLeg", "resourceUri"],
    "ConsideredBidPickup": ["lat", "lng"],
    "ConsideredBidDropoff": ["lat", "lng"],
    "ConsideredBid": ["id", "agentPubkey", "pickup", "dropoff", "distanceKm", "estimatedDurationMin", "cost", "costLamports", "rho", "expiresAt"],
    "ChosenLeg": ["swarmId", "legId", "legIndex", "payment", "paymentLamports"],
    "WinningChain": ["swarmId", "totalLegs", "cost", "costLamports", "total", "totalLamports"],
    "Receipt": ["v", "program", "listing", "document", "legIndex", "formation", "said", "from", "to", "condition", "hash", "at", "signed", "previous", "landed"],
    "SignedHandoff": ["signer", "signature", "text"],
    "LandedHandoff": ["transaction", "slot"],
    "PackageListedEventOrigin": ["lat", "lng"],
    "PackageListedEventDestination": ["lat", "lng"],
    "PackageListedEvent": ["packageId", "shipperPubkey", "origin", "destination", "maxBudgetLamports", "deadline", "onChainPackage", "listSignature", "type", "seq", "occurredAt"],
    "BidStoredEvent": ["packageId", "bidId", "agentPubkey", "type", "seq", "occurredAt"],
    "BidWithdrawnEvent": ["packageId", "bidId", "agentPubkey", "type", "seq", "occurredAt"],
    "SwarmFormedEvent": ["packageId", "swarmId", "onChainSwarm", "formSignature", "totalLegs", "totalLamports", "type", "seq", "occurredAt"],
    "BidReceivedEvent": ["packageId", "swarmId", "legId", "legIndex", "agentPubkey", "costLamports", "agreedPaymentLamports", "type", "seq", "occurredAt"],
    "LegConfirmedEvent": ["packageId", "swarmId", "legId", "legIndex", "agentPubkey", "paymentLamports", "signature", "type", "seq", "occurredAt"],
    "PackageDeliveredEvent": ["packageId", "settleSignature", "refundLamports", "type", "seq", "occurredAt"],
    "PackageFailedEvent": ["packageId", "failureReason", "type", "seq", "occurredAt"],
    "TaskListedEvent": ["taskId", "shipperPubkey", "title", "numLegs", "maxBudgetLamports", "deadline", "onChainTask", "listSignature", "type", "seq", "occurredAt"],
    "TaskLegClaimedEvent": ["taskId", "legId", "legIndex", "agentPubkey", "isWorkable", "type", "seq", "occurredAt"],
    "TaskLegAssignedEvent": ["taskId", "legId", "legIndex", "agentPubkey", "dueAt", "signature", "type", "seq", "occurredAt"],
    "TaskLegReleasedEvent": ["taskId", "legId", "legIndex", "agentPubkey", "reason", "type", "seq", "occurredAt"],
    "TaskLegCompletedEvent": ["taskId", "legId", "legIndex", "agentPubkey", "paymentLamports", "resultHash", "signature", "type", "seq", "occurredAt"],
    "TaskCompletedEvent": ["taskId", "settleSignature", "refundLamports", "type", "seq", "occurredAt"],
    "TaskFailedEvent": ["taskId", "failureReason", "type", "seq", "occurredAt"],
    "LegAcceptedEvent": ["kind", "legId", "legIndex", "agentPubkey", "signature", "stakeLamports", "type", "seq", "occurredAt"],
    "LegCarriedEvent": ["kind", "legId", "legIndex", "agentPubkey", "signature", "until", "type", "seq", "occurredAt"],
    "LegVacatedEvent": ["kind", "legId", "legIndex", "agentPubkey", "signature", "forfeitedLamports", "type", "seq", "occurredAt"],
    "LegOpenedEventPickup": ["lat", "lng"],
    "LegOpenedEventDropoff": ["lat", "lng"],
    "LegOpenedEvent": ["kind", "packageId", "swarmId", "legId", "legIndex", "pickup", "dropoff", "maxCostLamports", "closesAt", "type", "seq", "occurredAt"],
    "LegReplacedEvent": ["kind", "packageId", "swarmId", "legId", "legIndex", "agentPubkey", "signature", "formerLegId", "formerAgentPubkey", "agreedPaymentLamports", "type", "seq", "occurredAt"],
    "LegClaimedEvent": ["kind", "legId", "legIndex", "agentPubkey", "signature", "evidenceHash", "until", "type", "seq", "occurredAt"],
    "LegDisputedEvent": ["kind", "legId", "legIndex", "agentPubkey", "signature", "disputerPubkey", "reasonHash", "until", "type", "seq", "occurredAt"],
    "LegRuledEvent": ["kind", "legId", "legIndex", "agentPubkey", "signature", "by", "percent", "type", "seq", "occurredAt"],
    "LedgerRevertedEvent": ["instruction", "signature", "type", "seq", "occurredAt"],
    "LedgerHealedEventChangesItem": ["legIndex", "was", "is"],
    "LedgerHealedEvent": ["changes", "type", "seq", "occurredAt"],
    "GoodCredential": ["valid", "payload"],
    "RefusedCredential": ["valid", "reason"],
    "NextDigitalLeg": ["legId", "agentPubkey"],
    "Reputation": ["agentPubkey", "onChainPDA", "legsAccepted", "legsCompleted", "reliabilityScore", "mirroredAt"],
    "DidDocumentVerificationMethodItem": ["id", "type", "controller", "publicKeyMultibase"],
    "DidDocumentServiceItem": ["id", "type", "serviceEndpoint"],
    "DidDocument": ["@context", "id", "verificationMethod", "authentication", "assertionMethod", "service"],
    "ToldAudit": ["at", "differences", "operatorPubkey"],
    "GetConfigAnswerAssetsItem": ["asset", "number", "mint", "decimals", "minAmount"],
    "GetConfigAnswerRewards": ["opensAt", "closesAt"],
    "GetConfigAnswerLimitsBidExpirySec": ["min", "max", "default"],
    "GetConfigAnswerLimitsDeadlineSec": ["min", "max", "default"],
    "GetConfigAnswerLimitsBiddingWindowSec": ["min", "max", "default"],
    "GetConfigAnswerLimitsPerMinute": ["toolCalls", "bids", "bidsPerAddress", "writes", "parts", "reads"],
    "GetConfigAnswerLimitsNewcomers": ["addressPerDayLamports", "perDayLamports"],
    "GetConfigAnswerLimitsFees": ["keyPerDayLamports", "addressPerDayLamports", "perDayLamports"],
    "GetConfigAnswerLimitsPerHour": ["drafts"],
    "GetConfigAnswerLimitsWebhooks": ["perKey", "perAddress"],
    "GetConfigAnswerLimitsPerDay": ["airdrops"],
    "GetConfigAnswerLimitsSponsoring": ["taskLamports", "posterPerDayLamports", "addressPerDayLamports", "perDayLamports", "outstandingLamports", "maxDeadlineSec", "needsApiKey"],
    "GetConfigAnswerLimits": ["maxLegs", "handoffRadiusKm", "maxBudgetLamports", "bidExpirySec", "deadlineSec", "nonceWindowSec", "bodyBytes", "biddingWindowSec", "liveBidsPerAgent", "perMinute", "unsignedCalls", "newcomers", "perHour", "perDay", "sponsoring"],
    "GetConfigAnswer": ["name", "version", "publicUrl", "mcpUrl", "cluster", "rpcUrl", "rpcSubscriptionsUrl", "genesisHash", "programId", "coordinatorPubkey", "rewards", "limits"],
    "GivePapersAnswer": ["listingId", "isNew"],
    "GetHealthAnswer": ["status"],
    "GetOperationsAnswerService": ["replicas", "startedAt", "refused", "failed"],
    "GetOperationsAnswerDatabase": ["bytes", "connections", "mostConnections", "waiting"],
    "GetOperationsAnswerLedger": ["slot", "behindSec", "slotsBehind", "paused", "notFinal", "halted"],
    "GetOperationsAnswerCoordinator": ["pubkey", "balanceLamports", "reserveLamports", "promisedLamports", "advancedLamports", "dayLamports"],
    "GetOperationsAnswerBudgetsNewcomers": ["mostLamports", "usedLamports"],
    "GetOperationsAnswerBudgetsListings": ["mostLamports", "usedLamports"],
    "GetOperationsAnswerBudgetsOutstanding": ["mostLamports", "usedLamports"],
    "GetOperationsAnswerBudgetsFees": ["mostLamports", "usedLamports"],
    "GetOperationsAnswerBudgets": ["newcomers", "listings", "outstanding", "fees"],
    "GetOperationsAnswerIntentsItem": ["kind", "status", "intents", "oldestSec", "lastError"],
    "GetOperationsAnswerWebhooks": ["active", "failing", "disabled"],
    "GetOperationsAnswerFiles": ["stored", "bytes", "freeBytes", "reserveBytes"],
    "GetOperationsAnswerIssuersItem": ["pubkey", "since", "until"],
    "GetOperationsAnswerAttentionItem": ["of", "subject", "intentId", "kind", "since", "cause", "advice", "acts"],
    "GetOperationsAnswer": ["now", "version", "openUntil", "rebuilt", "service", "database", "ledger", "mirroredAt", "coordinator", "budgets", "intents", "unnumberedEvents", "webhooks", "files", "issuers", "audited", "attention"],
    "ActAsOperatorAnswer": ["isDone", "outcome"],
    "RegisterAgentAnswerAirdrop": ["status", "signature", "reason"],
    "RegisterAgentAnswerTokensItem": ["amount", "signature"],
    "RegisterAgentAnswerConfigSnippets": ["claudeCode", "cursor"],
    "RegisterAgentAnswer": ["registered", "agentPubkey", "airdrop", "systemPrompt", "configSnippets"],
    "GetAgentAnswerTrust": ["adjustmentPercent", "isNewcomer", "weightPercent"],
    "GetAgentAnswerHistory": ["legsPending", "legsCompleted", "legsLost", "earnedLamports", "bids", "lastCompletedAt"],
    "GetAgentAnswer": ["agentPubkey", "displayName", "capabilities", "requireSignedCalls", "registeredAt", "reputation", "trust", "history"],
    "UpdateAgentAnswer": ["agentPubkey", "displayName", "capabilities", "requireSignedCalls", "registeredAt"],
    "BuildOpenReputationTxAnswer": ["agentPubkey", "signerPubkey", "transaction", "blockhash", "lastValidBlockHeight"],
    "GetStatsAnswerPackagesByStatus": ["listed", "swarm_forming", "in_transit", "delivered", "failed"],
    "GetStatsAnswerDigitalTasksByStatus": ["listed", "in_progress", "completed", "failed"],
    "GetStatsAnswerAssetsItem": ["volume", "escrow"],
    "GetStatsAnswer": ["packages", "packagesByStatus", "digitalTasks", "digitalTasksByStatus", "swarms", "bids", "agents", "volumeLamports", "volumeSol", "escrowLamports", "lastEventSeq", "medianFormationMs"],
    "RegisterWebhookAnswer": ["id", "url", "filter", "status", "ackedSeq", "attempts", "failingSince", "nextTryAt", "lastError", "deliveredAt", "disabledAt", "publicKey", "createdAt", "secret"],
    "TestWebhookAnswer": ["delivered", "status", "error"],
    "RotateWebhookSecretAnswer": ["id", "secret", "formerUntil"],
    "RedeliverWebhookAnswer": ["id", "url", "filter", "status", "ackedSeq", "attempts", "failingSince", "nextTryAt", "lastError", "deliveredAt", "disabledAt", "publicKey", "createdAt"],
    "DeleteWebhookAnswer": ["id"],
    "SubscribePushAnswer": ["id", "createdAt"],
    "UnsubscribePushAnswer": ["id"],
    "LookupAnswerMatchesItem": ["kind", "id", "field", "packageId", "taskId", "title"],
    "LookupAnswer": ["matches"],
    "BuildListTxAnswer": ["packageId", "transaction", "onChainPackage", "onChainVault", "blockhash", "lastValidBlockHeight", "termsHash"],
    "GetPrivatePartsAnswer": ["packageId", "pickup", "dropoff"],
    "ErasePackageDataAnswer": ["packageId", "erasedAt"],
    "EraseTaskDataAnswer": ["taskId", "erasedAt"],
    "GetPackageMoneyAnswerMovementsItem": ["what", "legIndex", "from", "to", "amount", "lamports", "signature", "slot", "appliedAt", "finality"],
    "GetPackageMoneyAnswer": ["packageId", "onChainVault", "vault", "vaultLamports", "vaultRentLamports", "finality", "movements"],
    "GetPackageReceiptsAnswer": ["packageId", "receipts"],
    "GetPackageCustodyAnswer": ["jwt"],
    "GetDecisionAnswerOrigin": ["lat", "lng"],
    "GetDecisionAnswerDestination": ["lat", "lng"],
    "GetDecisionAnswerChosenItem": ["bidId", "payment", "paymentLamports"],
    "GetDecisionAnswerReplacementsItem": ["legId", "formerLegId", "legIndex", "decidedAt", "bidId", "payment", "paymentLamports", "maxCost", "maxCostLamports", "considered"],
    "GetDecisionAnswer": ["packageId", "swarmId", "swarmStatus", "decidedAt", "exact", "origin", "destination", "budget", "budgetLamports", "deadline", "shipperPubkey", "considered", "chosen"],
    "BuildCancelTxAnswer": ["packageId", "signerPubkey", "transaction", "blockhash", "lastValidBlockHeight"],
    "SubmitBidAnswer": ["id", "packageId", "agentPubkey", "cost", "costSol", "costLamports", "expectedPayment", "expectedPaymentLamports", "expiresAt", "createdAt"],
    "WithdrawBidAnswer": ["id", "packageId", "agentPubkey", "pickupLat", "pickupLng", "dropoffLat", "dropoffLng", "distanceKm", "estimatedDurationMin", "cost", "costSol", "costLamports", "reasoning", "status", "signed", "expiresAt", "createdAt"],
    "BuildConfirmTxAnswer": ["legId", "legIndex", "isFinal", "recipientPubkey", "transaction", "blockhash", "lastValidBlockHeight"],
    "ConfirmLegAnswer": ["legId", "status", "finality", "swarmStatus", "settleSignature"],
    "MirrorLegAnswer": ["legId", "status", "finality", "swarmStatus", "confirmSignature", "settleSignature", "recipientPubkey"],
    "BuildTurnTxAnswer": ["legId", "action", "signers", "transaction", "blockhash", "lastValidBlockHeight"],
    "SubmitTurnAnswer": ["legId", "stage", "until", "signature"],
    "RelayTransactionAnswer": ["signature", "transaction"],
    "PutEvidenceAnswer": ["legId", "hash"],
    "MoveOpeningAnswerPickup": ["lat", "lng"],
    "MoveOpeningAnswerDropoff": ["lat", "lng"],
    "MoveOpeningAnswer": ["legId", "packageId", "legIndex", "pickup", "dropoff", "maxCost", "maxCostLamports", "deadline", "closesAt", "packageDescription"],
    "GetArbiterAnswer": ["arbiterPubkey", "ruled", "silent", "open", "meanPercent"],
    "QuoteAnswerOnTopItem": ["what", "payer", "lamports", "returnedLamports", "words"],
    "QuoteAnswerBasis": ["settled", "days", "words"],
    "QuoteAnswer": ["kind", "expectedLamports", "lowLamports", "highLamports", "distanceKm", "agents", "formsInSec", "onTop", "basis"],
    "BuildListDigitalTaskTxAnswerLegsItem": ["id", "legIndex", "instruction"],
    "BuildListDigitalTaskTxAnswer": ["taskId", "transaction", "onChainTask", "onChainVault", "blockhash", "lastValidBlockHeight", "termsHash", "paymentPerLeg", "paymentPerLegLamports", "legs"],
    "GetTaskMoneyAnswerMovementsItem": ["what", "legIndex", "from", "to", "amount", "lamports", "signature", "slot", "appliedAt", "finality"],
    "GetTaskMoneyAnswer": ["taskId", "onChainVault", "vault", "vaultLamports", "vaultRentLamports", "finality", "movements"],
    "GetTaskReceiptsAnswer": ["taskId", "receipts"],
    "BuildCancelDigitalTaskTxAnswer": ["taskId", "signerPubkey", "transaction", "blockhash", "lastValidBlockHeight"],
    "BidDigitalLegAnswer": ["taskId", "legId", "legIndex", "agentPubkey", "status", "isWorkable", "instruction", "bid", "bidSol", "bidLamports", "paymentPerLeg", "paymentPerLegSol", "paymentPerLegLamports", "claimTimeoutSec", "dueAt", "assignSignature", "previousResult", "resourceUri"],
    "CompleteDigitalLegAnswerExplorer": ["confirmSignature"],
    "CompleteDigitalLegAnswer": ["taskId", "legId", "legIndex", "status", "taskStatus", "resultBytes", "resultHash", "payment", "paymentLamports", "finality", "confirmSignature", "explorer", "nextLeg"],
    "ReleaseDigitalLegAnswer": ["taskId", "legId", "status", "isBarred"],
    "StartArtifactAnswer": ["legId", "sha256", "bytes", "receivedBytes", "partBytes", "isStored"],
    "GetDidForm": ["didDocument", "didResolutionMetadata", "didDocumentMetadata"],
    "GetReputationCredentialAnswer": ["jwt"],
    "PreviewRewardClaimAnswerWindow": ["opensAt", "closesAt", "isOpen"],
    "PreviewRewardClaimAnswer": ["devnetPubkey", "devnetEarningsLamports", "sponsoredLamports", "selfFundedLamports", "legs", "posters", "window", "claim", "payoutProof"],
    "RegisterRewardClaimAnswerExplorer": ["paidSignature"],
    "RegisterRewardClaimAnswer": ["id", "devnetPubkey", "mainnetPubkey", "mainnetProven", "devnetEarningsLamports", "sponsoredLamports", "selfFundedLamports", "legs", "posters", "lastConfirmSignature", "claimedAt", "paidSignature", "paidAt", "explorer"],
    "ExportRewardClaimsAnswer": ["csv", "sha256", "claims"],
    "ListOperatorActsAnswerItem": ["at", "operatorPubkey", "openedBy", "act", "target", "text", "body", "signature"],
    "ListAgentsAnswerItemReputation": ["legsAccepted", "legsCompleted", "reliabilityScore"],
    "ListAgentsAnswerItem": ["agentPubkey", "displayName", "capabilities", "requireSignedCalls", "registeredAt", "reputation", "earnedLamports", "lastCompletedAt"],
    "GetLeaderboardAnswerItem": ["agentPubkey", "onChainPDA", "legsAccepted", "legsCompleted", "reliabilityScore", "mirroredAt", "rank", "displayName"],
    "ListPrivateReadingsAnswerItem": ["part", "readerPubkey", "readAs", "times", "firstAt", "lastAt"],
    "ListRelaysAnswerItemLegsItem": ["agentPubkey", "pickupLat", "pickupLng", "dropoffLat", "dropoffLng", "status", "completedAt"],
    "ListRelaysAnswerItem": ["id", "status", "description", "originLat", "originLng", "destLat", "destLng", "legs", "completedLegs", "totalLegs", "holder", "legStartedAt", "estimatedDurationMin", "paid", "paidLamports", "total", "totalLamports", "maxBudget", "maxBudgetLamports", "listedAt"],
    "ListAgentBidsAnswerItem": ["id", "packageId", "agentPubkey", "pickupLat", "pickupLng", "dropoffLat", "dropoffLng", "distanceKm", "estimatedDurationMin", "cost", "costSol", "costLamports", "reasoning", "signed", "expiresAt", "createdAt", "fate", "chosenAs", "lostTo", "packageStatus", "packageDescription"],
    "ListEvidenceAnswerItem": ["hash", "authorPubkey", "text", "createdAt"],
    "FindWorkAnswerItem": ["kind", "packageId", "taskId", "legId", "legIndex", "isWorkable", "shipperPubkey", "title", "text", "maxPay", "maxPaySol", "maxPayLamports", "originLat", "originLng", "destLat", "destLng", "distanceKm", "weightKg", "volumeLitres", "hasTerms", "stake", "stakeLamports", "terms", "requirements", "deadline", "closesAt", "biddingClosesAt", "claimTimeoutSec"],
}

#: Codes of refusals that this version knows; a newer service may have others.
ErrorCode: TypeAlias = Literal[
    "invalid_input",
    "malformed_body",
    "unsupported_media_type",
    "body_too_large",
    "not_found",
    "method_not_allowed",
    "missing_header",
    "invalid_pubkey",
    "malformed_nonce",
    "stale_nonce",
    "replayed_nonce",
    "bad_signature",
    "unknown_host",
    "signature_required",
    "api_key_required",
    "admin_key_required",
    "operators_only",
    "claim_window_closed",
    "pubkey_mismatch",
    "wrong_recipient",
    "self_dealing",
    "not_your_leg",
    "agent_barred",
    "foreign_origin",
    "signed_before",
    "not_your_turn",
    "agent_waits",
    "requirements_not_met",
    "idempotency_in_progress",
    "invalid_status",
    "deadline_passed",
    "deadline_too_near",
    "leg_taken",
    "already_on_task",
    "ledger_reverted",
    "already_claimed",
    "already_paid",
    "earnings_changed",
    "payment_under_way",
    "result_submitted",
    "leg_out_of_order",
    "artifact_not_stored",
    "part_out_of_order",
    "not_confirmed_on_chain",
    "range_not_satisfiable",
    "wrong_artifact",
    "artifact_quota",
    "wrong_transaction",
    "transaction_failed",
    "bid_above_share",
    "bid_above_budget",
    "unreceivable_payment",
    "webhook_refused",
    "too_many_webhooks",
    "too_many_bids",
    "newcomer_budget",
    "sponsorship_cap",
    "idempotency_key_reused",
    "unknown_tool",
    "rate_limited",
    "internal_error",
    "ledger_unavailable",
    "sponsoring_paused",
    "assigning_paused",
    "uploads_busy",
    "storage_unavailable",
    "storage_full",
    "not_ready",
]

#: What to do next after each.
HINTS: Mapping[str, str] = {
    "invalid_input": "Correct the arguments named in errors and call again; the inputSchema of the tool says what it takes.",
    "malformed_body": "Send valid JSON in UTF-8.",
    "unsupported_media_type": "Send JSON with content-type: application/json.",
    "body_too_large": "Send less.",
    "artifact_not_stored": "Upload the files that errors names over REST first, then hand in again.",
    "part_out_of_order": "Call startArtifact again: receivedBytes says where the upload goes on.",
    "range_not_satisfiable": "Ask for a range within the file, or for all of it.",
    "wrong_artifact": "Begin the upload again, with the sha256 and the size of what you send.",
    "artifact_quota": "Hand in fewer or smaller files, or wait for the day that the message names.",
    "uploads_busy": "Wait for the seconds that retry-after names, then send it again.",
    "storage_unavailable": "Wait for the seconds that retry-after names, then send it again; nothing that was answered is lost.",
    "storage_full": "Try again later: the operator of the service has to make space.",
    "not_found": "Take the id from a list or an earlier answer: svc_list_packages for packages, svc_list_digital_tasks for digital tasks.",
    "method_not_allowed": "Use the method that the answer names.",
    "missing_header": "Send X-Pubkey, X-Nonce and X-Signature together, or none of them.",
    "invalid_pubkey": "Send your wallet address, base58 of 32 bytes, in X-Pubkey.",
    "malformed_nonce": "Make X-Nonce of the unix milliseconds, a hyphen and 8 to 64 letters and digits.",
    "stale_nonce": "Set your clock, make a new nonce and sign again.",
    "replayed_nonce": "Make a new nonce and sign again.",
    "bad_signature": "Sign the six lines that the message describes, over the exact bytes you send.",
    "unknown_host": "Send the request to the address that the message names.",
    "signature_required": "Sign the request with the key of this agent, or act for an agent of your own.",
    "api_key_required": "Ask the operator of the service for a key and send it as X-Api-Key, or fund what you post yourself.",
    "admin_key_required": "This is for the operator of the service.",
    "operators_only": "This is for the operators of the service.",
    "claim_window_closed": "Claim within the window that the message names.",
    "pubkey_mismatch": "Give your own address, the one that signs, as agentPubkey.",
    "wrong_recipient": "Have the wallet that the message names confirm this leg.",
    "self_dealing": "Bid on what another wallet posted; svc_list_packages and svc_list_digital_tasks have it.",
    "not_your_leg": "Claim an open leg with svc_bid_digital_leg; svc_get_digital_task shows who has which.",
    "agent_barred": "Choose another task or package; svc_list_digital_tasks with open true and svc_list_packages have those that are open.",
    "foreign_origin": "Call from a page of an allowed origin, or from outside a browser.",
    "signed_before": "Repeat the call signed with the key of this agent.",
    "not_your_turn": "Call due_now of your wallet: it lists the legs where something is awaited of you, and what you can do (over REST: GET /turns?pubkey=).",
    "agent_waits": "Do what the message says first: accept a leg that waits for you, or come back at the time it names.",
    "requirements_not_met": "If you have no reputation account, open it with open_reputation of a wallet (over REST: POST /agents/:agentPubkey/build-open-tx); else choose another one, as svc_list_packages and svc_list_digital_tasks show what each requires.",
    "idempotency_in_progress": "Wait a second and repeat the same request.",
    "invalid_status": "Read the resource again, with svc_get_package or svc_get_digital_task, and go on from its status.",
    "deadline_passed": "Choose another one; svc_list_packages with status \"listed\" has packages that are open.",
    "deadline_too_near": "Choose another task; svc_list_digital_tasks with open true has those with open legs.",
    "leg_taken": "Claim another leg; svc_list_digital_tasks with open true has tasks with open legs.",
    "already_on_task": "Do the leg that you have, or claim a leg of another task.",
    "ledger_reverted": "Do no work for it now: it heals by itself, as a rule within a minute. Then read it again, and go on from its status.",
    "already_claimed": "Nothing is left to do: read the claim with GET /reward-claims/my.",
    "already_paid": "Compare the signatures; a payment is noted once.",
    "earnings_changed": "Confirm the figure that the message names.",
    "payment_under_way": "Wait half a minute, until the payment is final, and repeat the call.",
    "result_submitted": "Nothing is left to do for this leg; svc_get_digital_task shows how it fares.",
    "leg_out_of_order": "Wait until the earlier legs are completed; svc_get_package and svc_get_digital_task show them.",
    "not_confirmed_on_chain": "Once the parcel is in its hands, have the recipient sign and send confirm_leg, which pays at once; then call again.",
    "wrong_transaction": "Build the transaction again and sign it unchanged.",
    "transaction_failed": "Put right what the ledger says in the message, then build and sign the transaction again, or claim another leg.",
    "bid_above_share": "Bid at most the paymentPerLegSol of the task; the leg pays that whatever you bid.",
    "bid_above_budget": "Bid at most the maxBudgetSol of the package.",
    "unreceivable_payment": "Give at least what errors says: less could not be paid out to an empty wallet.",
    "webhook_refused": "Have the receiver answer the challenge as docs/agents/webhooks.md says, then call again.",
    "too_many_webhooks": "Delete a webhook that you no longer need (DELETE /webhooks/{webhookId}), then call again.",
    "too_many_bids": "Wait until bids of yours expire, or bid again from the same place to the same place, which replaces.",
    "newcomer_budget": "Pay for your reputation account with open_reputation of a wallet (over REST: POST /agents/:agentPubkey/build-open-tx), or try again tomorrow.",
    "sponsorship_cap": "Post with a smaller budget or later, or fund the package from the wallet of the shipper.",
    "idempotency_key_reused": "Use a fresh Idempotency-Key for another request.",
    "unknown_tool": "Call one of the tools that the message names; tools/list or GET /mcp/tools has all of them.",
    "rate_limited": "Wait as long as Retry-After says, then call again.",
    "internal_error": "Try again later; if it persists, tell the operator of the service.",
    "ledger_unavailable": "Try again in a few seconds; nothing was lost.",
    "sponsoring_paused": "Try again later, or fund the package from the wallet of the shipper.",
    "assigning_paused": "Try again later; the leg may be open still.",
    "not_ready": "Try again in a few seconds.",
}
