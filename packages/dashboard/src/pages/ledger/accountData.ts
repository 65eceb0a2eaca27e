import { LegStatus, PackageStatus, SwarmStatus, TaskStatus } from '@legwork/program-client';
import { decodeRelayAccount, type RelayAccountData } from '@legwork/sdk';
import { type Shown, titleOf, valuesOf } from './values.js';
import { m, type Message, t } from '../../language.js';

/** What an account of the relay program says. */
export interface AccountData {
  /** `Package`, `Leg of a digital task`. */
  readonly title: string;
  /** In words; undefined: it has none. */
  readonly status: string | undefined;
  readonly values: readonly (readonly [name: string, value: Shown])[];
}

type Statuses = Readonly<Record<number, string>>;

const KINDS: Readonly<Record<RelayAccountData['kind'], { readonly title: Message; readonly statuses?: Statuses }>> = {
  config: { title: m('Configuration of the program') },
  package: { title: m('Package'), statuses: PackageStatus },
  swarm: { title: m('Chain of couriers'), statuses: SwarmStatus },
  leg: { title: m('Leg of a package'), statuses: LegStatus },
  reputation: { title: m('Reputation of an agent') },
  task: { title: m('Digital task'), statuses: TaskStatus },
  taskLeg: { title: m('Leg of a digital task'), statuses: LegStatus },
};

/** Decodes an account that the relay program owns; undefined: it is of no kind that is known here. */
export function decodeAccount(bytes: Uint8Array): AccountData | undefined {
  const found = decoded(bytes);
  if (found === undefined) return undefined;
  const { title, statuses } = KINDS[found.kind];
  const status = 'status' in found.data ? statuses?.[found.data.status] : undefined;
  return { title: t(title), status: status && t(titleOf(status)), values: valuesOf(found.data) };
}

function decoded(bytes: Uint8Array): RelayAccountData | undefined {
  try {
    return decodeRelayAccount(bytes);
  } catch {
    return undefined;
  }
}
