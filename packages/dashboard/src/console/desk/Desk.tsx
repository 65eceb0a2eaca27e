import { PAGES } from '@legwork/protocol/contract';
import { allTurns } from '@legwork/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { queries, keyOf, service } from '../../data/service.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { Connect } from '../../wallet/Connect.js';
import { type Session, useSession } from '../../wallet/session.js';
import { Dispute } from './Dispute.js';
import { type Disputed, Disputes } from './Disputes.js';
import { Landed, type Ruled } from './Landed.js';
import { Record } from './Record.js';
import styles from './desk.module.css';
import { t } from '../../language.js';

/** Where an arbiter reads its disputes and rules them. Rule D-112. */
export default function Desk() {
  const session = useSession();
  return (
    <>
      <Heading
        title={t("Arbiter's desk")}
        says={t(
          "For the key that a listing's terms name as arbiter: read both sides of a dispute, check the evidence, and rule. If nobody rules in time, the leg pays half and the arbiter gets no fee.",
        )}
      />
      <div className={styles.page}>
        <Connect path={PAGES.desk} />
        {session && <Room key={session.account.address} session={session} />}
      </div>
    </>
  );
}

/** How often it looks for disputes, milliseconds: they last for hours. */
const LOOK_EVERY_MS = 15_000;
const DISPUTES = 'disputes';

async function disputesOf(pubkey: string): Promise<Disputed[]> {
  return (await allTurns(service, pubkey)).filter(({ actions }) => actions.includes('rule'));
}

function Room({ session }: { session: Session }) {
  const pubkey = session.account.address;
  const [ruled, setRuled] = useState<readonly Ruled[]>([]);
  const [search] = useSearchParams();
  const disputes = useQuery({
    queryKey: [DISPUTES, pubkey],
    queryFn: () => disputesOf(pubkey),
    refetchInterval: LOOK_EVERY_MS,
  });
  const landed = async (one: Ruled) => {
    setRuled((before) => [one, ...before]);
    const keys = [[DISPUTES], keyOf('getArbiter'), keyOf('getPackage'), keyOf('getDigitalTask'), keyOf('listEvents')];
    await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
  return (
    <>
      {ruled.map((one) => (
        <Landed key={one.made.signature} of={one} />
      ))}
      <Loaded query={disputes} rows={4}>
        {(all) => {
          const open = all.filter(({ legId }) => !ruled.some(({ made }) => made.legId === legId));
          const wanted = search.get('leg');
          const chosen = wanted === null ? open[0] : open.find(({ legId }) => legId === wanted);
          return (
            <>
              <Disputes of={open} chosen={chosen?.legId} />
              {wanted !== null && !chosen && !ruled.some(({ made }) => made.legId === wanted) && (
                <NotYours legId={wanted} />
              )}
              {chosen && <Dispute key={chosen.legId} turn={chosen} session={session} landed={landed} />}
            </>
          );
        }}
      </Loaded>
      <Record pubkey={pubkey} />
    </>
  );
}

function NotYours({ legId }: { legId: string }) {
  return (
    <Panel title={t('Not for this key to judge')}>
      <Empty>
        <p>
          {t(
            'Leg {leg} is not disputed now, or its terms name another arbiter than the connected key. Connect the key that they name; a ruling stands, and nobody makes it twice.',
            { leg: legId },
          )}
        </p>
      </Empty>
    </Panel>
  );
}
