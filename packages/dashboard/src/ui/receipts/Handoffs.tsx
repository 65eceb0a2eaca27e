import type { DigitalTaskDetail, PackageDetail, Receipt } from '@legwork/sdk';
import { useState } from 'react';
import { asText, transactionCheck } from '../../data/escrowChecks.js';
import type { ReceiptsOf } from '../../data/receiptsOnLedger.js';
import { useRead } from '../../data/service.js';
import { AgentLink } from '../AgentLink.js';
import { attempt, Check, type CheckState } from '../Check.js';
import { CheckOf } from '../Checks.js';
import { Key } from '../Key.js';
import { Loaded } from '../Loaded.js';
import { saveAs } from '../saveAs.js';
import { Time } from '../Time.js';
import styles from './Handoffs.module.css';
import { m, type Message, rich, t } from '../../language.js';

/** Whose handoffs are told, as its page shows it. */
export type HandoffsOf = { readonly parcel: PackageDetail } | { readonly task: DigitalTaskDetail };

/** The receipts of a package or a task from the first handoff on, to be checked here and to be kept. Rule D-52. */
export function Handoffs({ of }: { of: HandoffsOf }) {
  const parcel = useRead('getPackageReceipts', 'parcel' in of ? { packageId: of.parcel.id } : 'nothing');
  const task = useRead('getTaskReceipts', 'task' in of ? { taskId: of.task.id } : 'nothing');
  return (
    <Loaded<{ readonly receipts: readonly Receipt[] }> query={'parcel' in of ? parcel : task} rows={4}>
      {({ receipts }) =>
        receipts.length === 0 ? (
          <p className={styles.dim}>{t('Nobody has signed for it yet.')}</p>
        ) : (
          <Told chain={receipts} of={againstOf(of)} />
        )
      }
    </Loaded>
  );
}

/** What the receipts are held against. */
function againstOf(of: HandoffsOf): ReceiptsOf {
  const listing = 'parcel' in of ? of.parcel.onChainPackage : of.task.onChainTask;
  const legs = 'parcel' in of ? (of.parcel.swarm?.legs ?? []) : of.task.legs;
  const { termsHash, shipperPubkey, terms } = 'parcel' in of ? of.parcel : of.task;
  return { listing, legs, termsHash, shipperPubkey, receiverPubkey: terms?.receiverPubkey ?? null };
}

function Told({ chain, of }: { chain: readonly Receipt[]; of: ReceiptsOf }) {
  // A verdict is about these receipts and what they are held against.
  const about = asText([chain, of.legs.map(({ agentPubkey, confirmSignature }) => [agentPubkey, confirmSignature])]);
  const [made, setMade] = useState<{ readonly about: string; readonly state: CheckState }>();
  const check = async () => {
    setMade({ about, state: 'checking' });
    const state = await attempt(async () =>
      (await import('../../data/receiptsOnLedger.js')).receiptsOnLedger(chain, of),
    );
    setMade({ about, state });
  };
  const firstNoted = chain.findIndex(({ condition }) => condition === 'noted');
  return (
    <>
      <ol className={styles.handoffs} aria-label={t('Handoffs')}>
        {chain.map((receipt, place) => (
          <Handoff key={`${receipt.previous}`} receipt={receipt} place={place} isFirstNoted={place === firstNoted} />
        ))}
      </ol>
      <div className={styles.tools}>
        <Check
          label={t('Check these receipts')}
          state={made?.about === about ? made.state : 'not checked'}
          check={() => void check()}
        />
        <button
          type="button"
          className={styles.button}
          onClick={() => saveAs(`receipts-${of.listing.slice(0, 6)}.json`, [`${JSON.stringify(chain, null, 2)}\n`])}
        >
          {t('Download')}
        </button>
      </div>
      <p className={styles.dim}>
        {t(
          'A leg that silence, a ruling or the coordinator ended was not handed over and has no receipt. Anyone with the file can check it without this service.',
        )}
      </p>
    </>
  );
}

/** What happened, by the word that was signed, and where on the leg that is. */
const HAPPENED: Readonly<Record<Receipt['said'], readonly [what: Message, where: Message]>> = {
  'picked up': [m('Picked up'), m('start of leg {number}')],
  'taken over': [m('Taken over'), m('end of leg {number}')],
  received: [m('Received'), m('end of leg {number}')],
  accepted: [m('Accepted'), m('leg {number}')],
};

interface Props {
  readonly receipt: Receipt;
  readonly place: number;
  readonly isFirstNoted: boolean;
}

function Handoff({ receipt, place, isFirstNoted }: Props) {
  const { said, legIndex, from, to, at, signed, condition, landed } = receipt;
  const [what, where] = HAPPENED[said];
  return (
    <li className={styles.handoff} data-noted={condition === 'noted'}>
      <span className={styles.place} aria-hidden="true">
        {place + 1}
      </span>
      <p className={styles.head}>
        <strong>{t(what)}</strong>
        <span className={styles.dim}>{t(where, { number: legIndex + 1 })}</span>
      </p>
      <p>
        {rich(said === 'accepted' ? m('{to} accepted the result of {from}') : m('{to} received it from {from}'), {
          to: <AgentLink pubkey={to} />,
          from: <AgentLink pubkey={from} />,
        })}
      </p>
      <Condition of={receipt} isFirstNoted={isFirstNoted} />
      <p className={styles.dim}>
        {rich(signed ? m('signed {when}') : m('block of {when}'), { when: <When at={at} /> })}
        {` · ${landed ? t('slot {slot}', { slot: landed.slot }) : t('not sent yet')}`}
      </p>
      {landed && (
        <p className={styles.proof}>
          <Key value={landed.transaction} page="transaction" />
          <CheckOf id={transactionCheck(landed.transaction)} />
        </p>
      )}
    </li>
  );
}

/** A time as it was said, which need not be one. */
function When({ at }: { at: string }) {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : <Time at={time} />;
}

/** In which condition it was, as it was said. */
function Condition({ of, isFirstNoted }: { of: Receipt; isFirstNoted: boolean }) {
  const { said, condition, hash, from } = of;
  const sha256 = hash === null ? '' : <Key value={hash} />;
  if (said === 'accepted') return <p>{rich('result {hash}', { hash: sha256 })}</p>;
  if (condition === 'as described') return <p>{t('as described')}</p>;
  if (condition === 'not said')
    return <p className={styles.dim}>{t('condition not stated: a transaction without a signed text')}</p>;
  return (
    <>
      <p className={styles.noted}>{rich('with a note {hash}', { hash: sha256 })}</p>
      {isFirstNoted && (
        <p className={styles.noted}>
          {rich('first noted here; until then {holder} had it', { holder: <AgentLink pubkey={from} /> })}
        </p>
      )}
    </>
  );
}
