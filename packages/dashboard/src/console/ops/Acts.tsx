import { CheckAll, CheckOf, Checks } from '../../ui/Checks.js';
import { Key } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { More } from '../../ui/More.js';
import { Empty, Panel } from '../../ui/Panel.js';
import { type Column, Table } from '../../ui/Table.js';
import { Time } from '../../ui/Time.js';
import { type ActRow, checkAct, useActs } from './actLog.js';
import type { Opened } from './session.js';
import { t } from '../../language.js';

const columns = (): readonly Column<ActRow>[] => [
  {
    name: t('What'),
    show: ({ act, target }) => (
      <>
        {act} <Target of={target} />
      </>
    ),
    isFirst: true,
  },
  { name: t('When'), show: ({ at }) => <Time at={at} /> },
  { name: t('Signed by'), show: ({ operatorPubkey }) => <Key value={operatorPubkey} /> },
  {
    name: t('Opened by'),
    show: ({ openedBy }) => (openedBy === null ? t('an operator’s own key') : <Key value={openedBy} />),
  },
  { name: t('Signature'), show: (row) => <CheckOf id={row.signature} /> },
];

/** What operators had done, newest first; this browser checks who signed it. Rule S-261. */
export function Acts({ opened }: { opened: Opened | undefined }) {
  const query = useActs(opened);
  if (opened === undefined) return null;
  const checks = (query.data ?? []).map((row) => ({
    id: row.signature,
    of: `${row.operatorPubkey} ${row.act} ${row.target}`,
    make: () => checkAct(row),
  }));
  return (
    <Checks of={checks}>
      <Panel
        title={t('{who, select, operators {Acts} other {Acts}}', { who: 'operators' })}
        beside={<CheckAll label={t('Check all signatures')} />}
      >
        <Loaded query={query}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty>{t('No operator had anything done.')}</Empty>
            ) : (
              <Table
                caption={t('The newest acts')}
                columns={columns()}
                rows={rows}
                keyOf={({ signature }) => signature}
              />
            )
          }
        </Loaded>
        <More of={query} />
      </Panel>
    </Checks>
  );
}

/** `package:…`, `key:…`, or a word of its own. */
function Target({ of: target }: { of: string }) {
  const [kind = '', value] = target.split(':');
  return value === undefined || value.length < 30 ? (
    target
  ) : (
    <>
      {kind} <Key value={value} />
    </>
  );
}
