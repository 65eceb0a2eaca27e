import { expect, test } from 'vitest';
import { goal, untilTask } from '../operations/digitalTasks/scene.js';
import { listedWithTerms } from '../operations/turns/scene.js';
import { bidInput, draft } from '../support/market.js';
import { openedBridge, type Person } from './bridgeClient.js';
import { arbiter, type Model, opened, RICH, withModels } from './models.js';
import { listDigitalTask } from '../support/listed.js';

const { service, url, bridge, wonBy, acceptedOf } = withModels();

test('asks a person before it pays for what nobody has picked up, naming payee and amount (A-75, A-103, T-97)', async () => {
  const person: Person = { asked: [], answer: 'decline' };
  const shipper = await bridge(RICH, person);
  const model = await opened(await bridge());
  const about = await acceptedOf(shipper, model);
  for (const [tool, args] of [
    ['make_move', { ...about, action: 'confirm' }],
    ['take_or_hand_over', { packageId: about.packageId }],
  ] as const) {
    expect(await shipper.refusalOf(tool, args)).toMatchObject({ code: 'not_allowed' });
    expect(person.asked.at(-1)).toMatch(
      new RegExp(
        `nobody has picked up the parcel of this leg, and confirming pays ${model.pubkey} 0\\.0\\d+ SOL at once`,
      ),
    );
  }
  const mute = await openedBridge({ key: shipper.key, service: url(), limits: RICH });
  expect(await mute.refusalOf('make_move', { ...about, action: 'confirm' })).toMatchObject({
    code: 'not_picked_up',
    hint: expect.stringMatching(/legwork move confirm \S+ --package \S+ --key \S+ --url \S+$/),
  });
  person.answer = 'accept';
  expect(await shipper.answerOf('make_move', { ...about, action: 'confirm' })).toMatchObject({ stage: 'completed' });
});

test("says whose leg it is when a model would move another one's, and cries no wolf (A-79)", async () => {
  const shipper = await bridge(RICH);
  const [model, other] = [await opened(await bridge()), await bridge()];
  const about = await acceptedOf(shipper, model);
  for (const move of [{ action: 'accept' }, { action: 'take' }, { action: 'claim', text: 'It is there.' }]) {
    expect(await other.refusalOf('make_move', { ...about, ...move })).toMatchObject({
      code: 'not_your_leg',
      message: `the leg is that of ${model.pubkey}, and this wallet is ${other.pubkey}`,
    });
  }
  expect(await other.refusalOf('make_move', { ...about, action: 'rule', percent: 50 })).toMatchObject({
    code: 'not_your_leg',
    message: expect.stringContaining(`ruled by ${arbiter.address}`),
  });
});

/** A task with terms that is given to the model, by tools of the service alone. */
async function assignedTo(model: Model) {
  const poster = await service.current.party(2);
  const legs = [{ instruction: 'Sum it up.' }];
  const { id: taskId, legs: made } = await listDigitalTask(
    poster.client,
    poster.signer,
    goal({ legs, terms: 'standard' }),
  );
  const about = { taskId, legId: made[0]?.id ?? '' };
  const taken = await model.answerOf('svc_bid_digital_leg', { ...about, bidSol: 0.1 });
  await untilTask(service.current, taskId, (now) => now.legs[0]?.stage === 'pending');
  return { about, taken };
}

test('accepts and claims what a tool of the service leaves to be signed, and says so (A-102)', async () => {
  const model = await opened(await bridge());
  const { about, taken } = await assignedTo(model);
  expect(taken).toMatchObject({ toSign: expect.stringContaining('make_move with accept posts a stake of 0.02') });
  const done = await model.answerOf('svc_complete_digital_leg', { ...about, result: 'Three topics.' });
  expect(done).toMatchObject({
    stage: 'claimed',
    claimTransaction: null,
    signed: [
      { move: 'accept', means: expect.stringContaining('a stake of 0.02'), until: expect.any(String) },
      { move: 'claim', until: expect.any(String), signature: expect.any(String) },
    ],
  });
  const task = await untilTask(service.current, about.taskId, ({ legs }) => legs[0]?.stage === 'claimed');
  expect(task.legs[0]?.agentPubkey).toBe(model.pubkey);
  const again = await model.call('svc_complete_digital_leg', { ...about, result: 'Three topics.' });
  expect(again.told).not.toMatchObject({ claimTransaction: expect.any(String) });
});

test('asks a person before a result is claimed with a stake above a limit (A-75, A-102)', async () => {
  const person: Person = { asked: [], answer: 'decline' };
  const model = await opened(await bridge({ stakePerLeg: 0.01, stakeInAll: 0.15 }, person));
  const { about } = await assignedTo(model);
  const complete = { ...about, result: 'Three topics.' };
  expect(await model.refusalOf('svc_complete_digital_leg', complete)).toMatchObject({ code: 'not_allowed' });
  expect(person.asked[0]).toContain('Promises to do a leg of a digital task');
  person.answer = 'accept';
  expect(await model.answerOf('svc_complete_digital_leg', complete)).toMatchObject({ stage: 'claimed' });
});

test('no tool of the service answers as done what nobody has signed (A-102)', async () => {
  const model = await opened(await bridge());
  const { packageId, legId } = await wonBy(model);
  const { about } = await assignedTo(model);
  const { agentPubkey: _own, ...bid } = bidInput(await service.current.party(0), packageId, 'zoo', 'ostkreuz', 0.05);
  const another = await listedWithTerms(service.current, { arbiterPubkey: arbiter.address });
  const given: Record<string, Record<string, unknown>> = {
    svc_register_agent: { displayName: 'a model' },
    svc_get_package: { packageId },
    svc_submit_bid: { ...bid, packageId: another.parcel.id },
    svc_confirm_leg: { legId },
    svc_post_task: draft({ maxBudgetSol: 0.1 }),
    svc_post_digital_task: goal(),
    svc_get_digital_task: { taskId: about.taskId },
    svc_bid_digital_leg: { ...about, bidSol: 0.1 },
    svc_complete_digital_leg: { ...about, result: 'Three topics.' },
  };
  const { tools } = await model.client.listTools();
  const names = tools.map(({ name }) => name).filter((name) => name.startsWith('svc_'));
  expect(names).toHaveLength(14);
  const answers = new Map<string, Awaited<ReturnType<Model['call']>>>();
  for (const name of names) answers.set(name, await model.call(name, given[name] ?? {}));
  const unsigned = [...answers].flatMap(([name, { isError, told }]) =>
    Object.keys(told).filter((key) => !isError && /transaction$/i.test(key) && told[key] !== null && name),
  );
  expect(unsigned).toEqual([]);
  // A leg that nobody received is not recorded as received.
  expect(answers.get('svc_confirm_leg')).toMatchObject({ isError: true });
  expect(answers.get('svc_submit_bid')?.told).toMatchObject({ toSign: expect.stringContaining('If the bid wins') });
});
