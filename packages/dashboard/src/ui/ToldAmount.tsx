import { SOL } from '@legwork/sdk';
import { useRead } from '../data/service.js';
import { Amount } from './Amount.js';
import { t } from '../language.js';

interface Props {
  readonly amount: bigint;
  /** Undefined: SOL. */
  readonly asset: string | undefined;
}

/** An amount that an event tells: how many decimals a token has, the service says elsewhere. */
export function ToldAmount({ amount, asset = SOL.asset }: Props) {
  const { data: config } = useRead('getConfig', asset === SOL.asset ? 'nothing' : undefined);
  const of = asset === SOL.asset ? SOL : config?.assets.find((one) => one.asset === asset);
  if (of === undefined) return t('{amount} base units of {asset}', { amount: String(amount), asset });
  return <Amount amount={amount} of={of} />;
}
