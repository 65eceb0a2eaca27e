import { type ServiceConfig, SOL } from '@legwork/sdk';
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
import { amountIn, t } from '../../language.js';

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
    <Panel title={t('Mandates')}>
      <div className={form.step}>
        <p>
          {t(
            "A mandate lets another key, such as a model's, post with your money up to a cap per period, and do nothing else with it. If that key is stolen, you lose no more than the mandate allows.",
          )}
        </p>
        <Loaded query={mandates} rows={2}>
          {(given) => (
            <>
              {given.length === 0 && <p>{t('This key has given none.')}</p>}
              {given.map((one) => (
                <OneMandate key={one.at} of={one} {...shared} />
              ))}
            </>
          )}
        </Loaded>
        {opened === undefined ? (
          <button type="button" className={form.button} onClick={() => setOpened('new')}>
            {t('Give a mandate')}
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
  const amount = amountIn(held, of);
  const back = of.asset === SOL.asset ? amount : t('{amount} and {sol}', { amount, sol: amountIn(lamports, SOL) });
  const bounded = async () => {
    setOpen(false);
    await changed();
  };
  const ending = (again: boolean) => async () => {
    await end(session, given, again);
    setEnded(ended + 1);
    await changed();
    return t('Done. It is on the ledger, and {amount} came back to you.', { amount: back });
  };
  return (
    <section className={form.step} aria-label={t('Mandate of {key}', { key: mandate.delegate })}>
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
          {t('Change or top up')}
        </button>
      )}
      {/* What was asked back is answered. */}
      <Ends
        key={ended}
        back={back}
        doing={doing}
        end={(again) => doing.run(t('Waiting for your wallet to sign.'), ending(again))}
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
        label={t('Empty it')}
        doing={doing}
        question={{
          says: t(
            '{amount} come back to your wallet. The limits stay: the key can post again once somebody tops the mandate up.',
            { amount: back },
          ),
        }}
        onMake={() => endIt(true)}
      />
      <AskedBack
        label={t('End it')}
        doing={doing}
        question={{
          says: t(
            '{amount} and the rent come back to your wallet. Open listings continue. To collect what they return later, give this mandate again and end it again.',
            { amount: back },
          ),
        }}
        onMake={() => endIt(false)}
      />
    </div>
  );
}

function factsOf(given: Given, nowMs: number): ComponentProps<typeof Facts>['of'] {
  const { mandate, of, held, lamports } = given;
  return [
    [t('Key'), <Key key="who" value={mandate.delegate} page="agent" />],
    [t('Available now'), <Amount key="left" of={of} amount={leftOf(given, nowMs)} />],
    [t('Balance'), <Amount key="held" of={of} amount={held} />],
    ...(of.asset === SOL.asset ? [] : [[t('For rent'), <Amount key="sol" of={SOL} amount={lamports} />] as const]),
    [t('Cap'), t('{amount} per {period}', { amount: amountIn(mandate.cap, of), period: hoursOf(mandate.period) })],
    [t('Spent'), t('{amount} in the latest period', { amount: amountIn(mandate.spent, of) })],
    [
      t('Expires'),
      mandate.expiresAt === 0n ? t('never') : <Time key="ends" at={new Date(Number(mandate.expiresAt) * 1000)} />,
    ],
    [t('Account'), <Key key="at" value={given.at} page="account" />],
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
  if (lines.length === 0) return <p className={form.hint}>{t('This service shows no listing paid with it.')}</p>;
  return (
    <details>
      <summary>{t('{count} listed with it', { count: lines.length })}</summary>
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
