import { faultOf } from '../../data/faultWords.js';
import { type Asset, type PackageDetail, toLamports } from '@legwork/sdk';
import { bidWeight } from '@legwork/protocol/rules';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
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
import type { Rivals } from './auction.worker.js';
import styles from './Package.module.css';
import { figureIn, rich, t } from '../../language.js';

type ShownBid = NonNullable<Decision['considered']>[number];
type Names = ReadonlyMap<string, string>;

/** What a chain was chosen of, what came second, and the same choice made here. */
export function DecisionPanel({ parcel, query }: { parcel: PackageDetail; query: UseQueryResult<Decision> }) {
  return (
    <Panel
      title={t('Why this chain won')}
      beside={query.data?.considered && <CheckOf id="auction" label={t('Re-run here')} />}
    >
      <Loaded query={query} rows={5}>
        {(decision) =>
          decision.considered ? (
            <Choice decision={decision} parcel={parcel} />
          ) : (
            <p>{t('The bids it was chosen from are no longer stored.')}</p>
          )
        }
      </Loaded>
      {parcel.swarm?.status === 'failed' && parcel.swarm.formSignature === null && (
        <p className={styles.dim}>{t('The ledger refused this chain.')}</p>
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
  return (
    <div className={styles.choice}>
      <Found decision={decision} chains={rivals.data?.chains} weight={chosen?.weight} decimals={parcel.decimals} />
      {rivals.data && chosen && <RunnerUp of={parcel} chosen={chosen} chain={rivals.data.runnerUp} />}
      {rivals.error && (
        <p className={styles.dim}>
          {t('The runner-up could not be found here: {problem}', {
            problem: faultOf(rivals.error, t('this browser gave up')),
          })}
        </p>
      )}
      {!isAsked && (
        <button type="button" className={styles.more} onClick={() => ask(true)}>
          {t('Find the runner-up')}
        </button>
      )}
      <Considered decision={decision} runnerUp={rivals.data?.runnerUp} />
      {decision.replacements.map((one) => (
        <Replaced key={one.legId} of={parcel} {...one} />
      ))}
    </div>
  );
}

interface FoundProps {
  readonly decision: Decision;
  /** Undefined: not counted here. */
  readonly chains: Rivals['chains'] | undefined;
  /** Of the chain that won. */
  readonly weight: bigint | undefined;
  readonly decimals: number;
}

/** How much there was to choose from, and by what rule. */
function Found({ decision, chains, weight, decimals }: FoundProps) {
  return (
    <p>
      {rich<ReactNode>(
        '{bids, plural, one {# bid} other {# bids}} considered <dim>at {time}</dim>{counted, select, no {} all {, {chains, plural, one {# full chain} other {# full chains}}} other {, more than {chains, plural, one {# full chain} other {# full chains}}}}.',
        {
          bids: decision.considered?.length ?? 0,
          time: <Time at={decision.decidedAt} />,
          dim: (inside) => <span className={styles.dim}>{inside}</span>,
          counted: chains === undefined ? 'no' : chains.isAll ? 'all' : 'some',
          chains: chains?.count ?? 0,
        },
      )}{' '}
      {weight === undefined
        ? t('The least sum of cost × (1300 − ρ) wins.')
        : t('The least sum of cost × (1300 − ρ) wins: {weight}.', { weight: figureIn(weight, decimals) })}
      {!decision.exact && ` ${t('The search ran out of time; this is the best chain it found.')}`}
    </p>
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
      {rich<ReactNode>(
        'Leg {number} replaced, {time}: {courier} for {payment}, out of {bids, plural, one {# bid} other {# bids}}.',
        {
          number: legIndex + 1,
          time: <Time at={decidedAt} />,
          courier: chosen && <AgentLink pubkey={chosen.agentPubkey} />,
          payment: <Amount of={of} amount={payment} />,
          bids: considered.length,
        },
      )}
    </p>
  );
}

function RunnerUp({ of, chosen, chain }: { of: Asset; chosen: Chain; chain: Chain | undefined }) {
  const names = useNames();
  if (chain === undefined) return <p>{t('Every possible chain needs all of these couriers.')}</p>;
  const more = chain.cost - chosen.cost;
  const who = chain.bids.map(({ agentPubkey }) => names.get(agentPubkey) ?? shortened(agentPubkey)).join(', ');
  return (
    <p>
      {rich<ReactNode>(
        'Runner-up: {couriers}, for {cost}{asks, select, same {} more {, {difference} more} other {, {difference} less, but its couriers count for less}}; weight {weight}.',
        {
          couriers: who,
          cost: <Amount of={of} amount={chain.cost} />,
          asks: more === 0n ? 'same' : more > 0n ? 'more' : 'less',
          difference: <Amount of={of} amount={toLamports(more < 0n ? -more : more)} />,
          weight: figureIn(chain.weight, of.decimals),
        },
      )}
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
        caption={t('Bids considered')}
        columns={columns({ of: decision, place, second, names })}
        rows={isWhole ? bids : bids.slice(0, FEW)}
        keyOf={({ id }) => id}
      />
      {!isWhole && bids.length > FEW && (
        <button type="button" className={styles.more} onClick={() => setWhole(true)}>
          {t('Show all {count}', { count: bids.length })}
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
      name: t('Who'),
      isFirst: true,
      show: ({ agentPubkey }) => <Key value={agentPubkey} page="agent" name={names.get(agentPubkey)} />,
    },
    {
      name: t('Place'),
      show: ({ id }) => {
        const leg = place.get(id);
        return leg !== undefined ? (
          <span className={styles.won}>{t('won leg {number}', { number: leg + 1 })}</span>
        ) : second.has(id) ? (
          t('runner-up')
        ) : (
          ''
        );
      },
    },
    { name: t('Bid'), isFigure: true, show: ({ cost }) => <Amount of={of} amount={cost} /> },
    { name: t('Counts for'), isFigure: true, show: ({ rho }) => `ρ ${rho}` },
    {
      name: t('Weight'),
      isFigure: true,
      isWide: true,
      show: (bid) => figureIn(bidWeight({ ...bid, costLamports: bid.cost }), of.decimals),
    },
  ];
}
