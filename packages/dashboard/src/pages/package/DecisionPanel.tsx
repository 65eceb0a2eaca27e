import { faultOf } from '../../data/faultWords.js';
import { type Asset, formatUnits, type PackageDetail, toLamports } from '@legwork/sdk';
import { bidWeight } from '@legwork/protocol/rules';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { type Chain, chosenChain, type Decision } from '../../checks/auction.js';
import { useNames } from '../../data/names.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { Amount } from '../../ui/Amount.js';
import { CheckOf } from '../../ui/Checks.js';
import { Key } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { Panel } from '../../ui/Panel.js';
import { shortened } from '../../ui/shortened.js';
import { type Column, Table } from '../../ui/Table.js';
import { Time } from '../../ui/Time.js';
import { readRivals, UNASKED_UP_TO } from './askAuction.js';
import styles from './Package.module.css';

type ShownBid = NonNullable<Decision['considered']>[number];
type Names = ReadonlyMap<string, string>;

/** What a chain was chosen of, what came second, and the same choice made here. */
export function DecisionPanel({ parcel, query }: { parcel: PackageDetail; query: UseQueryResult<Decision> }) {
  return (
    <Panel title="Why this chain won" beside={query.data?.considered && <CheckOf id="auction" label="Re-run here" />}>
      <Loaded query={query} rows={5}>
        {(decision) =>
          decision.considered ? (
            <Choice decision={decision} parcel={parcel} />
          ) : (
            <p>The bids it was chosen from are no longer stored.</p>
          )
        }
      </Loaded>
      {parcel.swarm?.status === 'failed' && parcel.swarm.formSignature === null && (
        <p className={styles.dim}>The ledger refused this chain.</p>
      )}
    </Panel>
  );
}

function Choice({ decision, parcel }: { decision: Decision; parcel: PackageDetail }) {
  const bids = decision.considered ?? [];
  const [isAsked, ask] = useState(bids.length <= UNASKED_UP_TO);
  const rivals = useQuery({
    queryKey: ['rivals', decision.swarmId],
    queryFn: () => readRivals(decision, parcel),
    enabled: isAsked,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const chosen = chosenChain(decision);
  const chains = rivals.data?.chains;
  return (
    <div className={styles.choice}>
      <p>
        {bids.length} {bids.length === 1 ? 'bid' : 'bids'} considered{' '}
        <span className={styles.dim}>
          at <Time at={decision.decidedAt} />
        </span>
        {chains &&
          `, ${chains.isAll ? '' : 'more than '}${chains.count} full ${chains.count === 1 ? 'chain' : 'chains'}`}
        . The least sum of cost × (1300 − ρ) wins{chosen && `: ${formatUnits(chosen.weight, parcel.decimals)}`}.
        {!decision.exact && ' The search ran out of time; this is the best chain it found.'}
      </p>
      {rivals.data && chosen && <RunnerUp of={parcel} chosen={chosen} chain={rivals.data.runnerUp} />}
      {rivals.error && (
        <p className={styles.dim}>
          The runner-up could not be found here: {faultOf(rivals.error, 'this browser gave up')}
        </p>
      )}
      {!isAsked && (
        <button type="button" className={styles.more} onClick={() => ask(true)}>
          Find the runner-up
        </button>
      )}
      <Considered decision={decision} runnerUp={rivals.data?.runnerUp} />
      {decision.replacements.map((one) => (
        <Replaced key={one.legId} of={parcel} {...one} />
      ))}
    </div>
  );
}

/** A courier who took the place of another: the best of those who bid for it. */
function Replaced({
  legIndex,
  decidedAt,
  bidId,
  considered,
  payment,
  of,
}: { of: Asset } & Decision['replacements'][number]) {
  const chosen = considered.find(({ id }) => id === bidId);
  return (
    <p>
      Leg {legIndex + 1} replaced, <Time at={decidedAt} />: {chosen && <AgentLink pubkey={chosen.agentPubkey} />} for{' '}
      <Amount of={of} amount={payment} />, out of {considered.length} {considered.length === 1 ? 'bid' : 'bids'}.
    </p>
  );
}

function RunnerUp({ of, chosen, chain }: { of: Asset; chosen: Chain; chain: Chain | undefined }) {
  const names = useNames();
  if (chain === undefined) return <p>Every possible chain needs all of these couriers.</p>;
  const more = chain.cost - chosen.cost;
  const who = chain.bids.map(({ agentPubkey }) => names.get(agentPubkey) ?? shortened(agentPubkey)).join(', ');
  return (
    <p>
      Runner-up: {who}, for <Amount of={of} amount={chain.cost} />
      {more !== 0n && (
        <>
          , <Amount of={of} amount={toLamports(more < 0n ? -more : more)} />{' '}
          {more > 0n ? 'more' : 'less, but its couriers count for less'}
        </>
      )}
      ; weight {formatUnits(chain.weight, of.decimals)}.
    </p>
  );
}

/** Rows that are shown before somebody asks for all. */
const FEW = 12;

function Considered({ decision, runnerUp }: { decision: Decision; runnerUp: Chain | undefined }) {
  const [isWhole, setWhole] = useState(false);
  const names = useNames();
  const place = new Map(decision.chosen.map(({ bidId }, at) => [bidId, at]));
  const second = new Set(runnerUp?.bids.map(({ id }) => id));
  const rank = ({ id }: ShownBid) => place.get(id) ?? (second.has(id) ? 100 : 101);
  const bids = (decision.considered ?? []).toSorted((a, b) => rank(a) - rank(b));
  return (
    <>
      <Table
        caption="Bids considered"
        columns={columns({ of: decision, place, second, names })}
        rows={isWhole ? bids : bids.slice(0, FEW)}
        keyOf={({ id }) => id}
      />
      {!isWhole && bids.length > FEW && (
        <button type="button" className={styles.more} onClick={() => setWhole(true)}>
          Show all {bids.length}
        </button>
      )}
    </>
  );
}

interface Marks {
  readonly of: Asset;
  /** The leg of a bid that was chosen. */
  readonly place: ReadonlyMap<string, number>;
  readonly second: ReadonlySet<string>;
  readonly names: Names;
}

function columns({ of, place, second, names }: Marks): Column<ShownBid>[] {
  return [
    {
      name: 'Who',
      isFirst: true,
      show: ({ agentPubkey }) => <Key value={agentPubkey} page="agent" name={names.get(agentPubkey)} />,
    },
    {
      name: 'Place',
      show: ({ id }) => {
        const leg = place.get(id);
        return leg !== undefined ? (
          <span className={styles.won}>won leg {leg + 1}</span>
        ) : second.has(id) ? (
          'runner-up'
        ) : (
          ''
        );
      },
    },
    { name: 'Bid', isFigure: true, show: ({ cost }) => <Amount of={of} amount={cost} /> },
    { name: 'Counts for', isFigure: true, show: ({ rho }) => `ρ ${rho}` },
    {
      name: 'Weight',
      isFigure: true,
      isWide: true,
      show: (bid) => formatUnits(bidWeight({ ...bid, costLamports: bid.cost }), of.decimals),
    },
  ];
}
