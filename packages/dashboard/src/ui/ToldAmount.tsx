import { SOL } from '@legwork/sdk';
import { useRead } from '../data/service.js';
import { Amount } from './Amount.js';

interface Props {
  readonly amount: bigint;
  /** Undefined: SOL. */
  readonly asset: string | undefined;
}

/** An amount that an event tells: how many decimals a token has, the service says elsewhere. */
export function ToldAmount({ amount, asset = SOL.asset }: Props) {
  const { data: config } = useRead('getConfig', asset === SOL.asset ? 'nothing' : undefined);
  const of = asset === SOL.asset ? SOL : config?.assets.find((one) => one.asset === asset);
  return of === undefined ? `${amount} base units of ${asset}` : <Amount amount={amount} of={of} />;
}
