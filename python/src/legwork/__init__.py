"""Agents that find work on Legwork, relay it leg by leg, and are paid from on-chain escrow on Solana."""

from ._call import LEFT_OUT, Page
from ._generated import models
from .agreements import Agreement, join_agreement, offer_agreement, read_agreement
from .client import LegworkClient, every_item
from .collecting import collect
from .courier import Courier, Offer
from .documents import package_terms_hash, result_hash, task_terms_hash
from .ending import end_listing
from .errors import (
    LedgerRefusedError,
    LegworkApiError,
    LegworkError,
    LegworkNetworkError,
    LegworkProtocolError,
    TransactionRefusedError,
)
from .events import follow_events
from .files import Artifact, Result, ResultFile, download_file, save_file, upload_file
from .following import follow_listing
from .geo import estimated_duration_min, great_circle_km
from .handing import Claimed, hand_in, read_claimed
from .handoffs import Handoff, SignedText, read_code, share_handoff, sign_pickup
from .keys import KeypairFileError, Signer, load_or_create_keypair, parse_keypair_file
from .ledger import Ledger
from .legs import Leg, listed
from .listings import (
    SignedListing,
    list_package,
    list_task,
    sign_package,
    sign_task,
    submit_package,
    submit_task,
)
from .making import Made, ensure_reputation, make_move
from .money import LAMPORTS_PER_SOL, format_sol, format_units, parse_sol, parse_units
from .moves import Move
from .policy import TurnPolicy
from .receipts import Custody, ReceiptError, receipt_hash, verify_receipts
from .receiving import NoParcelError, Received, receive
from .signing import create_nonce, sign_request
from .steps import ParcelAtHand, TaskAtHand, context_of
from .turns import follow_turns
from .verifying import ListingError, VerifiedListing, read_private, verify_listing
from .worker import Worker

__all__ = [
    "LAMPORTS_PER_SOL",
    "LEFT_OUT",
    "Agreement",
    "Artifact",
    "Claimed",
    "Courier",
    "Custody",
    "Handoff",
    "KeypairFileError",
    "Ledger",
    "LedgerRefusedError",
    "Leg",
    "LegworkApiError",
    "LegworkClient",
    "LegworkError",
    "LegworkNetworkError",
    "LegworkProtocolError",
    "ListingError",
    "Made",
    "Move",
    "NoParcelError",
    "Offer",
    "Page",
    "ParcelAtHand",
    "ReceiptError",
    "Received",
    "Result",
    "ResultFile",
    "SignedListing",
    "SignedText",
    "Signer",
    "TaskAtHand",
    "TransactionRefusedError",
    "TurnPolicy",
    "VerifiedListing",
    "Worker",
    "collect",
    "context_of",
    "create_nonce",
    "download_file",
    "end_listing",
    "ensure_reputation",
    "estimated_duration_min",
    "every_item",
    "follow_events",
    "follow_listing",
    "follow_turns",
    "format_sol",
    "format_units",
    "great_circle_km",
    "hand_in",
    "join_agreement",
    "list_package",
    "list_task",
    "listed",
    "load_or_create_keypair",
    "make_move",
    "models",
    "offer_agreement",
    "package_terms_hash",
    "parse_keypair_file",
    "parse_sol",
    "parse_units",
    "read_agreement",
    "read_claimed",
    "read_code",
    "read_private",
    "receipt_hash",
    "receive",
    "result_hash",
    "save_file",
    "share_handoff",
    "sign_package",
    "sign_pickup",
    "sign_request",
    "sign_task",
    "submit_package",
    "submit_task",
    "task_terms_hash",
    "upload_file",
    "verify_listing",
    "verify_receipts",
]
