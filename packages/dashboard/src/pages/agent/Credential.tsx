import type { AgentProfile } from '@legwork/sdk';
import { useState } from 'react';
import { Verdict } from '../../ui/Check.js';
import { CopyButton } from '../../ui/Key.js';
import { Panel } from '../../ui/Panel.js';
import { Problem } from '../../ui/Problem.js';
import styles from './Credential.module.css';
import { type Verified, verifyHere } from './verify.js';
import { m, t } from '../../language.js';

/** The agent's reputation as the coordinator signs it, checked by this browser when somebody asks. */
export function Credential({ agent }: { agent: AgentProfile }) {
  const { mirroredAt, legsAccepted, legsCompleted } = agent.reputation;
  return (
    <Panel title={t('Credential')}>
      {mirroredAt === null ? (
        <p className={styles.note}>
          {t('This key has no reputation account on the ledger yet, so there is nothing to certify.')}
        </p>
      ) : (
        // Other figures are another credential.
        <Verification key={`${legsCompleted}/${legsAccepted}`} agent={agent} />
      )}
    </Panel>
  );
}

type State = 'not checked' | 'checking' | Verified | { readonly error: unknown };

function Verification({ agent }: { agent: AgentProfile }) {
  const [state, setState] = useState<State>('not checked');
  const verify = () => {
    setState('checking');
    verifyHere(agent).then(setState, (error: unknown) => setState({ error }));
  };
  return (
    <div className={styles.credential} role="status">
      {typeof state === 'object' && 'error' in state && <Problem error={state.error} retry={verify} />}
      {typeof state === 'object' && 'findings' in state && <Findings verified={state} />}
      {state === 'checking' && <span className={styles.note}>{t('Checking…')}</span>}
      {state === 'not checked' && (
        <button type="button" className={styles.button} onClick={verify}>
          {t('Verify in this browser')}
        </button>
      )}
    </div>
  );
}

const QUESTIONS = [
  ['signature', m('Signature')],
  ['validity', m('Valid')],
  ['figures', m('Matches the ledger')],
  ['page', m('Matches this page')],
] as const;

function Findings({ verified: { jwt, findings } }: { verified: Verified }) {
  return (
    <>
      <dl className={styles.findings}>
        {QUESTIONS.map(([name, question]) => (
          <div key={name}>
            <dt>{t(question)}</dt>
            <dd>
              <Verdict of={findings[name]} />
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles.jwt}>
        <code>{jwt}</code>
        <CopyButton value={jwt} label={t('Copy the JWT')} />
      </p>
    </>
  );
}
