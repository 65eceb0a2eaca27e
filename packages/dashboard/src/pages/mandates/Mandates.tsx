import { formatAmount, formatSol, type ServiceConfig, SOL } from '@legwork/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { useNow } from '../../data/clock.js';
import { heldKey } from '../../data/held.js';
import { useRead } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { Status } from '../../ui/Status.js';
import { Time } from '../../ui/Time.js';
import { Title } from '../../ui/Title.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { type Doing, useDoing } from '../../wallet/useDoing.js';
import { EMPTY, hoursOf, typedOf } from './draft.js';
import { GiveForm } from './GiveForm.js';
import { end, type Given, givenBy, leftOf } from './ledger.js';

/** How often it is looked what the ledger has, milliseconds: delegates list without asking. */
const LOOK_EVERY_MS = 30_000;

/** What the connected key lets others list with, as the ledger has it. Rule D-98. */
export default function Mandates({ session, config }: { session: Session; config: ServiceConfig }) {
  const owner = session.account.address;
  const client = useQueryClient();
  const [opened, setOpened] = useState<string>();
  const mandates = useQuery({
    queryKey: ['mandates', owner],
    queryFn: () => givenBy(owner),
    refetchInterval: LOOK_EVERY_MS,
    retry: false,
  });
  const changed = async () => {
    setOpened(undefined);
    await Promise.all([mandates.refetch(), client.invalidateQueries({ queryKey: heldKey(owner) })]);
  };
  const shared = { session, config, changed };
  return (
    <Panel title="Mandates">
      <div className={form.step}>
        <p>
          A mandate lets another key, such as a model's, post with your money up to a cap per period, and do nothing
          else with it. If that key is stolen, you lose no more than the mandate allows.
        </p>
        <Loaded query={mandates} rows={2}>
          {(given) => (
            <>
              {given.length === 0 && <p>This key has given none.</p>}
              {given.map((one) => (
                <OneMandate key={one.at} of={one} {...shared} />
              ))}
            </>
          )}
        </Loaded>
        {opened === undefined ? (
          <button type="button" className={form.button} onClick={() => setOpened('new')}>
            Give a mandate
          </button>
        ) : (
          <GiveForm begin={EMPTY} all={mandates.data ?? []} {...shared} />
        )}
      </div>
    </Panel>
  );
}

interface Shared {
  readonly session: Session;
  readonly config: ServiceConfig;
  /** The ledger has something else now. */
  readonly changed: () => Promise<void>;
}

function OneMandate({ of: given, session, config, changed }: Shared & { of: Given }) {
  const { mandate, of, held, lamports } = given;
  const now = useNow();
  const doing = useDoing();
  const [isOpen, setOpen] = useState(false);
  const [ended, setEnded] = useState(0);
  const back = [formatAmount(held, of), ...(of.asset === SOL.asset ? [] : [`${formatSol(lamports)} SOL`])].join(
    ' and ',
  );
  const bounded = async () => {
    setOpen(false);
    await changed();
  };
  const ending = (again: boolean) => async () => {
    await end(session, given, again);
    setEnded(ended + 1);
    await changed();
    return `Done. It is on the ledger, and ${back} came back to you.`;
  };
  return (
    <section className={form.step} aria-label={`Mandate of ${mandate.delegate}`}>
      <Facts of={factsOf(given, now)} />
      <Listed of={given} />
      {isOpen ? (
        <GiveForm
          begin={typedOf(mandate, of, now)}
          given={given}
          all={[]}
          session={session}
          config={config}
          changed={bounded}
        />
      ) : (
        <button type="button" className={form.button} onClick={() => setOpen(true)}>
          Change or top up
        </button>
      )}
      {/* What was asked back is answered. */}
      <Ends
        key={ended}
        back={back}
        doing={doing}
        end={(again) => doing.run('Waiting for your wallet to sign.', ending(again))}
      />
      <Told doing={doing} />
    </section>
  );
}

interface EndsProps {
  /** What comes back. */
  readonly back: string;
  readonly doing: Doing;
  readonly end: (again: boolean) => void;
}

function Ends({ back, doing, end: endIt }: EndsProps) {
  return (
    <div className={form.buttons}>
      <AskedBack
        label="Empty it"
        doing={doing}
        question={{
          says: `${back} come back to your wallet. The limits stay: the key can post again once somebody tops the mandate up.`,
        }}
        onMake={() => endIt(true)}
      />
      <AskedBack
        label="End it"
        doing={doing}
        question={{
          says: `${back} and the rent come back to your wallet. Open listings continue. To collect what they return later, give this mandate again and end it again.`,
        }}
        onMake={() => endIt(false)}
      />
    </div>
  );
}

function factsOf(given: Given, nowMs: number): ComponentProps<typeof Facts>['of'] {
  const { mandate, of, held, lamports } = given;
  return [
    ['Key', <Key key="who" value={mandate.delegate} page="agent" />],
    ['Available now', <Amount key="left" of={of} amount={leftOf(given, nowMs)} />],
    ['Balance', <Amount key="held" of={of} amount={held} />],
    ...(of.asset === SOL.asset ? [] : [['For rent', <Amount key="sol" of={SOL} amount={lamports} />] as const]),
    ['Cap', `${formatAmount(mandate.cap, of)} per ${hoursOf(mandate.period)}`],
    ['Spent', `${formatAmount(mandate.spent, of)} in the latest period`],
    [
      'Expires',
      mandate.expiresAt === 0n ? 'never' : <Time key="ends" at={new Date(Number(mandate.expiresAt) * 1000)} />,
    ],
    ['Account', <Key key="at" value={given.at} page="account" />],
  ];
}

/** So many of a delegate's newest listings are looked at. */
const NEWEST = 100;

/** What the delegate listed with it, by the word of the service. */
function Listed({ of: { at, mandate } }: { of: Given }) {
  const asked = { shipper: mandate.delegate, limit: NEWEST };
  const packages = useRead('listPackages', asked).data?.items ?? [];
  const tasks = useRead('listDigitalTasks', asked).data?.items ?? [];
  const lines = [
    ...packages.map((one) => ({ ...one, page: 'package' as const, text: one.description })),
    ...tasks.map((one) => ({ ...one, page: 'task' as const, text: one.title })),
  ].filter(({ funderPubkey }) => funderPubkey === at);
  if (lines.length === 0) return <p className={form.hint}>This service shows no listing paid with it.</p>;
  return (
    <details>
      <summary>{lines.length} listed with it</summary>
      <ul>
        {lines.map((one) => (
          <li key={one.id}>
            <Title page={one.page} id={one.id} text={one.text} /> <Amount of={one} amount={one.maxBudget} />{' '}
            <Status of={one.status} reason={one.failureReason} word={undefined} />
          </li>
        ))}
      </ul>
    </details>
  );
}
