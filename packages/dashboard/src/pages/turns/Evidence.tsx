import { resultHash } from '@legwork/protocol/rules';
import { type Leg, readOffer } from '@legwork/sdk';
import { useState } from 'react';
import { Verdict } from '../../ui/Check.js';
import { Key } from '../../ui/Key.js';
import { LongText } from '../../ui/LongText.js';
import { Action, Told } from '../../wallet/Action.js';
import form from '../../wallet/form.module.css';
import { actingFor, type Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';

interface Text {
  readonly authorPubkey: string;
  readonly text: string;
}

/** What a claim and its dispute rest on: for the parties, and for the arbiter while it is disputed. */
export function Evidence({ session, leg }: { session: Session; leg: Leg }) {
  const doing = useDoing();
  const [texts, setTexts] = useState<readonly Text[]>();
  const read = async () => {
    const { items } = await actingFor(session).client.listEvidence({ legId: leg.id });
    // A half of a move that two sign travels as evidence, and is none.
    const said = items.filter(({ text }) => readOffer(text) === undefined);
    setTexts(said);
    return said.length === 0 ? 'The service holds none.' : undefined;
  };
  return (
    <div className={form.step}>
      <Action doing={doing} onPress={() => doing.run('Waiting for your wallet to sign.', read)}>
        Read the evidence
      </Action>
      <Told doing={doing} />
      {texts?.map(({ authorPubkey, text }) => (
        <div key={resultHash(text).hex} className={form.step}>
          <p>
            <Key value={authorPubkey} page="agent" /> <Verdict of={namedBy(text, leg)} />
          </p>
          <LongText text={text} />
        </div>
      ))}
    </div>
  );
}

/** Which move names the text, by the hash that this browser makes of it. */
function namedBy(text: string, { evidenceHash, reasonHash }: Leg) {
  const { hex } = resultHash(text);
  if (hex === evidenceHash) return { holds: true, seen: 'The claim names it' } as const;
  if (hex === reasonHash) return { holds: true, seen: 'The dispute names it' } as const;
  return { couldNot: 'no move names it' };
}
