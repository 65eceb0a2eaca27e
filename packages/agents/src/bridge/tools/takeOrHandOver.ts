import { legToReceive, legUnderWay } from '@legwork/protocol/rules';
import {
  handoffCode,
  legOnLedger,
  openField,
  readHandoff,
  readHandoffCode,
  receive,
  shareHandoff,
  signHandoff,
  submitHandoff,
} from '@legwork/sdk';
import { z } from 'zod';
import { toldAmount } from '../../amounts.js';
import type { Session } from '../../wallet/session.js';
import { localTool } from '../localTool.js';
import { RefusedError } from '../toolResult.js';

export const takeOrHandOver = localTool({
  name: 'take_or_hand_over',
  title: 'Confirm that you received a parcel',
  description:
    'Signs that you received the parcel of a package: as courier from the one before, as shipper from the last one. Pays who ' +
    'brought it from escrow, for good. Call it only when a person says that the parcel is there. Safe to repeat.',
  input: z.strictObject({
    packageId: z.uuid().optional(),
    asText: z.boolean().optional().meta({ description: 'no fee; the code has to be sent' }),
    code: z.string().optional().meta({ description: 'sends what was signed' }),
  }),
  run: async (session, { packageId, asText, code }) => {
    if (packageId === undefined && code !== undefined) return sendCode(session, code);
    if (packageId === undefined || code !== undefined) {
      throw new RefusedError('invalid_input', 'a handoff is of a package or a code', 'Give either packageId or code.');
    }
    if (asText === true) return signText(session, packageId);
    const { client, signer, rpc } = session;
    // The wallet asks a person before it pays for what nobody has picked up.
    const received = await receive(client, signer, { packageId, evenBeforePickup: true }, { rpc });
    const { legId, legIndex, status, swarmStatus, signature, onChainLeg } = received;
    return { packageId, legId, legIndex, status, swarmStatus, signature, onChainLeg, ...openField(received) };
  },
});

/** Signs the text by which this key takes the parcel over or receives it. Before any pickup, the wallet asks a person. Rule A-133. */
async function signText({ client, signer, rpc }: Session, packageId: string): Promise<object> {
  const parcel = await client.getPackage({ packageId });
  const leg = legToReceive(parcel, signer.address) ?? legUnderWay(parcel.swarm);
  if (leg === undefined) {
    throw new RefusedError('nothing_to_sign', 'no courier brings this parcel', 'due_now lists what waits for you.');
  }
  const { id: legId, legIndex, agentPubkey: paysPubkey, agreedPayment } = leg;
  const of = { packageId, legIndex, evenBeforePickup: true };
  const code =
    parcel.terms === null
      ? handoffCode(await signHandoff(signer, await readHandoff(client, signer.address, of, { rpc })))
      : await shareHandoff(client, signer, { ...of, legId }, { rpc });
  const isLast = legIndex + 1 === parcel.swarm?.totalLegs;
  const waitsFor = parcel.terms === null ? GIVEN : isLast ? RECEIVED : TAKEN_OVER;
  return { packageId, legId, code, paysPubkey, ...toldAmount('pays', agreedPayment, parcel), waitsFor };
}

const GIVEN = 'anybody who sends the code: give it to the courier';
const RECEIVED = 'anybody who sends the code; the courier finds it';
const TAKEN_OVER =
  'you: keep the code, and give it to take_or_hand_over before your own clock ends, for the fee. The courier finds it and sends it ' +
  'too, but one that keeps it back can claim, wait, and cost you the stake of your leg';

/** A move of a leg that is asked for. */
interface Confirmation {
  readonly taskId?: string | undefined;
  readonly legId: string;
  readonly action: string;
}

/**
 * Signs the text by which this key accepts the result of a task's leg.
 *
 * @throws {RefusedError} when another move is asked for, or one of a package
 */
export async function signResult(
  { client, signer, rpc }: Session,
  { taskId, legId, action }: Confirmation,
): Promise<object> {
  if (taskId === undefined || action !== 'confirm') {
    throw new RefusedError(
      'invalid_input',
      'only confirm of a leg of a task is signed as a text by this tool',
      'Leave asText out; for a parcel that you have, call take_or_hand_over with it.',
    );
  }
  const { paymentPerLeg, ...of } = await client.getDigitalTask({ taskId });
  const { worker: paysPubkey } = await legOnLedger(client, signer.address, { taskId, legId }, { rpc });
  const code = await shareHandoff(client, signer, { taskId, legId }, { rpc });
  const pays = toldAmount('pays', paymentPerLeg, of);
  return { taskId, legId, code, paysPubkey, ...pays, waitsFor: 'anybody who sends the code' };
}

async function sendCode({ client, signer, rpc }: Session, code: string): Promise<object> {
  const signed = await readHandoffCode(code);
  if (signed === undefined) {
    throw new RefusedError('invalid_input', 'this is no code of a handoff, or it was altered', 'Ask for it again.');
  }
  const { signature, leg, handoff } = await submitHandoff(client, signer, signed, { rpc });
  return { signature, onChainLeg: leg, said: handoff.said };
}
