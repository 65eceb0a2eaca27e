import { z } from 'zod';
import { dueNow as allDue } from '../../due.js';
import type { Due } from '../../due.js';
import { localTool } from '../localTool.js';

/** More is said, and not told. */
const MOST = 50;

const TOOL_OF: Readonly<Record<Due['act'], string>> = {
  hand_in: 'svc_complete_digital_leg, or release_leg',
  take_over: 'take_or_hand_over',
  receive: 'take_or_hand_over',
  carry: 'none: a person carries it',
  cancel: 'cancel_or_reclaim',
  reclaim: 'cancel_or_reclaim',
};

export const dueNow = localTool({
  name: 'due_now',
  title: 'What you have to do now',
  description:
    'What waits for you, soonest first: what to do with which tool, until when, and what silence costs. Legs of packages and digital ' +
    'tasks that are yours, parcels that are brought to you, escrow that you can take back.',
  input: z.strictObject({}),
  readOnly: true,
  quotes: true,
  run: async ({ client, signer }) => {
    const due = await allDue(client, signer.address);
    const told = due.slice(0, MOST).map((one) => ({ tool: TOOL_OF[one.act], ...one }));
    return { now: new Date(), due: told, notTold: due.length - told.length };
  },
});
