import { serviceUrl } from '../../data/shell.js';
import { useRead } from '../../data/service.js';
import { Loaded } from '../../ui/Loaded.js';
import { Facts, Panel } from '../../ui/Panel.js';
import form from '../../wallet/form.module.css';

/** What an arbiter did, as everybody sees it. Rule T-67. */
export function Record({ pubkey }: { pubkey: string }) {
  const record = useRead('getArbiter', { arbiterPubkey: pubkey });
  return (
    <Panel title="Your record">
      <Loaded query={record} rows={4}>
        {({ ruled, silent, open, meanPercent }) => (
          <div className={form.step}>
            <Facts
              of={[
                ['Ruled', ruled],
                ['Ended without you', silent],
                ['Waiting', open],
                [
                  'Left of payments',
                  meanPercent === null ? 'you have ruled nothing' : `${round(meanPercent)} % on average`,
                ],
              ]}
            />
            <p className={form.hint}>
              Couriers and agents choose by it whose rulings they accept:{' '}
              <a href={`${serviceUrl}/arbiters/${pubkey}`}>what they see</a>.
            </p>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const round = (percent: number) => Math.round(percent * 10) / 10;
