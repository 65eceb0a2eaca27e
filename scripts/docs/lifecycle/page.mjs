// The page around the picture: the same run as tables.
import { COURIERS, first } from './runPackage.mjs';

/** @returns {string} docs/lifecycle.md */
export function lifecyclePage({ run, transactions, instructionsOf, sol, movements }) {
  return `# A package, from listing to settlement

<!-- Written by scripts/docs/lifecycle.mjs from a package that really ran: change it there. -->

![Sequence picture: listing, three bids, formation, three handoffs, settlement](pictures/package-lifecycle.svg)

This is the record of one run: a shipper, three couriers with their own wallets, and the service. Requests to the service are
blue, with the status of the answer. Transactions on the ledger are amber, what they move out of the vault is green. Events are
violet, with their number, as \`/ws\` sends them.

## The transactions

| tx | instructions | signed by | the vault pays |
|---|---|---|---|
${transactions.map((transaction, index) => transactionRow({ run, transaction, number: index + 1, instructionsOf, sol, movements })).join('\n')}

The settlement pays the refund of the last event and the rent of the vault, which it closes. For each transaction the sender also
pays a fee of 0.000005 SOL or a little more, not shown here.

Each wallet signs what it sees: the shipper the terms, the next courier that it holds the parcel. The coordinator, the service's
own key, only forms and settles; it can send the vault's lamports to nobody but the couriers of the chain and the funder.
[The program's page](protocol/program.md) has the rules of each instruction.

## The events

| seq | type | what it says |
|---|---|---|
${run.stages
  .flatMap(({ parts }) => parts.flatMap(({ events }) => events))
  .map((event) => eventRow(event, { run, sol }))
  .join('\n')}

## When something stops in the middle

| after | what is true | who continues |
|---|---|---|
| build-tx | a draft; nothing is locked, nothing is public | the shipper signs and submits, or nobody does |
| tx 1, before its answer | the budget is locked | the shipper submits again and gets the same package |
| the last bid | the bids are stored, the evaluation is due | any running service, or its next start |
| the choice of the chain | chain and intent are stored together | the outbox signs, stores the bytes, then sends them |
| tx 2, before its effects are stored | the chain is committed | the outbox sends the same bytes, finds them landed, stores the effects |
| a handoff's tx, before it is reported | the courier is paid | the recipient reports it again; nothing is paid twice |
| a tx that the ledger takes back before it is final | its bytes are kept | the service sends them again; if they can land no more, the package is halted and says \`reverted\` |
| the last handoff | all are paid, the settlement is an intent | the outbox, as for the formation |
| a swarm that somebody with the coordinator's key began and left | nobody carries it | shipper or funder reclaim it at once |
| the deadline, with a leg still open | the rest of the vault is there | shipper, funder or coordinator reclaim it, without the service if need be |
`;
}

function transactionRow({ run, transaction, number, instructionsOf, sol, movements }) {
  const signers = transaction.signers
    .map((key) => first(run.names.get(key)))
    .map((name) => (name === 'Service' ? 'coordinator' : name));
  const paid = movements(run, transaction).map(({ name, amount }) => `${first(name)} ${sol(amount)}`);
  return `| ${number} | ${instructionsOf(transaction)} | ${signers.join(', ')} | ${paid.join(', ') || 'nothing'} |`;
}

function eventRow(event, { run, sol }) {
  const who = first(run.names.get(event.agentPubkey ?? event.shipperPubkey) ?? '');
  return `| ${event.seq} | ${event.type} | ${sentence(event, who, sol)} |`;
}

function sentence(event, who, sol) {
  switch (event.type) {
    case 'PACKAGE_LISTED':
      return `${who} offers at most ${sol(event.maxBudgetLamports)}`;
    case 'BID_STORED':
      return `${who} asks ${sol(event.costLamports)}`;
    case 'SWARM_FORMED':
      return `a chain of ${event.totalLegs} for ${sol(event.totalLamports)}`;
    case 'BID_RECEIVED':
      return `${who} carries leg ${event.legIndex + 1} of ${COURIERS.length} for ${sol(event.agreedPaymentLamports)}`;
    case 'LEG_CONFIRMED':
      return `leg ${event.legIndex + 1} is done, ${who} has ${sol(event.paymentLamports)}`;
    case 'PACKAGE_DELIVERED':
      return `${sol(event.refundLamports)} return to the shipper`;
    default:
      throw new Error(`${event.type} is not part of this story`);
  }
}
