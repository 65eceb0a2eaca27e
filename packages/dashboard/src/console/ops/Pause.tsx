import { configAddress, getSetPausedInstruction } from '@legwork/program-client';
import { PAGES } from '@legwork/protocol/contract';
import { address, createNoopSigner } from '@solana/kit';
import { ledgerRpc } from '../../data/ledger.js';
import { send } from '../../pages/mandates/ledger.js';
import { Panel } from '../../ui/Panel.js';
import { Status } from '../../ui/Status.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { Connect, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { type Session, useSession } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { m, t } from '../../language.js';

interface Props {
  /** Null: the ledger does not say. */
  readonly isPaused: boolean | null;
  readonly look: () => void;
}

const SAYS = {
  pause: m(
    'The program takes no listing, swarm or assignment, of this service or any other, and pays no leg of a task without terms, until its authority ends the pause. ' +
      'Handoffs, disputes and all ways out go on. It costs the fee of one signature.',
  ),
  resume: m('The program takes new listings, swarms and assignments again. It costs the fee of one signature.'),
};

/** The pause of the program, which its authority's wallet signs: the service has no key for it. */
export function Pause({ isPaused, look }: Props) {
  const session = useSession();
  const doing = useDoing();
  const set = (signing: Session, paused: boolean) => async () => {
    await setPaused(signing, paused);
    look();
    return paused ? t('Done. The program is paused.') : t('Done. The program takes new listings again.');
  };
  return (
    <>
      <Panel title={t('Pause the program')} beside={isPaused !== null && <PauseState isPaused={isPaused} />}>
        <div className={form.step}>
          <p>
            {t(
              "If something is going wrong, the program's authority can stop everything new on the ledger. Every way out stays open to everybody.",
            )}
          </p>
          {isPaused === null && <p>{t('The ledger does not answer, so it is not known whether it is paused.')}</p>}
          {session === undefined && <p>{t("Connect the authority's wallet below.")}</p>}
          {session && isPaused !== null && (
            <AskedBack
              key={String(isPaused)}
              label={isPaused ? t('End the pause') : t('Pause the program')}
              doing={doing}
              question={{ says: t(isPaused ? SAYS.resume : SAYS.pause) }}
              onMake={() =>
                doing.run(t('Waiting for {wallet} to sign.', { wallet: session.wallet.name }), set(session, !isPaused))
              }
            />
          )}
          <Told doing={doing} />
        </div>
      </Panel>
      <Connect path={PAGES.ops} />
    </>
  );
}

const PauseState = ({ isPaused }: { isPaused: boolean }) =>
  isPaused ? <Status of="failed" word={t('Paused')} /> : <Status of="completed" word={t('Taking new listings')} />;

async function setPaused(session: Session, paused: boolean): Promise<void> {
  const programAddress = address((await ledgerRpc()).programId);
  const authority = createNoopSigner(address(session.account.address));
  const config = await configAddress(programAddress);
  await send(session, [getSetPausedInstruction({ authority, config, paused }, { programAddress })]);
}
