import { readResultDocument, resultHash } from '@legwork/protocol/rules';
import { isPassedOn, namedAs, type NamedHashes, namedHashes } from '@legwork/sdk';
import { address } from '@solana/kit';
import { useState } from 'react';
import { ledgerRpc } from '../../data/ledger.js';
import type { BoundLeg } from '../../data/legWords.js';
import { Verdict } from '../../ui/Check.js';
import { Files } from '../../ui/Files.js';
import { Key } from '../../ui/Key.js';
import { LongText } from '../../ui/LongText.js';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { actingFor, type Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import type { Subject } from './subject.js';
import { t } from '../../language.js';

interface Read {
  readonly texts: readonly { readonly authorPubkey: string; readonly text: string }[];
  readonly named: NamedHashes;
}

interface Props {
  readonly session: Session;
  readonly subject: Subject;
}

/** What a claim, its dispute and the ruling rest on, for the parties. Rule D-37. */
export function Evidence({ session, subject }: Props) {
  const { leg } = subject;
  const doing = useDoing();
  const [found, setFound] = useState<Read>();
  const read = async () => {
    const { items } = await actingFor(session).client.listEvidence({ legId: leg.id });
    // What one side has signed travels as evidence, and is none.
    const texts = items.filter(({ text }) => !isPassedOn(text));
    setFound({ texts, named: await namedOnLedger(leg) });
    return texts.length === 0 ? t('The service holds no evidence.') : undefined;
  };
  return (
    <div className={form.step}>
      <Action doing={doing} onPress={() => doing.run(t('Waiting for your wallet to sign.'), read)}>
        {t('Read the evidence')}
      </Action>
      <Told doing={doing} />
      {found?.texts.map(({ authorPubkey, text }) => (
        <div key={resultHash(text).hex} className={form.step}>
          <p>
            <Key value={authorPubkey} page="agent" /> <Verdict of={namedBy(text, found.named)} />
          </p>
          {subject.kind === 'task' && resultHash(text).hex === found.named.evidence ? (
            <Claimed text={text} session={session} subject={subject} />
          ) : (
            <LongText text={text} />
          )}
        </div>
      ))}
    </div>
  );
}

/** A result that waits to be judged, with its files for those who judge it. */
function Claimed({ text, session, subject: { id, leg } }: Props & { text: string }) {
  const { result, artifacts } = readResultDocument(text);
  const of = { taskId: id, legId: leg.id };
  return (
    <>
      <LongText text={result} />
      {artifacts.length > 0 && <Files of={of} files={artifacts} client={() => actingFor(session).client} />}
    </>
  );
}

/** What the claim and the dispute name, as the ledger shows these transactions. */
async function namedOnLedger({ onChainLeg, formation }: BoundLeg): Promise<NamedHashes> {
  const { rpc, programId } = await ledgerRpc();
  const turn = { formation: formation ?? 0 };
  return namedHashes(rpc, { programId: address(programId), address: address(onChainLeg), turn });
}

/** Which move names the text, by the hash that this browser makes of it. */
function namedBy(text: string, named: NamedHashes) {
  const by = namedAs({ text, hash: resultHash(text).hex }, named);
  return by === 'nothing'
    ? { couldNot: t('no move names it') }
    : {
        holds: true as const,
        seen: t('{by, select, claim {The claim names it} dispute {The dispute names it} other {The ruling names it}}', {
          by,
        }),
      };
}
