import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { HandoffsOf } from './Handoffs.js';
import styles from '../Check.module.css';
import { Loaded } from '../Loaded.js';
import { Panel } from '../Panel.js';
import { t } from '../../language.js';

/** Who gave a parcel or a result to whom, told by receipts; their code and what they say come when somebody asks for them. */
export function HandoffsPanel({ of }: { of: HandoffsOf }) {
  const [isAsked, ask] = useState(false);
  const code = useQuery({
    queryKey: ['code of handoffs'],
    queryFn: () => import('./Handoffs.js'),
    enabled: isAsked,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Panel title={t('Handoffs')}>
      {isAsked ? (
        <Loaded query={code}>{({ Handoffs }) => <Handoffs of={of} />}</Loaded>
      ) : (
        <p className={styles.check}>
          {'parcel' in of
            ? t('Who handed it to whom, when, in what condition, and who signed.')
            : t('Who handed in which result, when, and who signed for it.')}
          <button type="button" className={styles.button} onClick={() => ask(true)}>
            {t('Show the receipts')}
          </button>
        </p>
      )}
    </Panel>
  );
}
