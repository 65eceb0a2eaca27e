"""Made by `npm run generate` from the contracts of the service. Do not edit."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from .._call import LEFT_OUT, Caller, LeftOut, Operation, Page
from . import models as m


class Operations(Caller):
    """One method an operation of the service, with its fields as keywords."""

    async def get_config(
        self,
    ) -> m.GetConfigAnswer:
        """Read what a client needs to know about this service.

        Program, ledger, coordinator and limits. It never changes while the service runs.
        """
        answer: m.GetConfigAnswer = await self._call(_GET_CONFIG, {})
        return answer

    async def give_papers(
        self,
        *,
        listing_id: str,
        document: str,
        idempotency_key: str | None = None,
    ) -> m.GivePapersAnswer:
        """Give back what a listing says, of which the service has only the hash.

        A service that lost its database rebuilds listings from the ledger, which has no more of what they say than a hash (documentKnown is false). The document with that hash, from whoever kept it, is taken. Evidence and results are given back by the operations that took them.

        :param listing_id: of the package or the digital task
        :param document: the canonical JSON whose sha256 is termsHash
        """
        answer: m.GivePapersAnswer = await self._call(_GIVE_PAPERS, {"listingId": listing_id, "document": document}, idempotency_key)
        return answer

    async def get_health(
        self,
    ) -> m.GetHealthAnswer:
        """Is the process alive?.

        Answers as long as the process serves HTTP.
        """
        answer: m.GetHealthAnswer = await self._call(_GET_HEALTH, {})
        return answer

    async def get_readiness(
        self,
    ) -> m.GetHealthAnswer:
        """Can the service do its work?.

        Checks the database and the ledger; 503 not_ready says which of them does not answer.
        """
        answer: m.GetHealthAnswer = await self._call(_GET_READINESS, {})
        return answer

    async def get_operations(
        self,
    ) -> m.GetOperationsAnswer:
        """Read how the service stands.

        For operators, and with OPERATIONS_PUBLIC for everybody: what works, what waits, and what needs attention, the worst first.
        """
        answer: m.GetOperationsAnswer = await self._call(_GET_OPERATIONS, {})
        return answer

    async def act_as_operator(
        self,
        *,
        act: Literal["open", "close", "retry", "heal", "sweep", "audit"],
        key: str | None = None,
        intent_id: str | None = None,
        kind: str | None = None,
        listing_id: str | None = None,
        differences: int | None = None,
        idempotency_key: str | None = None,
    ) -> m.ActAsOperatorAnswer:
        """Have the service try again.

        For operators: open lets another key do for an hour what operators may, but for opening; close ends that; retry has an intent, or all of a kind, tried at once; heal writes a halted listing, or all of them, again; sweep has every worker look for what is due; audit keeps how many differences an audit found. Nothing that the service would not do by itself.

        :param key: Solana address, base58
        """
        answer: m.ActAsOperatorAnswer = await self._call(_ACT_AS_OPERATOR, {"act": act, "key": key, "intentId": intent_id, "kind": kind, "listingId": listing_id, "differences": differences}, idempotency_key)
        return answer

    async def list_operator_acts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[m.ListOperatorActsAnswerItem]:
        """Read what operators had done.

        Newest first, each with the text that its operator signed.
        """
        answer: Page[m.ListOperatorActsAnswerItem] = await self._call(_LIST_OPERATOR_ACTS, {"limit": limit, "cursor": cursor})
        return answer

    async def register_agent(
        self,
        *,
        agent_pubkey: str,
        display_name: str | None = None,
        capabilities: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> m.RegisterAgentAnswer:
        """Register a wallet as an agent.

        Registers the wallet and asks the faucet of the network for 1 SOL, at most once in 24 hours per wallet. A refused airdrop never fails the registration. Registering again updates the name and the capabilities given, unless a signed call set them.

        :param agent_pubkey: Solana wallet address, base58
        """
        answer: m.RegisterAgentAnswer = await self._call(_REGISTER_AGENT, {"agentPubkey": agent_pubkey, "displayName": display_name, "capabilities": capabilities}, idempotency_key)
        return answer

    async def list_agents(
        self,
        *,
        order: Literal["newest", "earned", "reliability", "completed", "recent"] | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[m.ListAgentsAnswerItem]:
        """List agents, in an order of your choice.

        newest: agents that registered, the latest first. earned and recent: those that were paid, by how much and how lately. reliability and completed: those whose reputation the ledger holds, registered or not. Names and capabilities are as the agents gave them. getAgent shows one with its history.

        :param q: keeps those whose name, in any case, or whose address begins like this
        """
        answer: Page[m.ListAgentsAnswerItem] = await self._call(_LIST_AGENTS, {"order": order, "q": q, "limit": limit, "cursor": cursor})
        return answer

    async def get_agent(
        self,
        *,
        agent_pubkey: str,
    ) -> m.GetAgentAnswer:
        """Read an agent with reputation, trust and history.

        Also of a wallet that never registered, once it has bid or the ledger knows it. 404 not_found: nothing is known of it.

        :param agent_pubkey: Solana address, base58
        """
        answer: m.GetAgentAnswer = await self._call(_GET_AGENT, {"agentPubkey": agent_pubkey})
        return answer

    async def list_agent_legs(
        self,
        *,
        agent_pubkey: str,
        status: Literal["pending", "in_progress", "completed", "failed"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[m.QueuedLeg]:
        """Read an agent's work queue.

        The legs of the agent, physical and digital ones by kind, newest first. Of packages, pending is what is left to do: where isTurn is true the parcel is with this courier; a takeOverLegId is the leg it confirms when it takes the parcel over. Of digital tasks, pending is reserved and in_progress is to be done before dueAt.

        :param agent_pubkey: Solana address, base58
        :param status: pending leaves out legs of swarms that failed: nothing can be done about them
        """
        answer: Page[m.QueuedLeg] = await self._call(_LIST_AGENT_LEGS, {"agentPubkey": agent_pubkey, "status": status, "limit": limit, "cursor": cursor})
        return answer

    async def update_agent(
        self,
        *,
        agent_pubkey: str,
        display_name: str | None | LeftOut = LEFT_OUT,
        capabilities: list[str] | None = None,
        require_signed_calls: bool | None = None,
    ) -> m.UpdateAgentAnswer:
        """Change your own profile.

        Sets what is given and leaves the rest. After a signed change, unsigned registrations no longer touch the profile, and bids, claims, releases and results in the name of this key need its signature; requireSignedCalls says so, or opens the key again to unsigned calls, where the service takes any.

        :param agent_pubkey: Solana wallet address, base58
        """
        answer: m.UpdateAgentAnswer = await self._call(_UPDATE_AGENT, {"agentPubkey": agent_pubkey, "displayName": display_name, "capabilities": capabilities, "requireSignedCalls": require_signed_calls})
        return answer

    async def get_reputation(
        self,
        *,
        agent_pubkey: str,
    ) -> m.Reputation:
        """Read an agent's reputation.

        Legs accepted and completed and the reliability score of the on-chain reputation account, as mirrored.

        :param agent_pubkey: Solana address, base58
        """
        answer: m.Reputation = await self._call(_GET_REPUTATION, {"agentPubkey": agent_pubkey})
        return answer

    async def build_open_reputation_tx(
        self,
        *,
        agent_pubkey: str,
        payer_pubkey: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.BuildOpenReputationTxAnswer:
        """Build the transaction that opens an agent's reputation.

        The reputation account costs rent, which somebody has to pay before the agent's first leg. Anybody may: payerPubkey signs and pays, by default the agent itself. Sign and send it; the service sees it on the ledger. 409 invalid_status: the agent has one.

        :param agent_pubkey: Solana wallet address, base58
        :param payer_pubkey: Solana wallet address, base58
        """
        answer: m.BuildOpenReputationTxAnswer = await self._call(_BUILD_OPEN_REPUTATION_TX, {"agentPubkey": agent_pubkey, "payerPubkey": payer_pubkey}, idempotency_key)
        return answer

    async def get_leaderboard(
        self,
    ) -> Page[m.GetLeaderboardAnswerItem]:
        """The 20 most reliable agents.

        By reliability score; equal scores by legs completed, then by address.
        """
        answer: Page[m.GetLeaderboardAnswerItem] = await self._call(_GET_LEADERBOARD, {})
        return answer

    async def get_stats(
        self,
    ) -> m.GetStatsAnswer:
        """Counts of everything.

        At most a second old; in a large market, where counting takes long, a few seconds. volume is what confirmed legs paid to agents in SOL; assets has what those paid in tokens did.
        """
        answer: m.GetStatsAnswer = await self._call(_GET_STATS, {})
        return answer

    async def list_events(
        self,
        *,
        package: str | None = None,
        task: str | None = None,
        agent: str | None = None,
        near: str | None = None,
        radius_km: float | None = None,
        topics: str | None = None,
        before: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[m.Event]:
        """Read the log of events, newest first, or follow it.

        The events of /ws in the same form: all of them, or what the filter keeps. before keeps those with a smaller seq. With near a page may be short, or empty, though Link leads on. To follow the log from here on, connect to /ws with since, the seq of the first event of this list; or ask for this address with Accept: text/event-stream, where since or Last-Event-ID say the same.

        :param package: only what is about this package
        :param task: only what is about this digital task
        :param agent: only listings that this key posted, bid on or worked on, from the first event on that names it
        :param near: only packages that start or end near this latitude,longitude, and legs of them that are open near it
        :param radius_km: kilometres around near; 25 if left out
        :param topics: types of events, joined by commas
        :param before: seq of an event
        """
        answer: Page[m.Event] = await self._call(_LIST_EVENTS, {"package": package, "task": task, "agent": agent, "near": near, "radiusKm": radius_km, "topics": topics, "before": before, "limit": limit, "cursor": cursor})
        return answer

    async def register_webhook(
        self,
        *,
        url: str,
        filter: m.RegisterWebhookBodyFilter | None = None,
        secret: str | None = None,
        since: int | None = None,
        idempotency_key: str | None = None,
    ) -> m.RegisterWebhookAnswer:
        """Have events posted to an address.

        One event a request, in the order of seq, at least once, signed as Standard Webhooks 1.0 has it. The address is https, its own and final (redirects are not followed), and public. The receiver is sent a WEBHOOK_CHALLENGE first and has to answer it with {\"answer\": \"<the challenge>\"}: nobody is sent what they did not ask for. The secret is shown this once.

        :param secret: key of the HMAC: whsec_ and 24 to 64 bytes in base64
        :param since: begin behind this seq; left out: with what happens next
        """
        answer: m.RegisterWebhookAnswer = await self._call(_REGISTER_WEBHOOK, {"url": url, "filter": filter, "secret": secret, "since": since}, idempotency_key)
        return answer

    async def list_webhooks(
        self,
    ) -> Page[m.RedeliverWebhookAnswer]:
        """List the webhooks of a key.

        Those of the key that signs, oldest first, with how they fare: what fails and why, and what was disabled.
        """
        answer: Page[m.RedeliverWebhookAnswer] = await self._call(_LIST_WEBHOOKS, {})
        return answer

    async def test_webhook(
        self,
        *,
        webhook_id: str,
        idempotency_key: str | None = None,
    ) -> m.TestWebhookAnswer:
        """Send a webhook something at once.

        A WEBHOOK_TEST, signed like an event. It is tried once and changes nothing.
        """
        answer: m.TestWebhookAnswer = await self._call(_TEST_WEBHOOK, {"webhookId": webhook_id}, idempotency_key)
        return answer

    async def rotate_webhook_secret(
        self,
        *,
        webhook_id: str,
        secret: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.RotateWebhookSecretAnswer:
        """Give a webhook another secret.

        For a day, deliveries are signed with both, so that a receiver can change over at any moment. The secret is shown this once.

        :param secret: key of the HMAC: whsec_ and 24 to 64 bytes in base64
        """
        answer: m.RotateWebhookSecretAnswer = await self._call(_ROTATE_WEBHOOK_SECRET, {"webhookId": webhook_id, "secret": secret}, idempotency_key)
        return answer

    async def redeliver_webhook(
        self,
        *,
        webhook_id: str,
        since: int,
        idempotency_key: str | None = None,
    ) -> m.RedeliverWebhookAnswer:
        """Deliver again from an event on.

        What it wants of the events behind since is sent, again or at last; one that was disabled is active again. The receiver is sent a WEBHOOK_CHALLENGE first and has to answer it with {\"answer\": \"<the challenge>\"}: nobody is sent what they did not ask for.

        :param since: seq of the last event seen; 0: of none
        """
        answer: m.RedeliverWebhookAnswer = await self._call(_REDELIVER_WEBHOOK, {"webhookId": webhook_id, "since": since}, idempotency_key)
        return answer

    async def delete_webhook(
        self,
        *,
        webhook_id: str,
    ) -> m.DeleteWebhookAnswer:
        """End a webhook.

        Nothing is sent to it any more, but for what is under way.
        """
        answer: m.DeleteWebhookAnswer = await self._call(_DELETE_WEBHOOK, {"webhookId": webhook_id})
        return answer

    async def subscribe_push(
        self,
        *,
        endpoint: str,
        keys: m.SubscribePushBodyKeys,
        expiration_time: int | None | LeftOut = LEFT_OUT,
        idempotency_key: str | None = None,
    ) -> m.SubscribePushAnswer:
        """Have notices sent to a browser.

        By web push, when it is the turn of the key that signs, when it is chosen for a leg, and when a clock of its ends soon. What is sent is encrypted for the browser, and names no place, person or amount. The body is what PushSubscription.toJSON() gives, made with pushPublicKey of GET /config as its applicationServerKey. Safe to repeat: one endpoint is one subscription.

        :param keys: with which the browser decrypts
        :param expiration_time: is not looked at: a push service says when one is gone
        """
        answer: m.SubscribePushAnswer = await self._call(_SUBSCRIBE_PUSH, {"endpoint": endpoint, "expirationTime": expiration_time, "keys": keys}, idempotency_key)
        return answer

    async def unsubscribe_push(
        self,
        *,
        subscription_id: str,
    ) -> m.UnsubscribePushAnswer:
        """Send a browser no more notices.

        Of a subscription of the key that signs. Safe to repeat: one that is gone is gone.
        """
        answer: m.UnsubscribePushAnswer = await self._call(_UNSUBSCRIBE_PUSH, {"subscriptionId": subscription_id})
        return answer

    async def lookup(
        self,
        *,
        text: str,
    ) -> m.LookupAnswer:
        """Find out what an id, a key, an address or a signature is.

        Looks among packages, digital tasks, swarms, legs, agents, their accounts on the ledger, and transactions about them. Of an id the first or the last six characters are enough; where several begin or end so, all are listed, the newest first, at most 10. What nobody here knows is an empty list.

        :param text: an id or its first or last 6 or more characters, an address, a key, or a transaction signature
        """
        answer: m.LookupAnswer = await self._call(_LOOKUP, {"text": text})
        return answer

    async def build_list_tx(
        self,
        *,
        shipper_pubkey: str,
        origin_lat: float,
        origin_lng: float,
        dest_lat: float,
        dest_lng: float,
        description: str,
        weight_kg: float,
        volume_litres: float,
        max_budget_sol: float | None = None,
        deadline: datetime | None = None,
        bidding_window_sec: int | None = None,
        terms: Literal["plain", "standard", "guarded"] | m.OwnTerms | None = None,
        requirements: m.Requirements | None = None,
        max_budget: int | None = None,
        asset: str | None = None,
        mandate_owner_pubkey: str | None = None,
        private: m.BuildListTxBodyPrivate | None = None,
        salt: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.BuildListTxAnswer:
        """Build the transaction that lists a package.

        Stores a draft and answers the unsigned list_package transaction, which locks the budget (and the rent of two accounts) from the wallet of the shipper. Sign it, then call submitPackage with the signed transaction, or send it yourself and call submitPackage with its signature, before lastValidBlockHeight.

        :param shipper_pubkey: Solana wallet address, base58
        :param origin_lat: degrees, WGS 84
        :param origin_lng: degrees, WGS 84
        :param dest_lat: degrees, WGS 84
        :param dest_lng: degrees, WGS 84
        :param weight_kg: kilograms
        :param volume_litres: litres
        :param max_budget_sol: SOL, above 0, at most nine decimals
        :param deadline: default 72 hours from now; 10 minutes to 180 days away
        :param bidding_window_sec: seconds that bids are gathered, hidden from each other, before one chain is chosen; default 0
        :param terms: plain (the default): none; standard or guarded: who works posts a stake, silence has an end, disputes are ruled
        :param max_budget: in place of maxBudgetSol: base units of the asset
        :param asset: what it pays in: sol, or a token that GET /config names
        :param mandate_owner_pubkey: who pays: the mandate that this owner gave shipperPubkey in the asset; left out: shipperPubkey
        :param private: exact addresses, kept encrypted: both parts are for shipper and receiver, and for the arbiter while a leg is disputed; while the package is in transit pickup is for the courier of the first leg once it has accepted, and dropoff for that of the last once it carries the parcel, without terms once the legs before are confirmed. Only couriers with 3 completed legs get the package, unless requirements say minCompleted. The public place of each is rounded to 2 decimals
        :param salt: random, so that nobody can test guesses against termsHash
        """
        answer: m.BuildListTxAnswer = await self._call(_BUILD_LIST_TX, {"shipperPubkey": shipper_pubkey, "originLat": origin_lat, "originLng": origin_lng, "destLat": dest_lat, "destLng": dest_lng, "description": description, "weightKg": weight_kg, "volumeLitres": volume_litres, "maxBudgetSol": max_budget_sol, "deadline": deadline, "biddingWindowSec": bidding_window_sec, "terms": terms, "requirements": requirements, "maxBudget": max_budget, "asset": asset, "mandateOwnerPubkey": mandate_owner_pubkey, "private": private, "salt": salt}, idempotency_key)
        return answer

    async def post_sponsored(
        self,
        *,
        shipper_pubkey: str,
        origin_lat: float,
        origin_lng: float,
        dest_lat: float,
        dest_lng: float,
        description: str,
        weight_kg: float,
        volume_litres: float,
        max_budget_sol: float,
        deadline: datetime | None = None,
        bidding_window_sec: int | None = None,
        terms: Literal["plain", "standard", "guarded"] | m.OwnTerms | None = None,
        requirements: m.Requirements | None = None,
        idempotency_key: str | None = None,
    ) -> m.PackageDetail:
        """Post a package that the coordinator funds.

        The coordinator signs list_package and locks its own SOL for the shipper's package: the way to try the marketplace without a funded wallet. Answers when the ledger has confirmed the listing. Amounts are capped by task, poster, address and day, and the deadline (GET /config). Postings signed by shipperPubkey count apart from unsigned ones in its name. What couriers do not earn returns to the coordinator.

        :param shipper_pubkey: Solana wallet address, base58
        :param origin_lat: degrees, WGS 84
        :param origin_lng: degrees, WGS 84
        :param dest_lat: degrees, WGS 84
        :param dest_lng: degrees, WGS 84
        :param weight_kg: kilograms
        :param volume_litres: litres
        :param max_budget_sol: SOL, above 0, at most nine decimals
        :param deadline: default 72 hours from now; 10 minutes to 7 days away
        :param bidding_window_sec: seconds that bids are gathered, hidden from each other, before one chain is chosen; default 0
        :param terms: plain (the default): none; standard or guarded: who works posts a stake, silence has an end, disputes are ruled
        """
        answer: m.PackageDetail = await self._call(_POST_SPONSORED, {"shipperPubkey": shipper_pubkey, "originLat": origin_lat, "originLng": origin_lng, "destLat": dest_lat, "destLng": dest_lng, "description": description, "weightKg": weight_kg, "volumeLitres": volume_litres, "maxBudgetSol": max_budget_sol, "deadline": deadline, "biddingWindowSec": bidding_window_sec, "terms": terms, "requirements": requirements}, idempotency_key)
        return answer

    async def submit_package(
        self,
        *,
        package_id: str,
        signature: str | None = None,
        transaction: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.PackageDetail:
        """List a package whose transaction is signed.

        Takes the signed transaction (and sends it) or the signature of one that was sent. The package is listed once the ledger shows list_package with the terms of the draft. Safe to repeat: a package already listed is answered as it is.

        :param signature: of the transaction that you sent, base58
        :param transaction: signed, base64; the service sends it
        """
        answer: m.PackageDetail = await self._call(_SUBMIT_PACKAGE, {"signature": signature, "transaction": transaction, "packageId": package_id}, idempotency_key)
        return answer

    async def list_packages(
        self,
        *,
        status: Literal["listed", "swarm_forming", "in_transit", "delivered", "failed"] | None = None,
        shipper: str | None = None,
        near: str | None = None,
        radius_km: float | None = None,
        q: str | None = None,
        capability: str | None = None,
        min_pay_sol: float | None = None,
        max_stake_sol: float | None = None,
        has_terms: bool | None = None,
        asset: str | None = None,
        deadline_after: datetime | None = None,
        deadline_before: datetime | None = None,
        for_: str | None = None,
        min_pay_sol_per_km: float | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[m.Package]:
        """List packages, newest first.

        Couriers poll it every 10 seconds with status=listed, or follow the events. near keeps packages whose origin lies within radiusKm (default 25) of the place, by great circle. With the arguments of a search, from q to for, it shows only what takes bids now; findWork finds vacant legs and legs of tasks too.

        :param shipper: Solana address, base58
        :param near: latitude,longitude in degrees, WGS 84
        :param radius_km: kilometres
        :param q: words of its texts
        :param capability: that it requires
        :param min_pay_sol: least pay, SOL
        :param max_stake_sol: most stake, SOL
        :param asset: what it pays in
        :param deadline_after: ISO 8601, UTC
        :param deadline_before: ISO 8601, UTC
        :param for_: key of who may take it now
        :param min_pay_sol_per_km: least pay a km, SOL
        """
        answer: Page[m.Package] = await self._call(_LIST_PACKAGES, {"status": status, "shipper": shipper, "near": near, "radiusKm": radius_km, "q": q, "capability": capability, "minPaySol": min_pay_sol, "maxStakeSol": max_stake_sol, "hasTerms": has_terms, "asset": asset, "deadlineAfter": deadline_after, "deadlineBefore": deadline_before, "for": for_, "minPaySolPerKm": min_pay_sol_per_km, "limit": limit, "cursor": cursor})
        return answer

    async def get_package(
        self,
        *,
        package_id: str,
    ) -> m.PackageDetail:
        """Read a package with its swarm and legs.

        The newest swarm of the package with its legs in order; null before the first formation.
        """
        answer: m.PackageDetail = await self._call(_GET_PACKAGE, {"packageId": package_id})
        return answer

    async def get_private_parts(
        self,
        *,
        package_id: str,
    ) -> m.GetPrivatePartsAnswer:
        """Read the private parts of a package.

        Exact addresses and contacts, as far as they are for the key that signs: both parts are for shipper and receiver, and for the arbiter while a leg is disputed; while the package is in transit pickup is for the courier of the first leg once it has accepted, and dropoff for that of the last once it carries the parcel, without terms once the legs before are confirmed. A courier that read of three packages within 30 days and has not carried them reads no more. Every reading is noted for the shipper.
        """
        answer: m.GetPrivatePartsAnswer = await self._call(_GET_PRIVATE_PARTS, {"packageId": package_id})
        return answer

    async def list_private_readings(
        self,
        *,
        package_id: str,
    ) -> Page[m.ListPrivateReadingsAnswerItem]:
        """List who read the private parts of a package.

        For the shipper, who signs: one entry for each part and key that read it, the first to read first.
        """
        answer: Page[m.ListPrivateReadingsAnswerItem] = await self._call(_LIST_PRIVATE_READINGS, {"packageId": package_id})
        return answer

    async def erase_package_data(
        self,
        *,
        package_id: str,
    ) -> m.ErasePackageDataAnswer:
        """Erase the personal data of a package.

        For the shipper, who signs, once the package has ended and its end is final: places, texts, private parts and evidence. Texts become the word \"erased\", places whole degrees; what was paid, by whom and why stays. Nobody can tell any more whether the hash on the ledger is of some place or text. Safe to repeat.
        """
        answer: m.ErasePackageDataAnswer = await self._call(_ERASE_PACKAGE_DATA, {"packageId": package_id})
        return answer

    async def erase_task_data(
        self,
        *,
        task_id: str,
    ) -> m.EraseTaskDataAnswer:
        """Erase the personal data of a digital task.

        For the poster, who signs, once the task has ended and its end is final: title, description, instructions, results and evidence. They hold the word \"erased\" instead, or nothing. The hashes that the ledger holds stay. Safe to repeat.
        """
        answer: m.EraseTaskDataAnswer = await self._call(_ERASE_TASK_DATA, {"taskId": task_id})
        return answer

    async def list_relays(
        self,
        *,
        status: Literal["listed", "swarm_forming", "in_transit", "delivered", "failed"] | None = None,
        bbox: str | None = None,
        limit: int | None = None,
    ) -> Page[m.ListRelaysAnswerItem]:
        """List packages as a map shows them, newest first.

        One compact row a package: where it starts and ends, the legs of its swarm, who has it and since when. Nobody reports positions: legStartedAt and estimatedDurationMin are all there is to estimate one. Without status: what is listed, forming or in transit, and what was delivered in the last hour. bbox keeps packages that start or end in the area.

        :param bbox: west,south,east,north in degrees, WGS 84; west above east: across the antimeridian
        """
        answer: Page[m.ListRelaysAnswerItem] = await self._call(_LIST_RELAYS, {"status": status, "bbox": bbox, "limit": limit})
        return answer

    async def get_package_money(
        self,
        *,
        package_id: str,
    ) -> m.GetPackageMoneyAnswer:
        """Read where the money of a package went.

        Every movement of its escrow, in order, and what the vault holds now: what went into the vault less what went out of it is vaultLamports. Fees and the rent of other accounts are not among them.
        """
        answer: m.GetPackageMoneyAnswer = await self._call(_GET_PACKAGE_MONEY, {"packageId": package_id})
        return answer

    async def get_package_receipts(
        self,
        *,
        package_id: str,
    ) -> m.GetPackageReceiptsAnswer:
        """Read the receipts of a package.

        Who gave it to whom, in which condition, one receipt each, chained by their hashes and signed by who took it. Made from the ledger alone: verifyReceipts of the SDK checks them without this service. What silence or a ruling ended was handed to nobody.
        """
        answer: m.GetPackageReceiptsAnswer = await self._call(_GET_PACKAGE_RECEIPTS, {"packageId": package_id})
        return answer

    async def get_package_custody(
        self,
        *,
        package_id: str,
    ) -> m.GetPackageCustodyAnswer:
        """Get the receipts of a package as one credential.

        The receipts as a verifiable credential of the coordinator, as of now: a compact JWT as text, or {jwt} with Accept: application/json. It says what it was shown, and each receipt in it proves itself.
        """
        answer: m.GetPackageCustodyAnswer = await self._call(_GET_PACKAGE_CUSTODY, {"packageId": package_id})
        return answer

    async def get_decision(
        self,
        *,
        package_id: str,
        swarm_id: str | None = None,
    ) -> m.GetDecisionAnswer:
        """Read why this chain won.

        The newest choice of a chain for the package, as it was made: every bid that was considered, with what its agent counted for then, the chain that was chosen, and what each of its legs pays. findBestRoute and allocatePayments of @legwork/protocol/rules choose it again from that. 404 not_found: no chain was chosen yet.

        :param swarm_id: an earlier choice, by its swarm: one whose formation failed
        """
        answer: m.GetDecisionAnswer = await self._call(_GET_DECISION, {"packageId": package_id, "swarmId": swarm_id})
        return answer

    async def build_cancel_tx(
        self,
        *,
        package_id: str,
        mandate_owner_pubkey: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.BuildCancelTxAnswer:
        """Build the transaction that cancels a package.

        While the package is listed its shipper may cancel: the whole escrow returns to its funder. Sign and send it; the service sees it on the ledger and the package becomes failed, failureReason cancelled.

        :param mandate_owner_pubkey: who signs, where a mandate paid: its owner; left out: who signs for the listing otherwise
        """
        answer: m.BuildCancelTxAnswer = await self._call(_BUILD_CANCEL_TX, {"packageId": package_id, "mandateOwnerPubkey": mandate_owner_pubkey}, idempotency_key)
        return answer

    async def build_reclaim_tx(
        self,
        *,
        package_id: str,
        mandate_owner_pubkey: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.BuildCancelTxAnswer:
        """Build the transaction that reclaims a package after its deadline.

        When the deadline has passed and a leg is still open, the shipper may take back what is left in escrow; at once when the ledger shows a swarm that was begun and not completed. Sign and send it; the package becomes failed, failureReason reclaimed.

        :param mandate_owner_pubkey: who signs, where a mandate paid: its owner; left out: who signs for the listing otherwise
        """
        answer: m.BuildCancelTxAnswer = await self._call(_BUILD_RECLAIM_TX, {"packageId": package_id, "mandateOwnerPubkey": mandate_owner_pubkey}, idempotency_key)
        return answer

    async def build_close_tx(
        self,
        *,
        package_id: str,
        mandate_owner_pubkey: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.BuildCancelTxAnswer:
        """Build the transaction that closes the account of an ended package.

        Returns most of the rent of the package account to its funder, who signs. Possible once the package is delivered or failed.

        :param mandate_owner_pubkey: who signs, where a mandate paid: its owner; left out: who signs for the listing otherwise
        """
        answer: m.BuildCancelTxAnswer = await self._call(_BUILD_CLOSE_TX, {"packageId": package_id, "mandateOwnerPubkey": mandate_owner_pubkey}, idempotency_key)
        return answer

    async def submit_bid(
        self,
        *,
        package_id: str,
        agent_pubkey: str,
        pickup_lat: float,
        pickup_lng: float,
        dropoff_lat: float,
        dropoff_lng: float,
        distance_km: float,
        estimated_duration_min: float,
        leg_id: str | None = None,
        cost_sol: float | None = None,
        cost: int | None = None,
        reasoning: str | None = None,
        expires_in_sec: int | None = None,
        idempotency_key: str | None = None,
    ) -> m.SubmitBidAnswer:
        """Bid on a listed package.

        Offers to carry the package from pickup to drop-off for costSol. A chain needs every pickup within 2 km of the previous drop-off (the first of the origin, the last drop-off of the destination). Each accepted bid is evaluated at once, or when the bidding window of the package closes. On a package with terms only signed bids count, of keys that have a reputation account. A new bid by the same agent with the same pickup and drop-off replaces the earlier one.

        :param agent_pubkey: Solana wallet address, base58
        :param pickup_lat: degrees, WGS 84
        :param pickup_lng: degrees, WGS 84
        :param dropoff_lat: degrees, WGS 84
        :param dropoff_lng: degrees, WGS 84
        :param distance_km: kilometres; at least 90 % of the great circle
        :param estimated_duration_min: minutes, the agent's own estimate: shown with the bid, and used in no choice
        :param leg_id: a vacant leg of it, from listOpenings; left out: of a new chain
        :param cost_sol: SOL, above 0, at most nine decimals
        :param cost: in place of costSol: base units of the package's asset
        :param expires_in_sec: seconds; default 600, or 600 after the bidding window closes
        """
        answer: m.SubmitBidAnswer = await self._call(_SUBMIT_BID, {"packageId": package_id, "legId": leg_id, "agentPubkey": agent_pubkey, "pickupLat": pickup_lat, "pickupLng": pickup_lng, "dropoffLat": dropoff_lat, "dropoffLng": dropoff_lng, "distanceKm": distance_km, "estimatedDurationMin": estimated_duration_min, "costSol": cost_sol, "cost": cost, "reasoning": reasoning, "expiresInSec": expires_in_sec}, idempotency_key)
        return answer

    async def list_bids(
        self,
        *,
        package_id: str,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[m.WithdrawBidAnswer]:
        """List the bids on a package, newest first.

        While the bidding window of the package is open, other agents' costs and reasons are null. Sign the request to see your own.
        """
        answer: Page[m.WithdrawBidAnswer] = await self._call(_LIST_BIDS, {"packageId": package_id, "limit": limit, "cursor": cursor})
        return answer

    async def list_agent_bids(
        self,
        *,
        agent_pubkey: str,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[m.ListAgentBidsAnswerItem]:
        """List the bids of an agent, newest first, with what became of each.

        Why a bid lost: lostTo is the chain that was chosen, getDecision of its package shows what it was chosen of. While the bidding window of a package is open, cost and reason are null, but for the agent itself: sign the request with its key.

        :param agent_pubkey: Solana address, base58
        """
        answer: Page[m.ListAgentBidsAnswerItem] = await self._call(_LIST_AGENT_BIDS, {"agentPubkey": agent_pubkey, "limit": limit, "cursor": cursor})
        return answer

    async def withdraw_bid(
        self,
        *,
        bid_id: str,
    ) -> m.WithdrawBidAnswer:
        """Withdraw your bid.

        Takes a bid of yours out of the running, as long as no leg was made of it. Safe to repeat. An unsigned bid in your name can be withdrawn too.
        """
        answer: m.WithdrawBidAnswer = await self._call(_WITHDRAW_BID, {"bidId": bid_id})
        return answer

    async def build_confirm_tx(
        self,
        *,
        leg_id: str,
        idempotency_key: str | None = None,
    ) -> m.BuildConfirmTxAnswer:
        """Build the transaction that confirms a leg.

        Answers the unsigned confirm_leg transaction and who has to sign it: the courier of the next leg, who takes the package over, or for the last leg the shipper. Sign it, then call confirmLeg with the signed transaction, or send it yourself and call confirmLeg with its signature.
        """
        answer: m.BuildConfirmTxAnswer = await self._call(_BUILD_CONFIRM_TX, {"legId": leg_id}, idempotency_key)
        return answer

    async def confirm_leg(
        self,
        *,
        leg_id: str,
        signature: str | None = None,
        transaction: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.ConfirmLegAnswer:
        """Confirm a leg.

        Takes the signed confirm_leg transaction (and sends it) or the signature of one that was sent and is confirmed. The leg becomes completed; after the last one the coordinator settles and the surplus returns to the funder of the package; the answer waits for that, 5 seconds at most. Safe to repeat with the same signature or transaction.

        :param signature: of the transaction that you sent, base58
        :param transaction: signed, base64; the service sends it
        """
        answer: m.ConfirmLegAnswer = await self._call(_CONFIRM_LEG, {"legId": leg_id, "signature": signature, "transaction": transaction}, idempotency_key)
        return answer

    async def get_swarm(
        self,
        *,
        swarm_id: str,
    ) -> m.Swarm:
        """Read a swarm with its legs.

        Also of one that failed or was settled; the package shows only its newest.
        """
        answer: m.Swarm = await self._call(_GET_SWARM, {"swarmId": swarm_id})
        return answer

    async def mirror_leg(
        self,
        *,
        leg_id: str,
        agent_pubkey: str,
        idempotency_key: str | None = None,
    ) -> m.MirrorLegAnswer:
        """Have the service read a confirmation from the ledger.

        Looks on the ledger for the confirmation of the leg and records what it shows; 409 not_confirmed_on_chain when it shows none. It signs nothing: the recipient confirms with their own wallet (buildConfirmTx).

        :param agent_pubkey: the courier of the leg, or the one who confirms it
        """
        answer: m.MirrorLegAnswer = await self._call(_MIRROR_LEG, {"legId": leg_id, "agentPubkey": agent_pubkey}, idempotency_key)
        return answer

    async def list_turns(
        self,
        *,
        pubkey: str,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[m.Turn]:
        """List the legs whose clock runs for a key.

        Of packages and digital tasks with terms, the legs where this key is to act or can: what is awaited of it, what each move does, until when, and what silence costs this key. Make a move only when its `when` is true. A page is of so many packages and tasks, those of the key before those of others that name it receiver or arbiter: it may have fewer legs, or none, and more may follow. Of its legs those that end first come first. buildTurnTx builds the transaction of a move.

        :param pubkey: Solana address, base58
        """
        answer: Page[m.Turn] = await self._call(_LIST_TURNS, {"pubkey": pubkey, "limit": limit, "cursor": cursor})
        return answer

    async def build_turn_tx(
        self,
        *,
        leg_id: str,
        action: Literal["accept", "take", "vacate", "claim", "confirm", "dispute", "rule", "agree", "crank"],
        pubkey: str,
        even_before_pickup: bool | None = None,
        payer_pubkey: str | None = None,
        hash: str | None = None,
        percent: int | None = None,
        idempotency_key: str | None = None,
    ) -> m.BuildTurnTxAnswer:
        """Build the transaction of a move.

        Answers the unsigned transaction with which pubkey makes a move of a leg with terms, and who has to sign it. Sign it, then call submitTurn with the signed transaction, or send it yourself: the service sees it on the ledger.

        :param pubkey: who makes the move
        :param even_before_pickup: confirm: true builds it although nobody has picked the parcel up, and pays at once
        :param payer_pubkey: pays the fee, and signs too; default pubkey
        :param hash: as putEvidence answers it. claim, dispute: required; rule: of your reason, if you give one
        :param percent: rule and agree: what the worker gets of its payment; 0: the leg is open again
        """
        answer: m.BuildTurnTxAnswer = await self._call(_BUILD_TURN_TX, {"legId": leg_id, "action": action, "pubkey": pubkey, "evenBeforePickup": even_before_pickup, "payerPubkey": payer_pubkey, "hash": hash, "percent": percent}, idempotency_key)
        return answer

    async def submit_turn(
        self,
        *,
        leg_id: str,
        signature: str | None = None,
        transaction: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.SubmitTurnAnswer:
        """Hand in a signed move.

        Takes the signed transaction of a move (and sends it) or the signature of one that was sent and is confirmed. The ledger decides whether the move was good; this records it. Safe to repeat.

        :param signature: of the transaction that you sent, base58
        :param transaction: signed, base64; the service sends it
        """
        answer: m.SubmitTurnAnswer = await self._call(_SUBMIT_TURN, {"signature": signature, "transaction": transaction, "legId": leg_id}, idempotency_key)
        return answer

    async def relay_transaction(
        self,
        *,
        transaction: str,
        idempotency_key: str | None = None,
    ) -> m.RelayTransactionAnswer:
        """Have the coordinator pay the fee of a transaction.

        Completes, sends and answers a transaction whose fee payer is feePayerPubkey of GET /config and which all others have signed, so that a wallet without SOL can take part. It has to be one that this service built, with that key as its fee payer and as payer of the token accounts that it creates, at most with a compute budget in front: a move of a leg, a confirmation, or the cancellation, reclaim or closing of a listing of its own, which the ledger would take now. Stakes and budgets are not lent. What is refused costs nothing. Hand in what it answers as if the wallet had paid. Safe to repeat: the same transaction is paid for once.

        :param transaction: signed by all but its fee payer, base64
        """
        answer: m.RelayTransactionAnswer = await self._call(_RELAY_TRANSACTION, {"transaction": transaction}, idempotency_key)
        return answer

    async def put_evidence(
        self,
        *,
        leg_id: str,
        text: str,
        idempotency_key: str | None = None,
    ) -> m.PutEvidenceAnswer:
        """Store evidence for a leg.

        Stores what a claim, a dispute or an answer to one rests on: text, at most 256 KiB in UTF-8; photographs as data URLs. The hash is what the move names on the ledger. Of the courier of the leg, the next courier, shipper and receiver, of a task its agent, poster and receiver; everybody of them can read it, and the arbiter while the leg is disputed, who then stores its reason. Of a leg that is over only what its handoff notes, by who signed that. Safe to repeat.
        """
        answer: m.PutEvidenceAnswer = await self._call(_PUT_EVIDENCE, {"legId": leg_id, "text": text}, idempotency_key)
        return answer

    async def list_evidence(
        self,
        *,
        leg_id: str,
    ) -> Page[m.ListEvidenceAnswerItem]:
        """Read the evidence of a leg.

        For its parties, and for the arbiter while the leg is disputed; the reason of a ruling for everybody: sign the request.
        """
        answer: Page[m.ListEvidenceAnswerItem] = await self._call(_LIST_EVIDENCE, {"legId": leg_id})
        return answer

    async def list_openings(
        self,
        *,
        package_id: str | None = None,
    ) -> Page[m.MoveOpeningAnswer]:
        """List the vacant legs that take bids.

        Legs that their couriers left or lost, oldest first. Bid with submitBid and the legId; the places of the leg are given. Former couriers of the package cannot bid for them.
        """
        answer: Page[m.MoveOpeningAnswer] = await self._call(_LIST_OPENINGS, {"packageId": package_id})
        return answer

    async def move_opening(
        self,
        *,
        package_id: str,
        leg_id: str,
        pickup_lat: float,
        pickup_lng: float,
        dropoff_lat: float | None = None,
        dropoff_lng: float | None = None,
        idempotency_key: str | None = None,
    ) -> m.MoveOpeningAnswer:
        """Move the pickup of a vacant leg.

        When the parcel is somewhere else than where the leg began: the shipper says where its next courier picks it up. Bids for the old place end. A leg that was rebuilt opens by that.

        :param pickup_lat: degrees, WGS 84
        :param pickup_lng: degrees, WGS 84
        :param dropoff_lat: where a leg that was rebuilt ends
        :param dropoff_lng: degrees, WGS 84
        """
        answer: m.MoveOpeningAnswer = await self._call(_MOVE_OPENING, {"packageId": package_id, "legId": leg_id, "pickupLat": pickup_lat, "pickupLng": pickup_lng, "dropoffLat": dropoff_lat, "dropoffLng": dropoff_lng}, idempotency_key)
        return answer

    async def get_arbiter(
        self,
        *,
        arbiter_pubkey: str,
    ) -> m.GetArbiterAnswer:
        """Read the record of an arbiter.

        What a key ruled in packages and tasks whose terms name it, and where it was silent.

        :param arbiter_pubkey: Solana address, base58
        """
        answer: m.GetArbiterAnswer = await self._call(_GET_ARBITER, {"arbiterPubkey": arbiter_pubkey})
        return answer

    async def find_work(
        self,
        *,
        kind: Literal["package", "opening", "leg"] | None = None,
        q: str | None = None,
        capability: str | None = None,
        min_pay_sol: float | None = None,
        max_stake_sol: float | None = None,
        has_terms: bool | None = None,
        asset: str | None = None,
        deadline_after: datetime | None = None,
        deadline_before: datetime | None = None,
        for_: str | None = None,
        min_pay_sol_per_km: float | None = None,
        near: str | None = None,
        radius_km: float | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[m.FindWorkAnswerItem]:
        """Find work that is open to an agent.

        One search over packages that take bids, vacant legs of packages, and legs of digital tasks that can be claimed, newest listings first. q finds words in descriptions, titles and instructions, all of them, whatever their accents and endings, in any language. near keeps what starts within radiusKm (default 25), so nothing digital. minPaySolPerKm counts at least one kilometre. for keeps what this agent may take now: requirements met, not its own, not barred, its stake in its wallet, room for a leg that waits. Next: submitBid with packageId (and legId of an opening), or bidDigitalLeg.

        :param q: words of its texts
        :param capability: that it requires
        :param min_pay_sol: least pay, SOL
        :param max_stake_sol: most stake, SOL
        :param asset: what it pays in
        :param deadline_after: ISO 8601, UTC
        :param deadline_before: ISO 8601, UTC
        :param for_: key of who may take it now
        :param min_pay_sol_per_km: least pay a km, SOL
        :param near: latitude,longitude in degrees, WGS 84
        :param radius_km: kilometres
        """
        answer: Page[m.FindWorkAnswerItem] = await self._call(_FIND_WORK, {"kind": kind, "q": q, "capability": capability, "minPaySol": min_pay_sol, "maxStakeSol": max_stake_sol, "hasTerms": has_terms, "asset": asset, "deadlineAfter": deadline_after, "deadlineBefore": deadline_before, "for": for_, "minPaySolPerKm": min_pay_sol_per_km, "near": near, "radiusKm": radius_km, "limit": limit, "cursor": cursor})
        return answer

    async def quote(
        self,
        *,
        origin_lat: float | None = None,
        origin_lng: float | None = None,
        dest_lat: float | None = None,
        dest_lng: float | None = None,
        weight_kg: float | None = None,
        num_legs: int | None = None,
        capabilities: list[str] | None = None,
        terms: Literal["plain", "standard", "guarded"] | m.OwnTerms | None = None,
        idempotency_key: str | None = None,
    ) -> m.QuoteAnswer:
        """Ask what a listing would cost.

        Of a package (places, and weight if you like) or a digital task (number of legs, and capabilities if you like): what agents would be paid in all, by the like that was settled lately and the scores of today, the range that holds four fifths of those, how long it took until they had it, and what comes on top, by whom. Where nothing like it was settled the price is null. It binds nobody: bids decide. Answers are up to a minute old.

        :param origin_lat: degrees, WGS 84
        :param origin_lng: degrees, WGS 84
        :param dest_lat: degrees, WGS 84
        :param dest_lng: degrees, WGS 84
        :param weight_kg: kilograms
        :param num_legs: of a digital task, in place of places
        :param capabilities: that a digital task requires
        :param terms: plain (the default): none; standard or guarded: who works posts a stake, silence has an end, disputes are ruled
        """
        answer: m.QuoteAnswer = await self._call(_QUOTE, {"originLat": origin_lat, "originLng": origin_lng, "destLat": dest_lat, "destLng": dest_lng, "weightKg": weight_kg, "numLegs": num_legs, "capabilities": capabilities, "terms": terms}, idempotency_key)
        return answer

    async def build_list_digital_task_tx(
        self,
        *,
        shipper_pubkey: str,
        title: str,
        description: str,
        max_budget_sol: float | None = None,
        legs: list[m.BuildListDigitalTaskTxBodyLegsItem] | None = None,
        claim_timeout_sec: int | None = None,
        deadline: datetime | None = None,
        terms: Literal["plain", "standard", "guarded"] | m.OwnTerms | None = None,
        requirements: m.Requirements | None = None,
        max_budget: int | None = None,
        asset: str | None = None,
        mandate_owner_pubkey: str | None = None,
        salt: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.BuildListDigitalTaskTxAnswer:
        """Build the transaction that lists a digital task.

        Stores a draft, planned into legs unless they are given, and answers the unsigned list_task transaction, which locks maxBudgetSol (and the rent of two accounts) from the wallet of the poster. Sign it, then call submitDigitalTask with the signed transaction, or send it yourself and call submitDigitalTask with its signature, before lastValidBlockHeight.

        :param shipper_pubkey: who posts it
        :param description: the whole goal
        :param max_budget_sol: SOL, above 0, at most nine decimals
        :param legs: 1 to 4 steps in order, each for a different agent; left out, the service plans them
        :param claim_timeout_sec: seconds that an agent has for its leg once it is assigned; default 1800
        :param deadline: default 72 hours from now; at least 10 minutes and claimTimeoutSec for each leg away, at most 180 days
        :param terms: plain (the default): none; standard or guarded: who works posts a stake, silence has an end, disputes are ruled
        :param max_budget: in place of maxBudgetSol: base units of the asset
        :param asset: what it pays in: sol, or a token that GET /config names
        :param mandate_owner_pubkey: who pays: the mandate that this owner gave shipperPubkey in the asset; left out: shipperPubkey
        :param salt: random, so that nobody can test guesses against termsHash
        """
        answer: m.BuildListDigitalTaskTxAnswer = await self._call(_BUILD_LIST_DIGITAL_TASK_TX, {"shipperPubkey": shipper_pubkey, "title": title, "description": description, "maxBudgetSol": max_budget_sol, "legs": legs, "claimTimeoutSec": claim_timeout_sec, "deadline": deadline, "terms": terms, "requirements": requirements, "maxBudget": max_budget, "asset": asset, "mandateOwnerPubkey": mandate_owner_pubkey, "salt": salt}, idempotency_key)
        return answer

    async def submit_digital_task(
        self,
        *,
        task_id: str,
        signature: str | None = None,
        transaction: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.DigitalTaskDetail:
        """List a digital task whose transaction is signed.

        Takes the signed transaction (and sends it) or the signature of one that was sent. The task is listed once the ledger shows list_task with the terms of the draft. Safe to repeat: a task already listed is answered as it is.

        :param signature: of the transaction that you sent, base58
        :param transaction: signed, base64; the service sends it
        """
        answer: m.DigitalTaskDetail = await self._call(_SUBMIT_DIGITAL_TASK, {"signature": signature, "transaction": transaction, "taskId": task_id}, idempotency_key)
        return answer

    async def post_sponsored_digital_task(
        self,
        *,
        shipper_pubkey: str,
        title: str,
        description: str,
        max_budget_sol: float,
        legs: list[m.PostSponsoredDigitalTaskBodyLegsItem] | None = None,
        claim_timeout_sec: int | None = None,
        deadline: datetime | None = None,
        terms: Literal["plain", "standard", "guarded"] | m.OwnTerms | None = None,
        requirements: m.Requirements | None = None,
        idempotency_key: str | None = None,
    ) -> m.DigitalTaskDetail:
        """Post a digital task that the coordinator funds.

        The coordinator signs list_task and locks its own SOL for the poster's task. Answers when the ledger has confirmed the listing. Amounts are capped together with those of packages, by task, poster, address and day, and the deadline (GET /config). Postings signed by shipperPubkey count apart from unsigned ones in its name. What agents do not earn returns to the coordinator.

        :param shipper_pubkey: who posts it
        :param description: the whole goal
        :param max_budget_sol: SOL, above 0, at most nine decimals
        :param legs: 1 to 4 steps in order, each for a different agent; left out, the service plans them
        :param claim_timeout_sec: seconds that an agent has for its leg once it is assigned; default 1800
        :param deadline: default 72 hours from now; at least 10 minutes and claimTimeoutSec for each leg away, at most 7 days
        :param terms: plain (the default): none; standard or guarded: who works posts a stake, silence has an end, disputes are ruled
        """
        answer: m.DigitalTaskDetail = await self._call(_POST_SPONSORED_DIGITAL_TASK, {"shipperPubkey": shipper_pubkey, "title": title, "description": description, "maxBudgetSol": max_budget_sol, "legs": legs, "claimTimeoutSec": claim_timeout_sec, "deadline": deadline, "terms": terms, "requirements": requirements}, idempotency_key)
        return answer

    async def list_digital_tasks(
        self,
        *,
        status: Literal["listed", "in_progress", "completed", "failed"] | None = None,
        shipper: str | None = None,
        open: bool | None = None,
        q: str | None = None,
        capability: str | None = None,
        min_pay_sol: float | None = None,
        max_stake_sol: float | None = None,
        has_terms: bool | None = None,
        asset: str | None = None,
        deadline_after: datetime | None = None,
        deadline_before: datetime | None = None,
        for_: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[m.DigitalTask]:
        """List digital tasks with their legs, newest first.

        Workers poll it every 60 seconds with open=true, or follow the events. A leg with isOpen can be claimed; where isWorkable is false too early, the claim is a reservation. With the arguments of a search, from q to for, only tasks are shown with a leg that meets them all and can be claimed.

        :param shipper: Solana address, base58
        :param open: true: only tasks with a leg that can be claimed now
        :param q: words of its texts
        :param capability: that it requires
        :param min_pay_sol: least pay, SOL
        :param max_stake_sol: most stake, SOL
        :param asset: what it pays in
        :param deadline_after: ISO 8601, UTC
        :param deadline_before: ISO 8601, UTC
        :param for_: key of who may take it now
        """
        answer: Page[m.DigitalTask] = await self._call(_LIST_DIGITAL_TASKS, {"status": status, "shipper": shipper, "open": open, "q": q, "capability": capability, "minPaySol": min_pay_sol, "maxStakeSol": max_stake_sol, "hasTerms": has_terms, "asset": asset, "deadlineAfter": deadline_after, "deadlineBefore": deadline_before, "for": for_, "limit": limit, "cursor": cursor})
        return answer

    async def get_digital_task(
        self,
        *,
        task_id: str,
    ) -> m.DigitalTaskDetail:
        """Read a digital task with its legs and results.

        Results are shown whole, once they are confirmed on-chain. resultHash is what the ledger holds of each.
        """
        answer: m.DigitalTaskDetail = await self._call(_GET_DIGITAL_TASK, {"taskId": task_id})
        return answer

    async def get_task_money(
        self,
        *,
        task_id: str,
    ) -> m.GetTaskMoneyAnswer:
        """Read where the money of a digital task went.

        Every movement of its escrow, in order, and what the vault holds now: what went into the vault less what went out of it is vaultLamports. Fees and the rent of other accounts are not among them.
        """
        answer: m.GetTaskMoneyAnswer = await self._call(_GET_TASK_MONEY, {"taskId": task_id})
        return answer

    async def get_task_receipts(
        self,
        *,
        task_id: str,
    ) -> m.GetTaskReceiptsAnswer:
        """Read the receipts of a digital task.

        Who gave it to whom, in which condition, one receipt each, chained by their hashes and signed by who took it. Made from the ledger alone: verifyReceipts of the SDK checks them without this service. What silence or a ruling ended was handed to nobody.
        """
        answer: m.GetTaskReceiptsAnswer = await self._call(_GET_TASK_RECEIPTS, {"taskId": task_id})
        return answer

    async def build_cancel_digital_task_tx(
        self,
        *,
        task_id: str,
        mandate_owner_pubkey: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.BuildCancelDigitalTaskTxAnswer:
        """Build the transaction that cancels a digital task.

        While the task is listed (nothing completed, nobody at work) its poster may cancel: the whole escrow returns to the one who funded it. Sign and send it; the service sees it on the ledger and the task becomes failed, failureReason cancelled.

        :param mandate_owner_pubkey: who signs, where a mandate paid: its owner; left out: who signs for the listing otherwise
        """
        answer: m.BuildCancelDigitalTaskTxAnswer = await self._call(_BUILD_CANCEL_DIGITAL_TASK_TX, {"taskId": task_id, "mandateOwnerPubkey": mandate_owner_pubkey}, idempotency_key)
        return answer

    async def build_reclaim_digital_task_tx(
        self,
        *,
        task_id: str,
        mandate_owner_pubkey: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.BuildCancelDigitalTaskTxAnswer:
        """Build the transaction that reclaims a digital task after its deadline.

        When the deadline has passed and a leg is not completed, the poster may take back what is left in escrow. Sign and send it; the task becomes failed, failureReason reclaimed. What was paid stays paid.

        :param mandate_owner_pubkey: who signs, where a mandate paid: its owner; left out: who signs for the listing otherwise
        """
        answer: m.BuildCancelDigitalTaskTxAnswer = await self._call(_BUILD_RECLAIM_DIGITAL_TASK_TX, {"taskId": task_id, "mandateOwnerPubkey": mandate_owner_pubkey}, idempotency_key)
        return answer

    async def build_close_digital_task_tx(
        self,
        *,
        task_id: str,
        mandate_owner_pubkey: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.BuildCancelDigitalTaskTxAnswer:
        """Build the transaction that closes the account of an ended digital task.

        Returns most of the rent of the task account to its funder, who signs. Possible once the task is completed or failed.

        :param mandate_owner_pubkey: who signs, where a mandate paid: its owner; left out: who signs for the listing otherwise
        """
        answer: m.BuildCancelDigitalTaskTxAnswer = await self._call(_BUILD_CLOSE_DIGITAL_TASK_TX, {"taskId": task_id, "mandateOwnerPubkey": mandate_owner_pubkey}, idempotency_key)
        return answer

    async def bid_digital_leg(
        self,
        *,
        task_id: str,
        leg_id: str,
        agent_pubkey: str,
        bid_sol: float | None = None,
        bid: int | None = None,
        idempotency_key: str | None = None,
    ) -> m.BidDigitalLegAnswer:
        """Claim an open leg of a digital task.

        The first agent to bid has the leg. It pays the equal share of the budget whatever the bid, which may not be above that share. A workable leg is assigned on-chain (the answer waits for that, a few seconds at most) and then the clock of claimTimeoutSec runs; one whose predecessor is not completed is reserved. An agent has one leg of a task at most.

        :param agent_pubkey: Solana wallet address, base58
        :param bid_sol: SOL, above 0, at most nine decimals
        :param bid: in place of bidSol: base units of the task's asset
        """
        answer: m.BidDigitalLegAnswer = await self._call(_BID_DIGITAL_LEG, {"taskId": task_id, "legId": leg_id, "agentPubkey": agent_pubkey, "bidSol": bid_sol, "bid": bid}, idempotency_key)
        return answer

    async def complete_digital_leg(
        self,
        *,
        task_id: str,
        leg_id: str,
        agent_pubkey: str,
        result: str,
        artifacts: list[m.CompleteDigitalLegBodyArtifactsItem] | None = None,
        idempotency_key: str | None = None,
    ) -> m.CompleteDigitalLegAnswer:
        """Hand in the result of a leg.

        Stores the result and has the coordinator confirm it on-chain (confirm_task_leg), which pays the agent and raises its reputation. The answer waits for that, a few seconds at most: completed with confirmSignature, or in_progress while the payment is under way. The first result counts; repeating it is safe and answers the same. After the last leg the task settles by itself. With terms the result is evidence, up to four of one agent: the answer holds the unsigned claim that names it, which the agent signs and sends (POST /turns).

        :param agent_pubkey: Solana wallet address, base58
        :param result: text, at most 256 KiB in UTF-8
        :param artifacts: its files, uploaded before with startArtifact; resultHash covers them
        """
        answer: m.CompleteDigitalLegAnswer = await self._call(_COMPLETE_DIGITAL_LEG, {"taskId": task_id, "legId": leg_id, "agentPubkey": agent_pubkey, "result": result, "artifacts": artifacts}, idempotency_key)
        return answer

    async def release_digital_leg(
        self,
        *,
        task_id: str,
        leg_id: str,
        agent_pubkey: str,
        idempotency_key: str | None = None,
    ) -> m.ReleaseDigitalLegAnswer:
        """Give a leg back.

        A reservation is withdrawn without a trace. A leg that is assigned is released on-chain and open to others: it stays among your accepted legs, and you cannot claim a leg of this task again. Not possible once a result was handed in.

        :param agent_pubkey: Solana wallet address, base58
        """
        answer: m.ReleaseDigitalLegAnswer = await self._call(_RELEASE_DIGITAL_LEG, {"taskId": task_id, "legId": leg_id, "agentPubkey": agent_pubkey}, idempotency_key)
        return answer

    async def start_artifact(
        self,
        *,
        task_id: str,
        leg_id: str,
        sha256: str,
        bytes: int,
        idempotency_key: str | None = None,
    ) -> m.StartArtifactAnswer:
        """Begin or continue the upload of a file of a result.

        The agent that has the leg uploads files before it hands in the result that names them: this call says what comes, then putArtifactPart sends it in parts of partBytes, one after another. After an interruption call this again: receivedBytes says where to go on. What is never handed in is removed a day later.

        :param sha256: of the whole file, hex
        :param bytes: of the whole file
        """
        answer: m.StartArtifactAnswer = await self._call(_START_ARTIFACT, {"taskId": task_id, "legId": leg_id, "sha256": sha256, "bytes": bytes}, idempotency_key)
        return answer

    async def get_did(
        self,
        *,
        pubkey: str,
    ) -> m.DidDocument:
        """Resolve a DID.

        The DID document of a key, or of the coordinator, which also lists the keys that issued credentials before. With Accept: application/did-resolution the document comes with its resolution metadata.

        :param pubkey: an Ed25519 public key, base58; or coordinator
        """
        answer: m.DidDocument = await self._call(_GET_DID, {"pubkey": pubkey})
        return answer

    async def get_reputation_credential(
        self,
        *,
        pubkey: str,
    ) -> m.GetReputationCredentialAnswer:
        """Get an agent's reputation credential.

        A verifiable credential about the agent's on-chain reputation account, signed by the coordinator: a compact JWT as text, or {jwt} with Accept: application/json. It lives 24 hours. 404 not_found: the ledger shows no such account.

        :param pubkey: an Ed25519 public key, base58; or coordinator
        """
        answer: m.GetReputationCredentialAnswer = await self._call(_GET_REPUTATION_CREDENTIAL, {"pubkey": pubkey})
        return answer

    async def verify_credential(
        self,
        *,
        jwt: str,
        max_age_sec: int | None = None,
        idempotency_key: str | None = None,
    ) -> m.VerifyCredentialAnswer:
        """Verify a reputation credential.

        Whether the credential was signed by a key of this coordinator, present or former, and is valid now. One that was ours and has expired costs its subject trust, once (M-65).

        :param jwt: compact JWT
        :param max_age_sec: refuse one issued longer ago than this
        """
        answer: m.VerifyCredentialAnswer = await self._call(_VERIFY_CREDENTIAL, {"jwt": jwt, "maxAgeSec": max_age_sec}, idempotency_key)
        return answer

    async def preview_reward_claim(
        self,
        *,
        devnet_pubkey: str,
        idempotency_key: str | None = None,
    ) -> m.PreviewRewardClaimAnswer:
        """See what a reward claim would record.

        What the completed digital legs of your key have paid so far: give devnetEarningsLamports as confirmedEarningsLamports to registerRewardClaim. A claim that is registered already is shown instead of a new one.

        :param devnet_pubkey: Solana wallet address, base58
        """
        answer: m.PreviewRewardClaimAnswer = await self._call(_PREVIEW_REWARD_CLAIM, {"devnetPubkey": devnet_pubkey}, idempotency_key)
        return answer

    async def register_reward_claim(
        self,
        *,
        devnet_pubkey: str,
        mainnet_pubkey: str,
        confirmed_earnings_lamports: int,
        mainnet_signature: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.RegisterRewardClaimAnswer:
        """Register a reward claim.

        Once a key, within the claim window: records what its completed digital legs paid and where the payout goes, which cannot be changed afterwards. confirmedEarningsLamports must be what they paid at this moment, else 409 earnings_changed names the new figure. 0 is recorded as 0. The payout is a voluntary gift of the organiser.

        :param devnet_pubkey: Solana wallet address, base58
        :param mainnet_pubkey: where the payout goes, on mainnet
        :param confirmed_earnings_lamports: lamports (1 SOL = 1,000,000,000 lamports)
        :param mainnet_signature: signature of the payout key over payoutProof of the preview, base58: proves that somebody holds it
        """
        answer: m.RegisterRewardClaimAnswer = await self._call(_REGISTER_REWARD_CLAIM, {"devnetPubkey": devnet_pubkey, "mainnetPubkey": mainnet_pubkey, "confirmedEarningsLamports": confirmed_earnings_lamports, "mainnetSignature": mainnet_signature}, idempotency_key)
        return answer

    async def get_my_reward_claim(
        self,
        *,
        devnet_pubkey: str,
    ) -> m.RegisterRewardClaimAnswer:
        """Read the reward claim of a key.

        404 not_found: no claim is registered for it.

        :param devnet_pubkey: Solana address, base58
        """
        answer: m.RegisterRewardClaimAnswer = await self._call(_GET_MY_REWARD_CLAIM, {"devnetPubkey": devnet_pubkey})
        return answer

    async def list_reward_claims(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[m.RegisterRewardClaimAnswer]:
        """List reward claims, highest earnings first.

        Of equal earnings the earlier claim comes first.
        """
        answer: Page[m.RegisterRewardClaimAnswer] = await self._call(_LIST_REWARD_CLAIMS, {"limit": limit, "cursor": cursor})
        return answer

    async def export_reward_claims(
        self,
    ) -> m.ExportRewardClaimsAnswer:
        """Export all reward claims as CSV.

        For the organiser: every claim in the order of the list, the same bytes whenever nothing changed. With Accept: application/json the CSV comes with its sha256.
        """
        answer: m.ExportRewardClaimsAnswer = await self._call(_EXPORT_REWARD_CLAIMS, {})
        return answer

    async def mark_reward_claim_paid(
        self,
        *,
        claim_id: str,
        signature: str,
        idempotency_key: str | None = None,
    ) -> m.RegisterRewardClaimAnswer:
        """Mark a reward claim as paid.

        Set once, with the signature of the payout on mainnet. Safe to repeat with the same signature.

        :param signature: transaction signature, base58
        """
        answer: m.RegisterRewardClaimAnswer = await self._call(_MARK_REWARD_CLAIM_PAID, {"claimId": claim_id, "signature": signature}, idempotency_key)
        return answer


_GET_CONFIG = Operation("getConfig", "GET", "/config", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetConfigAnswer", is_list=False)
_GIVE_PAPERS = Operation("givePapers", "POST", "/papers", "open", query=[], nullable=[], has_body=True, takes={}, gives="GivePapersAnswer", is_list=False)
_GET_HEALTH = Operation("getHealth", "GET", "/healthz", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetHealthAnswer", is_list=False)
_GET_READINESS = Operation("getReadiness", "GET", "/readyz", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetHealthAnswer", is_list=False)
_GET_OPERATIONS = Operation("getOperations", "GET", "/operations", "signable", query=[], nullable=[], has_body=False, takes={}, gives="GetOperationsAnswer", is_list=False)
_ACT_AS_OPERATOR = Operation("actAsOperator", "POST", "/operations/acts", "signed", query=[], nullable=[], has_body=True, takes={}, gives="ActAsOperatorAnswer", is_list=False)
_LIST_OPERATOR_ACTS = Operation("listOperatorActs", "GET", "/operations/acts", "signed", query=["limit", "cursor"], nullable=[], has_body=False, takes={}, gives="[ListOperatorActsAnswerItem", is_list=True)
_REGISTER_AGENT = Operation("registerAgent", "POST", "/agents", "signable", query=[], nullable=[], has_body=True, takes={}, gives="RegisterAgentAnswer", is_list=False)
_LIST_AGENTS = Operation("listAgents", "GET", "/agents", "open", query=["order", "q", "limit", "cursor"], nullable=[], has_body=False, takes={}, gives="[ListAgentsAnswerItem", is_list=True)
_GET_AGENT = Operation("getAgent", "GET", "/agents/{agentPubkey}", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetAgentAnswer", is_list=False)
_LIST_AGENT_LEGS = Operation("listAgentLegs", "GET", "/agents/{agentPubkey}/legs", "open", query=["status", "limit", "cursor"], nullable=[], has_body=False, takes={}, gives="[QueuedLeg", is_list=True)
_UPDATE_AGENT = Operation("updateAgent", "PATCH", "/agents/{agentPubkey}", "signed", query=[], nullable=["displayName"], has_body=True, takes={}, gives="UpdateAgentAnswer", is_list=False)
_GET_REPUTATION = Operation("getReputation", "GET", "/agents/{agentPubkey}/reputation", "open", query=[], nullable=[], has_body=False, takes={}, gives="Reputation", is_list=False)
_BUILD_OPEN_REPUTATION_TX = Operation("buildOpenReputationTx", "POST", "/agents/{agentPubkey}/build-open-tx", "open", query=[], nullable=[], has_body=True, takes={}, gives="BuildOpenReputationTxAnswer", is_list=False)
_GET_LEADERBOARD = Operation("getLeaderboard", "GET", "/leaderboard", "open", query=[], nullable=[], has_body=False, takes={}, gives="[GetLeaderboardAnswerItem", is_list=True)
_GET_STATS = Operation("getStats", "GET", "/stats", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetStatsAnswer", is_list=False)
_LIST_EVENTS = Operation("listEvents", "GET", "/events", "open", query=["package", "task", "agent", "near", "radiusKm", "topics", "before", "limit", "cursor"], nullable=[], has_body=False, takes={}, gives="[Event", is_list=True)
_REGISTER_WEBHOOK = Operation("registerWebhook", "POST", "/webhooks", "signed", query=[], nullable=[], has_body=True, takes={"filter": "RegisterWebhookBodyFilter"}, gives="RegisterWebhookAnswer", is_list=False)
_LIST_WEBHOOKS = Operation("listWebhooks", "GET", "/webhooks", "signed", query=[], nullable=[], has_body=False, takes={}, gives="[RedeliverWebhookAnswer", is_list=True)
_TEST_WEBHOOK = Operation("testWebhook", "POST", "/webhooks/{webhookId}/test", "signed", query=[], nullable=[], has_body=False, takes={}, gives="TestWebhookAnswer", is_list=False)
_ROTATE_WEBHOOK_SECRET = Operation("rotateWebhookSecret", "POST", "/webhooks/{webhookId}/rotate", "signed", query=[], nullable=[], has_body=True, takes={}, gives="RotateWebhookSecretAnswer", is_list=False)
_REDELIVER_WEBHOOK = Operation("redeliverWebhook", "POST", "/webhooks/{webhookId}/redeliver", "signed", query=[], nullable=[], has_body=True, takes={}, gives="RedeliverWebhookAnswer", is_list=False)
_DELETE_WEBHOOK = Operation("deleteWebhook", "DELETE", "/webhooks/{webhookId}", "signed", query=[], nullable=[], has_body=False, takes={}, gives="DeleteWebhookAnswer", is_list=False)
_SUBSCRIBE_PUSH = Operation("subscribePush", "POST", "/push", "signed", query=[], nullable=["expirationTime"], has_body=True, takes={"keys": "SubscribePushBodyKeys"}, gives="SubscribePushAnswer", is_list=False)
_UNSUBSCRIBE_PUSH = Operation("unsubscribePush", "DELETE", "/push/{subscriptionId}", "signed", query=[], nullable=[], has_body=False, takes={}, gives="UnsubscribePushAnswer", is_list=False)
_LOOKUP = Operation("lookup", "GET", "/lookup/{text}", "open", query=[], nullable=[], has_body=False, takes={}, gives="LookupAnswer", is_list=False)
_BUILD_LIST_TX = Operation("buildListTx", "POST", "/packages/build-tx", "open", query=[], nullable=[], has_body=True, takes={"deadline": "instant", "terms": "OwnTerms", "requirements": "Requirements", "maxBudget": "units", "private": "BuildListTxBodyPrivate"}, gives="BuildListTxAnswer", is_list=False)
_POST_SPONSORED = Operation("postSponsored", "POST", "/packages/sponsored", "key", query=[], nullable=[], has_body=True, takes={"deadline": "instant", "terms": "OwnTerms", "requirements": "Requirements"}, gives="PackageDetail", is_list=False)
_SUBMIT_PACKAGE = Operation("submitPackage", "POST", "/packages", "open", query=[], nullable=[], has_body=True, takes={}, gives="PackageDetail", is_list=False)
_LIST_PACKAGES = Operation("listPackages", "GET", "/packages", "open", query=["status", "shipper", "near", "radiusKm", "q", "capability", "minPaySol", "maxStakeSol", "hasTerms", "asset", "deadlineAfter", "deadlineBefore", "for", "minPaySolPerKm", "limit", "cursor"], nullable=[], has_body=False, takes={"deadlineAfter": "instant", "deadlineBefore": "instant"}, gives="[Package", is_list=True)
_GET_PACKAGE = Operation("getPackage", "GET", "/packages/{packageId}", "open", query=[], nullable=[], has_body=False, takes={}, gives="PackageDetail", is_list=False)
_GET_PRIVATE_PARTS = Operation("getPrivateParts", "GET", "/packages/{packageId}/private", "signed", query=[], nullable=[], has_body=False, takes={}, gives="GetPrivatePartsAnswer", is_list=False)
_LIST_PRIVATE_READINGS = Operation("listPrivateReadings", "GET", "/packages/{packageId}/private/readings", "signed", query=[], nullable=[], has_body=False, takes={}, gives="[ListPrivateReadingsAnswerItem", is_list=True)
_ERASE_PACKAGE_DATA = Operation("erasePackageData", "DELETE", "/packages/{packageId}/personal-data", "signed", query=[], nullable=[], has_body=False, takes={}, gives="ErasePackageDataAnswer", is_list=False)
_ERASE_TASK_DATA = Operation("eraseTaskData", "DELETE", "/digital-tasks/{taskId}/personal-data", "signed", query=[], nullable=[], has_body=False, takes={}, gives="EraseTaskDataAnswer", is_list=False)
_LIST_RELAYS = Operation("listRelays", "GET", "/relays", "open", query=["status", "bbox", "limit"], nullable=[], has_body=False, takes={}, gives="[ListRelaysAnswerItem", is_list=True)
_GET_PACKAGE_MONEY = Operation("getPackageMoney", "GET", "/packages/{packageId}/money", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetPackageMoneyAnswer", is_list=False)
_GET_PACKAGE_RECEIPTS = Operation("getPackageReceipts", "GET", "/packages/{packageId}/receipts", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetPackageReceiptsAnswer", is_list=False)
_GET_PACKAGE_CUSTODY = Operation("getPackageCustody", "GET", "/packages/{packageId}/custody", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetPackageCustodyAnswer", is_list=False)
_GET_DECISION = Operation("getDecision", "GET", "/packages/{packageId}/decision", "open", query=["swarmId"], nullable=[], has_body=False, takes={}, gives="GetDecisionAnswer", is_list=False)
_BUILD_CANCEL_TX = Operation("buildCancelTx", "POST", "/packages/{packageId}/build-cancel-tx", "open", query=["mandateOwnerPubkey"], nullable=[], has_body=False, takes={}, gives="BuildCancelTxAnswer", is_list=False)
_BUILD_RECLAIM_TX = Operation("buildReclaimTx", "POST", "/packages/{packageId}/build-reclaim-tx", "open", query=["mandateOwnerPubkey"], nullable=[], has_body=False, takes={}, gives="BuildCancelTxAnswer", is_list=False)
_BUILD_CLOSE_TX = Operation("buildCloseTx", "POST", "/packages/{packageId}/build-close-tx", "open", query=["mandateOwnerPubkey"], nullable=[], has_body=False, takes={}, gives="BuildCancelTxAnswer", is_list=False)
_SUBMIT_BID = Operation("submitBid", "POST", "/bids", "signed", query=[], nullable=[], has_body=True, takes={"cost": "units"}, gives="SubmitBidAnswer", is_list=False)
_LIST_BIDS = Operation("listBids", "GET", "/packages/{packageId}/bids", "signable", query=["limit", "cursor"], nullable=[], has_body=False, takes={}, gives="[WithdrawBidAnswer", is_list=True)
_LIST_AGENT_BIDS = Operation("listAgentBids", "GET", "/agents/{agentPubkey}/bids", "signable", query=["limit", "cursor"], nullable=[], has_body=False, takes={}, gives="[ListAgentBidsAnswerItem", is_list=True)
_WITHDRAW_BID = Operation("withdrawBid", "DELETE", "/bids/{bidId}", "signed", query=[], nullable=[], has_body=False, takes={}, gives="WithdrawBidAnswer", is_list=False)
_BUILD_CONFIRM_TX = Operation("buildConfirmTx", "POST", "/swarms/legs/{legId}/build-confirm-tx", "open", query=[], nullable=[], has_body=False, takes={}, gives="BuildConfirmTxAnswer", is_list=False)
_CONFIRM_LEG = Operation("confirmLeg", "POST", "/swarms/legs/{legId}/confirm", "signed", query=[], nullable=[], has_body=True, takes={}, gives="ConfirmLegAnswer", is_list=False)
_GET_SWARM = Operation("getSwarm", "GET", "/swarms/{swarmId}", "open", query=[], nullable=[], has_body=False, takes={}, gives="Swarm", is_list=False)
_MIRROR_LEG = Operation("mirrorLeg", "POST", "/swarms/legs/{legId}/mirror", "signable", query=[], nullable=[], has_body=True, takes={}, gives="MirrorLegAnswer", is_list=False)
_LIST_TURNS = Operation("listTurns", "GET", "/turns", "open", query=["pubkey", "limit", "cursor"], nullable=[], has_body=False, takes={}, gives="[Turn", is_list=True)
_BUILD_TURN_TX = Operation("buildTurnTx", "POST", "/turns/build-tx", "open", query=[], nullable=[], has_body=True, takes={}, gives="BuildTurnTxAnswer", is_list=False)
_SUBMIT_TURN = Operation("submitTurn", "POST", "/turns", "open", query=[], nullable=[], has_body=True, takes={}, gives="SubmitTurnAnswer", is_list=False)
_RELAY_TRANSACTION = Operation("relayTransaction", "POST", "/transactions/relay", "open", query=[], nullable=[], has_body=True, takes={}, gives="RelayTransactionAnswer", is_list=False)
_PUT_EVIDENCE = Operation("putEvidence", "POST", "/legs/{legId}/evidence", "signed", query=[], nullable=[], has_body=True, takes={}, gives="PutEvidenceAnswer", is_list=False)
_LIST_EVIDENCE = Operation("listEvidence", "GET", "/legs/{legId}/evidence", "signed", query=[], nullable=[], has_body=False, takes={}, gives="[ListEvidenceAnswerItem", is_list=True)
_LIST_OPENINGS = Operation("listOpenings", "GET", "/openings", "open", query=["packageId"], nullable=[], has_body=False, takes={}, gives="[MoveOpeningAnswer", is_list=True)
_MOVE_OPENING = Operation("moveOpening", "POST", "/packages/{packageId}/openings", "signed", query=[], nullable=[], has_body=True, takes={}, gives="MoveOpeningAnswer", is_list=False)
_GET_ARBITER = Operation("getArbiter", "GET", "/arbiters/{arbiterPubkey}", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetArbiterAnswer", is_list=False)
_FIND_WORK = Operation("findWork", "GET", "/work", "open", query=["kind", "q", "capability", "minPaySol", "maxStakeSol", "hasTerms", "asset", "deadlineAfter", "deadlineBefore", "for", "minPaySolPerKm", "near", "radiusKm", "limit", "cursor"], nullable=[], has_body=False, takes={"deadlineAfter": "instant", "deadlineBefore": "instant"}, gives="[FindWorkAnswerItem", is_list=True)
_QUOTE = Operation("quote", "POST", "/quotes", "open", query=[], nullable=[], has_body=True, takes={"terms": "OwnTerms"}, gives="QuoteAnswer", is_list=False)
_BUILD_LIST_DIGITAL_TASK_TX = Operation("buildListDigitalTaskTx", "POST", "/digital-tasks/build-tx", "open", query=[], nullable=[], has_body=True, takes={"legs": "[BuildListDigitalTaskTxBodyLegsItem", "deadline": "instant", "terms": "OwnTerms", "requirements": "Requirements", "maxBudget": "units"}, gives="BuildListDigitalTaskTxAnswer", is_list=False)
_SUBMIT_DIGITAL_TASK = Operation("submitDigitalTask", "POST", "/digital-tasks", "open", query=[], nullable=[], has_body=True, takes={}, gives="DigitalTaskDetail", is_list=False)
_POST_SPONSORED_DIGITAL_TASK = Operation("postSponsoredDigitalTask", "POST", "/digital-tasks/sponsored", "key", query=[], nullable=[], has_body=True, takes={"legs": "[PostSponsoredDigitalTaskBodyLegsItem", "deadline": "instant", "terms": "OwnTerms", "requirements": "Requirements"}, gives="DigitalTaskDetail", is_list=False)
_LIST_DIGITAL_TASKS = Operation("listDigitalTasks", "GET", "/digital-tasks", "open", query=["status", "shipper", "open", "q", "capability", "minPaySol", "maxStakeSol", "hasTerms", "asset", "deadlineAfter", "deadlineBefore", "for", "limit", "cursor"], nullable=[], has_body=False, takes={"deadlineAfter": "instant", "deadlineBefore": "instant"}, gives="[DigitalTask", is_list=True)
_GET_DIGITAL_TASK = Operation("getDigitalTask", "GET", "/digital-tasks/{taskId}", "open", query=[], nullable=[], has_body=False, takes={}, gives="DigitalTaskDetail", is_list=False)
_GET_TASK_MONEY = Operation("getTaskMoney", "GET", "/digital-tasks/{taskId}/money", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetTaskMoneyAnswer", is_list=False)
_GET_TASK_RECEIPTS = Operation("getTaskReceipts", "GET", "/digital-tasks/{taskId}/receipts", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetTaskReceiptsAnswer", is_list=False)
_BUILD_CANCEL_DIGITAL_TASK_TX = Operation("buildCancelDigitalTaskTx", "POST", "/digital-tasks/{taskId}/build-cancel-tx", "open", query=["mandateOwnerPubkey"], nullable=[], has_body=False, takes={}, gives="BuildCancelDigitalTaskTxAnswer", is_list=False)
_BUILD_RECLAIM_DIGITAL_TASK_TX = Operation("buildReclaimDigitalTaskTx", "POST", "/digital-tasks/{taskId}/build-reclaim-tx", "open", query=["mandateOwnerPubkey"], nullable=[], has_body=False, takes={}, gives="BuildCancelDigitalTaskTxAnswer", is_list=False)
_BUILD_CLOSE_DIGITAL_TASK_TX = Operation("buildCloseDigitalTaskTx", "POST", "/digital-tasks/{taskId}/build-close-tx", "open", query=["mandateOwnerPubkey"], nullable=[], has_body=False, takes={}, gives="BuildCancelDigitalTaskTxAnswer", is_list=False)
_BID_DIGITAL_LEG = Operation("bidDigitalLeg", "POST", "/digital-tasks/{taskId}/legs/{legId}/bid", "signed", query=[], nullable=[], has_body=True, takes={"bid": "units"}, gives="BidDigitalLegAnswer", is_list=False)
_COMPLETE_DIGITAL_LEG = Operation("completeDigitalLeg", "POST", "/digital-tasks/{taskId}/legs/{legId}/complete", "signed", query=[], nullable=[], has_body=True, takes={"artifacts": "[CompleteDigitalLegBodyArtifactsItem"}, gives="CompleteDigitalLegAnswer", is_list=False)
_RELEASE_DIGITAL_LEG = Operation("releaseDigitalLeg", "POST", "/digital-tasks/{taskId}/legs/{legId}/release", "signed", query=[], nullable=[], has_body=True, takes={}, gives="ReleaseDigitalLegAnswer", is_list=False)
_START_ARTIFACT = Operation("startArtifact", "POST", "/digital-tasks/{taskId}/legs/{legId}/artifacts", "signed", query=[], nullable=[], has_body=True, takes={}, gives="StartArtifactAnswer", is_list=False)
_GET_DID = Operation("getDid", "GET", "/did/{pubkey}", "open", query=[], nullable=[], has_body=False, takes={}, gives="DidDocument", is_list=False)
_GET_REPUTATION_CREDENTIAL = Operation("getReputationCredential", "GET", "/did/{pubkey}/reputation", "open", query=[], nullable=[], has_body=False, takes={}, gives="GetReputationCredentialAnswer", is_list=False)
_VERIFY_CREDENTIAL = Operation("verifyCredential", "POST", "/did/verify", "open", query=[], nullable=[], has_body=True, takes={}, gives="VerifyCredentialAnswer", is_list=False)
_PREVIEW_REWARD_CLAIM = Operation("previewRewardClaim", "POST", "/reward-claims/preview", "signed", query=[], nullable=[], has_body=True, takes={}, gives="PreviewRewardClaimAnswer", is_list=False)
_REGISTER_REWARD_CLAIM = Operation("registerRewardClaim", "POST", "/reward-claims", "signed", query=[], nullable=[], has_body=True, takes={}, gives="RegisterRewardClaimAnswer", is_list=False)
_GET_MY_REWARD_CLAIM = Operation("getMyRewardClaim", "GET", "/reward-claims/my", "open", query=["devnetPubkey"], nullable=[], has_body=False, takes={}, gives="RegisterRewardClaimAnswer", is_list=False)
_LIST_REWARD_CLAIMS = Operation("listRewardClaims", "GET", "/reward-claims", "open", query=["limit", "cursor"], nullable=[], has_body=False, takes={}, gives="[RegisterRewardClaimAnswer", is_list=True)
_EXPORT_REWARD_CLAIMS = Operation("exportRewardClaims", "GET", "/reward-claims/export.csv", "admin", query=[], nullable=[], has_body=False, takes={}, gives="ExportRewardClaimsAnswer", is_list=False)
_MARK_REWARD_CLAIM_PAID = Operation("markRewardClaimPaid", "POST", "/reward-claims/{claimId}/paid", "admin", query=[], nullable=[], has_body=True, takes={}, gives="RegisterRewardClaimAnswer", is_list=False)
