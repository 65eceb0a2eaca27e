import { isCosignedPickup } from '@legwork/protocol/rules';
import { findHandoff, handoffCode, type Leg, legOnLedger, type PackageDetail } from '@legwork/sdk';
import { Scanner } from '../../door/Scanner.js';
import styles from '../../door/door.module.css';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { actingFor, type Session } from '../../wallet/session.js';
import { type Doing, useDoing } from '../../wallet/useDoing.js';
import { ACTIONS } from '../turns/actionWords.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { move } from '../turns/makeMove.js';
import type { Subject } from '../turns/subject.js';
import { ByWords } from './ByWords.js';
import { ClaimStep } from './ClaimStep.js';
import { TakeOver } from './TakeOver.js';
import { takeCode } from './useCodes.js';
import { amountIn, t } from '../../language.js';

export interface StepProps {
  readonly leg: Leg;
  readonly session: Session;
  readonly subject: Subject;
  readonly parcel: PackageDetail;
}

/** The one thing that is next, with one button. Rule D-80. */
export function LegStep(props: StepProps) {
  const { stage, legIndex } = props.leg;
  if (stage === 'pending') return <Accept {...props} />;
  if (stage === 'accepted') return legIndex === 0 ? <PickUp {...props} /> : <TakeOver {...props} />;
  if (stage === 'carried') return <HandOver {...props} />;
  return null;
}

/** What a button does that makes a move of this leg. */
function onMove({ session, subject }: StepProps, doing: Doing, action: 'accept' | 'take') {
  const said = { action, text: '', percent: undefined, evenBeforePickup: false };
  return () =>
    doing.run(t('Waiting for your wallet to sign.'), async () => {
      await move(session, subject, said);
      return t('Done. It is on the ledger.');
    });
}

function Accept(props: StepProps) {
  const { stake, of } = props.subject;
  const doing = useDoing();
  return (
    <div className={styles.big}>
      <AskedBack
        label={ACTIONS.accept({ kind: 'package', stage: 'pending', stake, ...of, isOwn: true })}
        doing={doing}
        question={{
          says: t(
            'You stake {stake} and get it back when the leg is paid. You lose it if you are late. ' +
              'Until you have the parcel, you can still leave in time and get it back.',
            { stake: amountIn(stake, of) },
          ),
        }}
        onMake={onMove(props, doing, 'accept')}
      />
      <Told doing={doing} />
    </div>
  );
}

function PickUp(props: StepProps) {
  const { leg, session, subject } = props;
  const { stake, of } = subject;
  const doing = useDoing();
  if (!isCosignedPickup(leg.legIndex, subject.terms)) {
    return (
      <div className={styles.big}>
        <AskedBack
          label={ACTIONS.take({ kind: 'package', stage: 'accepted', stake, ...of, isOwn: true })}
          doing={doing}
          question={{
            says: t('From now on you are liable for the parcel with your stake. Sign only once you have it.'),
          }}
          onMake={onMove(props, doing, 'take')}
        />
        <Told doing={doing} />
      </div>
    );
  }
  return (
    <>
      <p>
        {t(
          "With the parcel in front of you, scan the shipper's code. Your phone sends it at once, and then the shipper lets the parcel go. From then on you are liable for it with your stake, so do not scan earlier.",
        )}
      </p>
      <Scanner label={t("Scan the shipper's code")} doing={doing} onCode={(text) => takeCode(session, text)} />
      <Action doing={doing} onPress={onMove(props, doing, 'take')}>
        {t("Fetch the shipper's signature")}
      </Action>
      <Told doing={doing} />
    </>
  );
}

/** What the other side has signed and put among the evidence of the leg. */
async function takeShared({ session, parcel, leg: { id: legId, onChainLeg } }: StepProps): Promise<string> {
  const { client, signer } = actingFor(session);
  const leg = await legOnLedger(client, signer.address, { packageId: parcel.id, legId, onChainLeg });
  const found = await findHandoff(client, leg, { legId });
  if (found === undefined)
    throw new Error(t('The other side has not signed yet. Ask them to sign, or scan their code.'));
  return takeCode(session, handoffCode(found));
}

function HandOver(props: StepProps) {
  const { leg, session, parcel } = props;
  const doing = useDoing();
  const isLast = leg.legIndex === (parcel.swarm?.legs.length ?? 0) - 1;
  return (
    <>
      <p>
        {isLast
          ? t('The receiver checks the parcel, signs on their phone and shows a code. Sending it pays you.')
          : t('The next courier takes the parcel over and shows a code. Sending it pays you.')}
      </p>
      <Scanner
        label={isLast ? t("Scan the receiver's code") : t("Scan the next courier's code")}
        doing={doing}
        onCode={(text) => takeCode(session, text)}
      />
      <Action doing={doing} onPress={() => doing.run(t('Looking for it.'), () => takeShared(props))}>
        {t("Fetch the other side's signature")}
      </Action>
      <Told doing={doing} />
      {isLast && parcel.terms?.receiverPubkey && <ByWords session={session} parcel={parcel} legIndex={leg.legIndex} />}
      <details>
        <summary>{t('Is nobody there to sign?')}</summary>
        <div className={form.step}>
          <ClaimStep {...props} />
        </div>
      </details>
    </>
  );
}
