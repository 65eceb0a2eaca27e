import type { DetailPage } from '@legwork/protocol/contract';
import type { LegworkClient } from '@legwork/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { Key } from '../../ui/Key.js';
import { Panel } from '../../ui/Panel.js';
import { Distance } from '../../ui/Time.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { Told } from '../../wallet/Connect.js';
import { type Doing, useDoing } from '../../wallet/useDoing.js';
import { type ActRow, actsOn, ACTS_KEY, useActs } from './actLog.js';
import styles from './Ops.module.css';
import type { Opened } from './session.js';
import { type Act, askFor, askForAll, type Asked, type Group, groupsOf, type One, SAYS } from './words.js';
import { m, type Message, rich, t } from '../../language.js';

interface Props {
  readonly of: readonly One[];
  /** Undefined: nobody acts. */
  readonly opened: Opened | undefined;
  /** Looks again how the service stands. */
  readonly look: () => void;
}

/** What an operator has to know of or to do something about, the worst first, with a button where one is safe. */
export function Attention({ of, opened, look }: Props) {
  const doing = useDoing();
  const queries = useQueryClient();
  const { data: acts = [] } = useActs(opened);
  const ask = async (client: LegworkClient, asked: Asked) => {
    const { isDone, outcome } = await client.actAsOperator(asked);
    look();
    void queries.invalidateQueries({ queryKey: ACTS_KEY });
    return isDone ? t('Done: {outcome}.', { outcome }) : t('Not yet: {outcome}.', { outcome });
  };
  const act = opened && ((asked: Asked) => doing.run(t('Asking the service.'), () => ask(opened.client, asked)));
  return (
    <Panel title={t('Needs attention')} beside={of.length === 0 ? undefined : `${of.length}`}>
      <p role="status" className={styles.calm}>
        {of.length === 0 && t('Nothing needs attention.')}
      </p>
      <ul className={styles.groups}>
        {groupsOf(of).map((group) => (
          <li key={group.title}>
            <OneGroup of={group} acts={acts} doing={doing} act={act} />
          </li>
        ))}
      </ul>
      <Told doing={doing} />
    </Panel>
  );
}

interface Acting {
  readonly doing: Doing;
  readonly act: ((asked: Asked) => void) | undefined;
}

function OneGroup({ of: group, acts, doing, act }: Acting & { of: Group; acts: readonly ActRow[] }) {
  const { title, items } = group;
  return (
    <>
      <h3>{title}</h3>
      <ul className={styles.items}>
        {items.map((one, index) => (
          <li key={one.intentId ?? one.subject ?? index} className={styles.item}>
            <Cause of={one} acts={acts} />
            {/* Of several with the same advice it is read once. */}
            {one.advice !== items[index - 1]?.advice && <p className={styles.advice}>{one.advice}</p>}
            {act &&
              buttonsOf(one).map((name) => (
                <AskedBack
                  key={name}
                  label={t(LABELS[name])}
                  doing={doing}
                  question={{ says: t(SAYS[name]) }}
                  yes={t('Yes, do it')}
                  onMake={() => act(askFor(name, one))}
                />
              ))}
          </li>
        ))}
      </ul>
      {act &&
        forAll(group).map((name) => (
          <AskedBack
            key={name}
            label={
              name === 'sweep'
                ? t(LABELS.sweep)
                : t('{act}: all {count}', { act: t(LABELS[name]), count: items.length })
            }
            doing={doing}
            question={{ says: t(SAYS[name]) }}
            yes={t('Yes, do it')}
            onMake={() => act(askForAll(name, group))}
          />
        ))}
    </>
  );
}

const LABELS: Readonly<Record<Act, Message>> = { retry: m('Retry now'), heal: m('Heal now'), sweep: m('Sweep') };

const isButton = (act: string): act is Act => act in LABELS;
/** A sweep is for all there is. */
const buttonsOf = ({ acts }: One): Act[] => acts.filter(isButton).filter((act) => act !== 'sweep');

function forAll({ items }: Group): Act[] {
  const every = (items[0]?.acts ?? []).filter(isButton);
  return every.filter((act) => act === 'sweep' || items.length > 1);
}

function Cause({ of: one, acts }: { of: One; acts: readonly ActRow[] }) {
  const { subject, since, cause } = one;
  const last = actsOn(one, acts)[0];
  return (
    <>
      <p className={styles.about}>
        {subject !== null && <Subject of={subject} />}
        {since !== null && <span>{rich('since {when}', { when: <Distance to={since} /> })}</span>}
        {last && <span>{rich('{act} was asked for {when}', { act: last.act, when: <Distance to={last.at} /> })}</span>}
      </p>
      <p className={styles.cause}>{cause}</p>
    </>
  );
}

const PAGES_OF: Readonly<Record<string, DetailPage>> = { package: 'package', task: 'task' };

function Subject({ of: subject }: { of: string }) {
  const [kind = '', id = ''] = subject.split(':');
  const page = PAGES_OF[kind];
  return (
    <span>
      {kind} <Key value={id} {...(page && { page })} />
    </span>
  );
}
