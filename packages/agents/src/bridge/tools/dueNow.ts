import { z } from 'zod';
import { type Due, dueNow as whatIsDue } from '../../due.js';
import { localTool } from '../localTool.js';

/** What is shown at once; more is counted. */
const MOST = 50;

/** What does it. */
const TOOLS: Readonly<Record<Due['act'], string>> = {
  hand_in: 'svc_complete_digital_leg; or release_leg, to give the leg back',
  take_over: 'take_or_hand_over, once you have the parcel',
  carry: 'none: the recipient signs',
  receive: 'take_or_hand_over, once you have the parcel',
  move: 'make_move with the awaited action, or another of moves, once its `when` is true',
  cancel: 'cancel_or_reclaim',
  reclaim: 'cancel_or_reclaim',
};

export const dueNow = localTool({
  name: 'due_now',
  title: 'What you have to do now',
  description:
    'What waits for you, most urgent first: what to do with which tool, until when, and what it costs you to stay silent. Legs, ' +
    'parcels that are brought to you, escrow that you can take back.',
  input: z.strictObject({}),
  readOnly: true,
  quotes: true,
  run: async ({ client, signer }) => {
    const due = await whatIsDue(client, signer.address);
    return { now: new Date(), due: due.slice(0, MOST).map(forModel), notShown: Math.max(0, due.length - MOST) };
  },
});

/** With the arguments of the tool in `about`, and what else helps. */
function forModel({ act, what, until, silence, ...about }: Due) {
  return { do: what, tool: TOOLS[act], until, ifNot: silence, about };
}
