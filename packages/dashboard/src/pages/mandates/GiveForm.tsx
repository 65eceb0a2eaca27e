import { type Asset, formatAmount, type ServiceConfig, SOL } from '@legwork/sdk';
import { useState } from 'react';
import { AskedBack } from '../../wallet/AskedBack.js';
import { Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { Labelled, useTries } from '../../wallet/Labelled.js';
import type { Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { KINDS, readGiving, sayGiving, type Typed } from './draft.js';
import { give, type Given, RENT, TOKEN_RENT } from './ledger.js';
import { t } from '../../language.js';

interface Props {
  /** What stands in the fields at first. */
  readonly begin: Typed;
  /** The mandate that is bounded anew; left out: whichever is typed. */
  readonly given?: Given;
  /** Those that are there. */
  readonly all: readonly Given[];
  readonly session: Session;
  readonly config: ServiceConfig;
  readonly changed: () => Promise<void>;
}

type Line = readonly [name: Exclude<keyof Typed, 'kinds' | 'onlyWithTerms' | 'asset'>, label: string];

const linesOf = (unit: string, isNew: boolean): readonly Line[] => [
  ...(isNew ? [['delegate', t('Key that may post')] as const] : []),
  ['cap', t('Cap per period, {unit}', { unit })],
  ['hours', t('Period, hours')],
  ['days', t('Expires in days (empty: never)')],
  ['ahead', t('Longest deadline, hours ahead')],
  ['arbiter', t('Required arbiter (empty: any)')],
  ['put', t('Deposit now, {unit}', { unit })],
  ...(unit === 'SOL' ? [] : [['rents', t('SOL for the rent of listings')] as const]),
];

const labelOf = (given: Given | undefined) => (given ? t('Set these limits') : t('Give it'));

/** Gives a mandate, or bounds one anew: these bounds take the place of all former ones. */
export function GiveForm({ begin, given, all, session, config, changed }: Props) {
  const [typed, setTyped] = useState(begin);
  const { form: element, isTried, tried } = useTries();
  const doing = useDoing();
  const assets = [SOL, ...config.assets.filter(({ mint }) => mint !== null)];
  const of = given?.of ?? assets.find(({ asset }) => asset === typed.asset) ?? SOL;
  const label = labelOf(given);
  const there =
    given ?? all.find(({ mandate, of: { asset } }) => mandate.delegate === typed.delegate.trim() && asset === of.asset);
  const read = readGiving(typed, session.account.address, of, Date.now());
  const faults = isTried && 'faults' in read ? read.faults : {};
  const change: FieldProps['change'] = (part) => setTyped({ ...typed, ...part });
  const rents = (there ? 0n : RENT) + (of.asset === SOL.asset || there?.hasTokens ? 0n : TOKEN_RENT);
  const sign = async () => {
    if (!('faults' in read)) await give(session, read);
    await changed();
    return t('Done. It is on the ledger.');
  };
  return (
    <form ref={element} noValidate className={form.step} onSubmit={(event) => event.preventDefault()}>
      <div className={form.fields}>
        {!given && assets.length > 1 && <AssetField typed={typed} change={change} assets={assets} />}
        {linesOf(unitOf(of), given === undefined).map(([name, label]) => (
          <Labelled key={name} label={label} fault={faults[name]}>
            {(aria) => (
              <input
                {...aria}
                value={typed[name]}
                autoComplete="off"
                onChange={({ target }) => change({ [name]: target.value })}
              />
            )}
          </Labelled>
        ))}
        <KindsField typed={typed} change={change} />
      </div>
      <label>
        <input
          type="checkbox"
          checked={typed.onlyWithTerms}
          onChange={({ target }) => change({ onlyWithTerms: target.checked })}
        />{' '}
        {t('Only listings with terms')}
      </label>
      {'faults' in read ? (
        <button type="button" className={form.button} onClick={tried}>
          {label}
        </button>
      ) : (
        <AskedBack
          label={label}
          doing={doing}
          question={{ says: sayGiving(read, of, { rents, isThere: there !== undefined }) }}
          onMake={() => doing.run(t('Waiting for your wallet to sign.'), sign)}
        />
      )}
      <Told doing={doing} />
    </form>
  );
}

interface FieldProps {
  readonly typed: Typed;
  readonly change: (part: Partial<Typed>) => void;
}

const unitOf = ({ asset }: Pick<Asset, 'asset'>) => formatAmount(0n, { asset, decimals: 0 }).slice(2);

/** An amount of one asset is none of another. */
function AssetField({ typed, change, assets }: FieldProps & { assets: readonly Asset[] }) {
  return (
    <Labelled label={t('Asset')} fault={undefined}>
      {(aria) => (
        <select
          {...aria}
          value={typed.asset}
          onChange={({ target }) => change({ asset: target.value, cap: '', put: '' })}
        >
          {assets.map((one) => (
            <option key={one.asset} value={one.asset}>
              {unitOf(one)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

function KindsField({ typed, change }: FieldProps) {
  return (
    <Labelled label={t('May post')} fault={undefined}>
      {(aria) => (
        <select {...aria} value={typed.kinds} onChange={({ target }) => change({ kinds: kindOf(target.value) })}>
          {Object.entries(KINDS).map(([kind, words]) => (
            <option key={kind} value={kind}>
              {t(words)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

const kindOf = (text: string): Typed['kinds'] => (text === 'packages' || text === 'tasks' ? text : 'both');
