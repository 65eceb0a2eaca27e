import { isPassedOn, type LegworkClient, type LegworkEvent, namedAs, type NamedAs, namedHashes } from '@legwork/sdk';
import type { NamedHashes } from '@legwork/sdk';
import { readResultDocument } from '@legwork/protocol/rules';
import { address } from '@solana/kit';
import { type ReactNode, useState } from 'react';
import { signatureOf, wordsOf } from '../../data/eventWords.js';
import { ledgerRpc } from '../../data/ledger.js';
import { useList } from '../../data/service.js';
import { shownOf } from '../../door/note.js';
import type { Subject } from '../../pages/turns/subject.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { Verdict } from '../../ui/Check.js';
import { EventWords } from '../../ui/EventWords.js';
import { Files } from '../../ui/Files.js';
import { Key } from '../../ui/Key.js';
import { LongText } from '../../ui/LongText.js';
import { More } from '../../ui/More.js';
import { Panel } from '../../ui/Panel.js';
import { Time } from '../../ui/Time.js';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { actingFor, type Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import styles from './desk.module.css';
import { rich, t } from '../../language.js';

type Piece = Awaited<ReturnType<LegworkClient['listEvidence']>>['items'][number] & { readonly named: NamedAs };

interface Read {
  readonly pieces: readonly Piece[];
  readonly ledger: NamedHashes;
}

interface Props {
  readonly subject: Subject;
  readonly session: Session;
}

/** What happened, by the service, and what was said of it, measured against the ledger by this browser; the oldest first. */
export function Timeline({ subject, session }: Props) {
  const { kind, id, leg } = subject;
  const doing = useDoing();
  const [read, setRead] = useState<Read>();
  const events = useList('listEvents', { ...(kind === 'package' ? { package: id } : { task: id }), limit: 100 });
  const readAll = async () => {
    const { items } = await actingFor(session).client.listEvidence({ legId: leg.id });
    const { rpc, programId } = await ledgerRpc();
    const at = {
      programId: address(programId),
      address: address(leg.onChainLeg),
      turn: { formation: leg.formation ?? 0 },
    };
    const ledger = await namedHashes(rpc, at);
    // What one side has signed travels as evidence, and is none.
    const texts = items.filter(({ text }) => !isPassedOn(text));
    setRead({ ledger, pieces: texts.map((piece) => ({ ...piece, named: namedAs(piece, ledger) })) });
  };
  const rows = [
    ...(events.data ?? []).flatMap(rowOfEvent),
    ...(read?.pieces ?? []).map((piece) => ({
      key: `${piece.authorPubkey} ${piece.hash}`,
      at: piece.createdAt,
      show: <Evidence piece={piece} subject={subject} session={session} />,
    })),
  ].toSorted((one, other) => one.at.getTime() - other.at.getTime());
  return (
    <Panel title={t('What happened')}>
      <div className={form.step}>
        <More of={events} />
        <ol className={styles.timeline}>
          {rows.map(({ key, at, show }) => (
            <li key={key}>
              <span className={styles.time}>
                <Time at={at} />
              </span>
              <div className={styles.said}>{show}</div>
            </li>
          ))}
        </ol>
        {read && <Missing read={read} />}
        <Action doing={doing} onPress={() => doing.run(t('Waiting for your wallet to sign.'), readAll)}>
          {read ? t('Read the evidence again') : t('Read the evidence')}
        </Action>
        <Told doing={doing} />
      </div>
    </Panel>
  );
}

interface Row {
  readonly key: string;
  readonly at: Date;
  readonly show: ReactNode;
}

/** Bids are no part of what is judged. */
function rowOfEvent(event: LegworkEvent): Row[] {
  if (wordsOf(event).kind === 'bid') return [];
  const signature = signatureOf(event);
  const show = (
    <p>
      <EventWords event={event} /> {signature && <Key value={signature} page="transaction" />}
    </p>
  );
  return [{ key: `event ${event.seq}`, at: event.occurredAt, show }];
}

const verdicts = (): Readonly<Record<NamedAs, Parameters<typeof Verdict>[0]['of']>> => ({
  claim: { holds: true, seen: t('The claim names it on the ledger') },
  dispute: { holds: true, seen: t('The dispute names it on the ledger') },
  ruling: { holds: true, seen: t('The ruling names it on the ledger') },
  nothing: { couldNot: t('no move names it on the ledger') },
  forged: { holds: false, difference: t('Left out: its text is not what its hash says') },
});

function Evidence({ piece, subject, session }: Props & { piece: Piece }) {
  const { authorPubkey, text, hash, named } = piece;
  return (
    <div className={form.step}>
      <p>
        {rich('{who} says: {verdict}', {
          who: <AgentLink pubkey={authorPubkey} />,
          verdict: <Verdict of={verdicts()[named]} />,
        })}
      </p>
      {named === 'forged' ? (
        <p className={form.hint}>
          {rich('The service says that its sha256 is {hash}, and shows another text. It is no evidence.', {
            hash: <Key value={hash} />,
          })}
        </p>
      ) : subject.kind === 'task' && named === 'claim' ? (
        <Result text={text} subject={subject} session={session} />
      ) : (
        <Said text={text} />
      )}
    </div>
  );
}

/** A result as it was handed in; each of its files is hashed before it is saved. */
function Result({ text, subject: { id, leg }, session }: Props & { text: string }) {
  const { result, artifacts } = readResultDocument(text);
  const of = { taskId: id, legId: leg.id };
  return (
    <>
      <LongText text={result} isFixed />
      {artifacts.length > 0 && <Files of={of} files={artifacts} client={() => actingFor(session).client} />}
    </>
  );
}

function Said({ text }: { text: string }) {
  const { words, photos, unshown } = shownOf(text);
  return (
    <>
      {words && <LongText text={words} />}
      {photos.map((photo, index) => (
        <img
          key={photo}
          className={styles.photo}
          src={photo}
          alt={t('Photograph {number} of this text', { number: index + 1 })}
        />
      ))}
      {unshown > 0 && <p className={form.hint}>{t('A picture is not shown: it is too large, or none.')}</p>}
    </>
  );
}

/** What the ledger names and the service does not show: nobody should judge without knowing that. */
function Missing({ read: { pieces, ledger } }: { read: Read }) {
  const missing = (['claim', 'dispute'] as const).filter((one) => pieces.every(({ named }) => named !== one));
  return missing.map((one) => (
    <p key={one} role="alert" className={form.problem}>
      {rich(
        'The text that the {move, select, claim {claim} other {dispute}} names is not here. Its sha256 on the ledger: {hash}. Do not judge without it: ask its author for the text.',
        { move: one, hash: one === 'claim' ? ledger.evidence : ledger.reason },
      )}
    </p>
  ));
}
