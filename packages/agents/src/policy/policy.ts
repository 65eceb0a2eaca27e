import { terms } from '@legwork/protocol/contract';
import { parseSol } from '@legwork/sdk';
import { z } from 'zod';

/** An amount in SOL, lamports in code. */
const sol = z.number().transform((value, context): bigint => {
  try {
    return parseSol(value);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
});
const place = z.tuple([z.number().min(-90).max(90), z.number().min(-180).max(180)], {
  error: 'expected [latitude, longitude] in degrees',
});
const url = z
  .url({ protocol: /^https?$/, error: 'expected an http or https address' })
  // Nothing is sent to such an address, and messages that name it would tell.
  .refine((text) => !/^\w+:\/*[^/?#]*@/.test(text), 'must not hold a name or a password');
const count = z.int().min(0);
/** The address of a key. */
const key = terms.shape.arbiterPubkey;
const command = z.array(z.string().min(1)).min(1);
const timeoutSec = z.number().positive().max(3_600);
/** An HTTP answer that has not begun after five minutes is given up by fetch itself. */
const httpTimeoutSec = z.number().positive().max(300);

/** How one knows something of the world: a person, a command or an address says so. `auto` believes everything. */
const howToKnow = z
  .discriminatedUnion('how', [
    z.strictObject({ how: z.literal('ask') }),
    z.strictObject({ how: z.literal('command'), command, timeoutSec: timeoutSec.default(600) }),
    z.strictObject({ how: z.literal('http'), url, timeoutSec: httpTimeoutSec.default(300) }),
    z.strictObject({ how: z.literal('auto') }),
  ])
  .prefault({ how: 'ask' });

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** `mon-fri`, `sat`, `mon,wed,fri`; numbers of days in code, Monday 0. */
const days = z.string().transform((text, context) => {
  const found = text.split(',').flatMap((part) => {
    const [first = '', last = first] = part.trim().split('-');
    const [from, to] = [DAYS.indexOf(first as never), DAYS.indexOf(last as never)];
    if (from < 0 || to < 0) return [-1];
    return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, day) => (from + day) % 7);
  });
  if (!found.includes(-1)) return found;
  context.addIssue({ code: 'custom', message: `expected days such as mon-fri or sat,sun, not "${text}"` });
  return z.NEVER;
});

/** `07:30-09:30`; minutes since midnight in code. */
const between = z.string().transform((text, context) => {
  const [, ...parts] = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(text) ?? [];
  const [h1 = 99, m1 = 0, h2 = 99, m2 = 0] = parts.map(Number);
  const [from, to] = [h1 * 60 + m1, h2 * 60 + m2];
  if (m1 < 60 && m2 < 60 && from < to && to <= 24 * 60) return { from, to };
  context.addIssue({ code: 'custom', message: `expected a span of a day such as 07:30-09:30, not "${text}"` });
  return z.NEVER;
});

const courier = z
  .strictObject({
    /** Ways that the courier goes anyway; days and hours in the machine's time zone. */
    itinerary: z
      .array(z.strictObject({ from: place, to: place, days: days.optional(), between: between.optional() }))
      .min(1)
      .optional(),
    /** Instead of ways: anywhere around here. */
    home: place.optional(),
    radiusKm: z.number().positive().max(1_000).default(10),
    /** The most that a stretch adds to the way, kilometres. */
    maxDetourKm: z.number().min(0).max(1_000).default(3),
    vehicle: z
      .strictObject({
        /** A router is asked for roads by this profile. */
        kind: z.string().min(1).max(40).default('bike'),
        maxKg: z.number().positive().default(20),
        maxLitres: z.number().positive().default(100),
      })
      .prefault({}),
    /** SOL; `margin` is what a model may lower or raise the price by. */
    price: z
      .strictObject({
        base: sol.prefault(0.002),
        perKm: sol.prefault(0.004),
        perHour: sol.prefault(0.02),
        margin: z
          .string()
          .regex(/^\d{1,2}%$/, 'expected a percentage such as 15%')
          .transform((text) => Number.parseInt(text, 10))
          .prefault('0%'),
      })
      .prefault({}),
    /** By how much a leg may take longer than it is estimated to, as a factor: it begins none with less time. */
    slack: z.number().min(1).max(10).default(1.25),
    /** How the daemon learns that a parcel is in the courier's hands. */
    handoff: howToKnow,
    /** How it learns that a parcel is where its leg ends and nobody takes it over; what is said is the evidence of the claim. */
    claim: howToKnow,
  })
  .refine(({ itinerary, home }) => (itinerary === undefined) !== (home === undefined), {
    error: 'give either itinerary or home',
  });

const worker = z.strictObject({
  /** The runner of the work: instruction and previous result in, result out. */
  run: z.union([
    z.strictObject({ command, timeoutSec: timeoutSec.default(60) }),
    z.strictObject({ http: url, timeoutSec: httpTimeoutSec.default(60) }),
    z.strictObject({ model: z.literal(true), timeoutSec: httpTimeoutSec.default(60) }),
  ]),
  /** Words of which a leg's instruction, or the task's title, has to hold one; none: every leg. */
  capabilities: z.array(z.string().min(1).max(40)).max(20).default([]),
});

/** Whole units of an asset, such as 1.5; how many decimals it has, the ledger says. */
const whole = z.number().min(0);

/** The limits of an agent in one asset beside SOL: amounts in whole units of it, and never converted. */
const asset = z.strictObject({
  /** As the service calls it, such as usdc, or its mint. */
  name: z.string().min(1).max(44),
  /** The most of it that a transaction may lock in escrow. Fees and rent are SOL, and counted there. */
  perTransaction: whole.default(0),
  perDay: whole.default(0),
  inAll: whole.default(0),
  stakePerLeg: whole.default(0),
  stakeInAll: whole.default(0),
  /** The owner of the mandate that pays for its listings in it; left out: its wallet. */
  mandate: key.optional(),
  /** Work that pays less is left alone; left out: all work that pays in it is. */
  minPayment: whole.optional(),
  /** A courier's price; left out: it carries nothing for it. */
  price: z.strictObject({ base: whole.default(0), perKm: whole.default(0), perHour: whole.default(0) }).optional(),
});

/** Which terms of packages and tasks are agreed to. */
const accept = z.strictObject({
  /** The arbiters who may rule disputes: keys, and `service` for the arbiter that the service names. Without any it bids on nothing with terms. */
  arbiters: z
    .array(z.union([z.literal('service'), key]))
    .max(20)
    .default(['service']),
  /** Of packages: the least seconds that there have to be from a turn to the pickup, and from there to the end of the leg. */
  shortestCarrySec: count.default(3_600),
  /** The least seconds that there have to be to accept a leg, and to take over from a courier who claims to be there. */
  shortestHandoffSec: count.default(900),
  /** The most seconds that a claim may wait for a dispute and its ruling: so long a stake may lie. */
  longestRulingSec: count.default(10 * 86_400),
});

/** The powers of an agent; no model sees or changes them. */
export const policySchema = z
  .strictObject({
    service: url.default('http://127.0.0.1:8080'),
    /** The ledger's RPC node; by default the one that the service names. */
    rpc: url.optional(),
    /** The relay program; by default the one that the service names when the key first works with it. */
    program: z.string().optional(),
    /** A key file, relative to the policy. */
    key: z.string().min(1),
    /** As others see the agent. */
    name: z.string().min(1).max(80).optional(),
    courier: courier.optional(),
    worker: worker.optional(),
    limits: z
      .strictObject({
        /** SOL that transactions may cost: fees, rent, and what is locked in escrow. */
        perTransaction: sol.prefault(0.002),
        perDay: sol.prefault(0.01),
        inAll: sol.prefault(1),
        /** Legs under way, bids that may still become one among them. */
        legsAtOnce: count.default(10),
        /** SOL; work that pays less is left alone. */
        minPayment: sol.prefault(0.005),
        /** SOL that one leg with terms may demand as a stake. */
        stakePerLeg: sol.prefault(0.1),
        /** SOL of all stakes that lie in legs, or will if its bids win. */
        stakeInAll: sol.prefault(0.5),
        /** The owner of the mandate that pays for its listings in SOL; left out: its wallet. */
        mandate: key.optional(),
      })
      .prefault({}),
    /** The other asset that it may pay, stake and be paid in; left out: SOL alone. */
    asset: asset.optional(),
    accept: accept.prefault({}),
    /** How a person is asked about what passes a limit, where the host of the bridge has no dialog. */
    approvals: z
      .strictObject({
        /** How long the page takes a decision. */
        withinSec: z.number().positive().max(86_400).default(600),
        /** How long a call waits for it before the model is told to call again. */
        waitSec: z.number().min(0).max(300).default(20),
        /** Gets `{title, text}` by POST, for a phone; it cannot decide. */
        notify: url.optional(),
      })
      .prefault({}),
    /** A language model behind an OpenAI-compatible address, for advice within the rules and for `run: { model: true }`. */
    model: z
      .strictObject({
        url,
        name: z.string().min(1),
        /** Name of the environment variable with the key. */
        keyEnv: z.string().min(1).optional(),
        tokensPerDay: count.default(200_000),
        /** How long a bid waits for advice. */
        timeoutSec: httpTimeoutSec.default(10),
      })
      .optional(),
    /** A router with OSRM's API, for distances by road; without it 1.3 great circles. */
    router: z.strictObject({ url }).optional(),
  })
  .superRefine((policy, context) => {
    if (policy.worker && 'model' in policy.worker.run && !policy.model) {
      context.addIssue({ code: 'custom', path: ['worker', 'run'], message: 'run: { model: true } needs a model' });
    }
  });

export type Policy = z.output<typeof policySchema>;
export type CourierPolicy = NonNullable<Policy['courier']>;
export type WorkerPolicy = NonNullable<Policy['worker']>;
export type ModelPolicy = NonNullable<Policy['model']>;
