import { expect, test } from 'vitest';
import { untilTask } from '../operations/digitalTasks/scene.js';
import { openedBridge, type Person } from './bridgeClient.js';
import { arbiter, opened, RICH, withModels } from './models.js';

const { service, url, bridge, acceptedOf, assignedTo } = withModels();

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
