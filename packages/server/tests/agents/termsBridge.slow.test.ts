import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { makeMove, type PackageDetail } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { goal, untilTask } from '../operations/digitalTasks/scene.js';
import { courier, listedWithTerms } from '../operations/turns/scene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { COMMAND, type Person } from './bridgeClient.js';
import { arbiter, type Model, opened, RICH, STAKES, withModels } from './models.js';
import { listDigitalTask, listPackage } from '../support/listed.js';

const { service, url, bridge, postedTo, wonBy, assignedTo } = withModels();

test('lets a model accept, take, claim with evidence and be received, with its stake counted apart (A-9, A-79)', async () => {
  const model = await opened(await bridge());
  const { shipper, packageId, legId } = await wonBy(model);
  const about = { packageId, legId };
  expect(await model.answerOf('due_now')).toMatchObject({
    due: [
      {
        tool: expect.stringMatching('^make_move with the awaited action'),
        about: { ...about, actions: ['accept', 'take', 'vacate'] },
      },
    ],
  });
  expect(await model.answerOf('make_move', { ...about, action: 'accept' })).toMatchObject({ stage: 'accepted' });
  expect(await model.answerOf('wallet')).toMatchObject({ leftSol: { stakeInAll: '0.05' } });
  expect(await model.answerOf('make_move', { ...about, action: 'take' })).toMatchObject({ stage: 'carried' });
  const claimed = await model.answerOf('make_move', { ...about, action: 'claim', text: 'In box 17.' });
  expect(claimed).toMatchObject({ stage: 'claimed' });
  expect(await model.answerOf('read_evidence', { legId })).toMatchObject({ evidence: [{ text: 'In box 17.' }] });
  await makeMove(shipper.client, shipper.signer, { ...about, action: 'confirm' }, { rpc: service.current.rpc });
  const signed = (await model.journal()).filter(({ kind }) => kind === 'signed');
  expect(signed.map(({ instruction, stakeLamports }) => [instruction, stakeLamports])).toEqual([
    ['openReputation', undefined],
    ['accept', '100000000'],
    ['accept', undefined],
    ['claim', undefined],
  ]);
});

test('lets a model do a leg of a task, and another one that posted it confirm (A-79, A-90)', async () => {
  const poster = await bridge(RICH);
  const model = await opened(await bridge());
  const posted = await poster.answerOf('post_task', {
    ...goal({ legs: [{ instruction: 'Sum it up.' }] }),
    terms: 'standard',
  });
  const taskId = String(posted['taskId']);
  const [leg] = posted['legs'] as [{ legId: string }];
  const about = { taskId, legId: leg.legId };
  await model.answerOf('svc_bid_digital_leg', { ...about, bidSol: 0.1 });
  await untilTask(service.current, taskId, ({ legs }) => legs[0]?.stage === 'pending');
  expect(await model.answerOf('due_now')).toMatchObject({
    due: [
      {
        do: expect.stringMatching(
          /^Your leg 1 of task .* is pending\. What is awaited of you is accept: posts your stake .*"Sum it up\."$/,
        ),
        tool: expect.stringMatching('^make_move with the awaited action'),
        about: { ...about, actions: ['accept', 'vacate'], instruction: 'Sum it up.' },
      },
    ],
  });
  expect(await model.answerOf('make_move', { ...about, action: 'accept' })).toMatchObject({
    ...about,
    stage: 'accepted',
  });
  const claimed = await model.answerOf('make_move', { ...about, action: 'claim', text: 'Three topics.' });
  expect(claimed).toMatchObject({ stage: 'claimed' });
  const { due } = await poster.answerOf('due_now');
  expect(due).toMatchObject([{ about: { ...about, actions: expect.arrayContaining(['confirm', 'dispute']) } }]);
  expect(await poster.answerOf('read_evidence', { legId: leg.legId })).toMatchObject({
    evidence: [{ text: 'Three topics.' }],
  });
  await poster.answerOf('make_move', { ...about, action: 'confirm' });
  const done = await untilTask(service.current, taskId, ({ status }) => status === 'completed');
  expect(done.legs[0]).toMatchObject({ result: 'Three topics.', paymentLamports: 100_000_001n });
  expect(await model.refusalOf('make_move', { legId: leg.legId, action: 'claim' })).toMatchObject({
    code: 'invalid_input',
  });
});

test('posts no stake beside another one above the limit, and again once that is back (A-9)', async () => {
  const model = await opened(await bridge());
  const first = await wonBy(model);
  const second = await wonBy(model);
  const accept = ({ packageId, legId }: typeof first) => ({ packageId, legId, action: 'accept' });
  await model.answerOf('make_move', accept(first));
  expect(await model.refusalOf('make_move', accept(second))).toMatchObject({
    code: 'approval_pending',
    message: expect.stringContaining('0.1 SOL lie in other legs, but limits.stakeInAll is 0.15 SOL'),
  });
  await model.answerOf('make_move', { ...accept(first), action: 'vacate' });
  expect(await model.answerOf('make_move', accept(second))).toMatchObject({ stage: 'accepted' });
});

test.for([
  ['above the limit of a leg', { ...STAKES, stakePerLeg: 0.05 }, {}, 'limits.stakePerLeg is 0.05 SOL'],
  ['under an arbiter of its own', STAKES, { arbiterPubkey: undefined }, 'whom accept.arbiters does not name'],
] as const)('shows a person a stake %s, in words (A-9, A-75)', async ([, limits, choice, why]) => {
  const person: Person = { asked: [], answer: 'decline' };
  const model = await opened(await bridge(limits, person));
  const named = 'arbiterPubkey' in choice ? {} : { arbiterPubkey: arbiter.address };
  const { packageId, legId } = await wonBy(model, named);
  const accept = { packageId, legId, action: 'accept' };
  expect(await model.refusalOf('make_move', accept)).toMatchObject({ code: 'not_allowed' });
  expect(person.asked[0]).toContain('Promises to carry a leg of a package');
  expect(person.asked[0]).toContain('Stake: 0.1 SOL. Who is late, or wrong by a ruling of');
  expect(person.asked[0]).toContain(why);
  person.answer = 'accept';
  expect(await model.answerOf('make_move', accept)).toMatchObject({ stage: 'accepted' });
});

test('lists with terms, signs the pickup that waits for it, and disputes a false claim (A-79, A-130)', async () => {
  const shipper = await bridge(RICH);
  const model = await opened(await bridge());
  const { terms: _terms, ...about } = await postedTo(shipper, model, { cosignedPickup: true });
  await model.answerOf('make_move', { ...about, action: 'accept' });
  // A courier that does not have the parcel from the shipper cannot begin.
  expect(await model.refusalOf('make_move', { ...about, action: 'take' })).toMatchObject({ code: 'nothing_to_sign' });
  const signed = await shipper.answerOf('make_move', { ...about, action: 'take' });
  expect(signed).toMatchObject({
    signed: 'picked up',
    waitsFor: expect.stringMatching(/Let the parcel go only once svc_get_package/),
  });
  // The package it is told to look at is shown as carried once its courier has sent that, and not before.
  const stageOf = async () => {
    const { swarm } = (await shipper.answerOf('svc_get_package', { packageId: about.packageId })) as Pick<
      PackageDetail,
      'swarm'
    >;
    return swarm?.legs[0]?.stage;
  };
  expect(await stageOf()).toBe('accepted');
  expect(await model.answerOf('make_move', { ...about, action: 'take' })).toMatchObject({ stage: 'carried' });
  expect(await stageOf()).toBe('carried');
  await model.answerOf('make_move', { ...about, action: 'claim', text: 'It is there.' });
  expect(await shipper.answerOf('due_now')).toMatchObject({
    due: [{ about: { actions: expect.arrayContaining(['dispute']) } }],
  });
  const disputed = await shipper.answerOf('make_move', { ...about, action: 'dispute', text: 'It is not.' });
  expect(disputed).toMatchObject({ stage: 'disputed' });
});

test('lets a model sign that it received a parcel as a text, and another one send it (A-133)', async () => {
  const shipper = await bridge(RICH);
  const model = await opened(await bridge());
  const { packageId, legId } = await postedTo(shipper, model, { cosignedPickup: false });
  await model.answerOf('make_move', { packageId, legId, action: 'accept' });
  // A parcel that nobody has picked up is paid for by a person's word alone.
  const early = await shipper.refusalOf('take_or_hand_over', { packageId, asText: true });
  expect(early).toMatchObject({ message: expect.stringContaining('nobody has picked up') });
  await model.answerOf('make_move', { packageId, legId, action: 'take' });
  const received = await shipper.answerOf('take_or_hand_over', { packageId, asText: true });
  expect(received).toMatchObject({
    packageId,
    legId,
    paysPubkey: model.pubkey,
    waitsFor: 'anybody who sends the code; the courier finds it',
  });
  const { code } = received as { code: string };
  for (const args of [{}, { packageId, code }, { code: code.replace('received', 'picked up') }]) {
    expect(await model.refusalOf('take_or_hand_over', args)).toMatchObject({ code: 'invalid_input' });
  }
  expect(await model.refusalOf('take_or_hand_over', { packageId, asText: true })).toMatchObject({
    code: 'transaction_refused',
  });
  const sent = await model.answerOf('take_or_hand_over', { code });
  expect(sent).toMatchObject({ said: 'received' });
  await untilPackage(service.current, packageId, ({ status }) => status === 'delivered');
  expect(await model.answerOf('take_or_hand_over', { code })).toEqual(sent);
});

test('lets a model sign that it accepts a result as a text, which pays the agent once anybody sends it (A-133)', async () => {
  const poster = await bridge(RICH);
  const model = await opened(await bridge());
  const goals = goal({ legs: [{ instruction: 'Sum it up.' }] });
  const posted = await poster.answerOf('post_task', { ...goals, terms: 'standard' });
  const [leg] = posted['legs'] as [{ legId: string }];
  const about = { taskId: String(posted['taskId']), legId: leg.legId };
  await model.answerOf('svc_bid_digital_leg', { ...about, bidSol: 0.1 });
  await untilTask(service.current, about.taskId, ({ legs }) => legs[0]?.stage === 'pending');
  const confirm = { ...about, action: 'confirm', asText: true };
  expect(await poster.refusalOf('make_move', confirm)).toMatchObject({ code: 'transaction_refused' });
  await model.answerOf('svc_complete_digital_leg', { ...about, result: 'Three topics.' });
  await untilTask(service.current, about.taskId, ({ legs }) => legs[0]?.stage === 'claimed');
  for (const other of [
    { action: 'dispute', text: 'There are five.' },
    { taskId: undefined, packageId: about.taskId },
  ]) {
    expect(await poster.refusalOf('make_move', { ...confirm, ...other })).toMatchObject({ code: 'invalid_input' });
  }
  expect(await model.refusalOf('make_move', confirm)).toMatchObject({ code: 'transaction_refused' });
  const signed = await poster.answerOf('make_move', confirm);
  expect(signed).toMatchObject({ ...about, paysPubkey: model.pubkey, paysLamports: expect.any(Number) });
  const { code } = signed as { code: string };
  expect(await model.answerOf('take_or_hand_over', { code })).toMatchObject({ said: 'accepted' });
  await untilTask(service.current, about.taskId, ({ status }) => status === 'completed');
});

test('tells a model that takes a parcel over by text to send it itself, which helps against a courier that keeps it back (A-133, A-134)', async () => {
  const model = await opened(await bridge());
  const first = await courier(service.current);
  const { parcel: listed } = await listedWithTerms(service.current, { arbiterPubkey: arbiter.address });
  const packageId = listed.id;
  await first.client.submitBid(bidInput(first, packageId, 'zoo', 'alexanderplatz', 0.03));
  const { agentPubkey: _own, ...bid } = bidInput(model, packageId, 'alexanderplatz', 'ostkreuz', 0.05);
  await model.answerOf('svc_submit_bid', bid);
  const parcel = await untilPackage(service.current, packageId, ({ status }) => status === 'in_transit');
  const [legId = '', own = ''] = (parcel.swarm?.legs ?? []).map(({ id }) => id);
  const moves = async (action: 'accept' | 'take' | 'claim', text?: string) =>
    makeMove(first.client, first.signer, { packageId, legId, action, text }, { rpc: service.current.rpc });
  await model.answerOf('make_move', { packageId, legId: own, action: 'accept' });
  await moves('accept');
  await moves('take');
  const signed = await model.answerOf('take_or_hand_over', { packageId, asText: true });
  expect(signed).toMatchObject({ paysPubkey: first.pubkey, waitsFor: expect.stringMatching(/^you: keep the code/) });
  // The one before has the text as well, and claims instead of sending it.
  await moves('claim', 'Nobody came.');
  const sent = await model.answerOf('take_or_hand_over', { code: signed['code'] });
  expect(sent).toMatchObject({ said: 'taken over' });
  await untilPackage(service.current, packageId, ({ swarm }) => swarm?.legs[1]?.stage === 'carried');
});

test('two models that do the first thing that due_now says, and nothing else, deliver: nobody pays early, no stake is lost (T-61, T-97, A-90)', async () => {
  const shipper = await bridge(RICH);
  const model = await opened(await bridge());
  const { packageId, terms } = await postedTo(shipper, model);
  expect(terms).toMatchObject({ cosignedPickup: true });
  const done: string[] = [];
  const obey = async (who: string, one: Model) => {
    const { due } = (await one.answerOf('due_now')) as { due: { about: { awaited: string | null; legId: string } }[] };
    const { awaited, legId } = due[0]?.about ?? {};
    if (!awaited) return;
    const move = { packageId, legId, action: awaited, ...(awaited === 'claim' && { text: 'At the door.' }) };
    const said = await one.answerOf('make_move', move).catch(() => undefined);
    if (said) done.push(`${who}: ${awaited}`);
  };
  const { client } = await service.current.party(0);
  const statusOf = async () => (await client.getPackage({ packageId })).status;
  for (let round = 0; round < 12 && (await statusOf()) === 'in_transit'; round += 1) {
    await obey('shipper', shipper);
    await obey('courier', model);
  }
  await untilPackage(service.current, packageId, ({ status }) => status === 'delivered');
  expect(done).toEqual(['courier: accept', 'shipper: take', 'courier: take', 'courier: claim', 'shipper: confirm']);
  const { movements } = await client.getPackageMoney({ packageId });
  expect(movements.filter(({ what }) => what === 'stake_forfeited')).toEqual([]);
  expect(movements.filter(({ what }) => what === 'stake_returned')).toHaveLength(1);
});

test('receives a parcel with terms by the id of its package, and says so again (A-8)', async () => {
  const shipper = await bridge(RICH);
  const model = await opened(await bridge());
  const { packageId, legId } = await postedTo(shipper, model, 'standard');
  const about = { packageId, legId };
  for (const action of ['accept', 'take']) await model.answerOf('make_move', { ...about, action });
  const received = await shipper.answerOf('take_or_hand_over', { packageId });
  expect(received).toMatchObject({ status: 'completed', legIndex: 0 });
  expect(await shipper.answerOf('take_or_hand_over', { packageId })).toMatchObject({
    signature: received['signature'],
  });
});

test('posts what names no terms with those that the SDK and the command take too (T-50)', async () => {
  const shipper = await bridge(RICH);
  const { client } = await service.current.party(0);
  const sdk = await service.current.party(2);
  const command = (...words: string[]) => {
    const args = [COMMAND, 'post', ...words, '--key', shipper.key, '--url', url(), '--json'];
    return new Promise<{ id: string }>((done, failed) => {
      execFile(process.execPath, args, { cwd: tmpdir() }, (error, stdout) =>
        error === null ? done(JSON.parse(stdout) as { id: string }) : failed(error),
      );
    });
  };
  const { originLat, originLng, destLat, destLng, ...parcel } = draft({ maxBudgetSol: 0.2 });
  const way = { originLat, originLng, destLat, destLng };
  const packages = await Promise.all([
    shipper.answerOf('post_package', { ...way, ...parcel }).then(({ packageId }) => String(packageId)),
    listPackage(sdk.client, sdk.signer, { ...way, ...parcel }).then(({ id }) => id),
    command(
      'package',
      `--from=${originLat},${originLng}`,
      `--to=${destLat},${destLng}`,
      '--what=books',
      '--kg=4.5',
      '--litres=12',
      '--budget=0.2',
    ).then(({ id }) => id),
  ]);
  const [first, ...others] = await Promise.all(packages.map((packageId) => client.getPackage({ packageId })));
  expect(first?.terms).toMatchObject({ cosignedPickup: true, arbiterPubkey: arbiter.address });
  for (const other of others) expect(other.terms).toEqual(first?.terms);

  const { title, description, maxBudgetSol, legs } = goal({ maxBudgetSol: 0.2, legs: [{ instruction: 'Sum it up.' }] });
  const tasks = await Promise.all([
    shipper.answerOf('post_task', { title, description, maxBudgetSol, legs }).then(({ taskId }) => String(taskId)),
    listDigitalTask(sdk.client, sdk.signer, goal({ maxBudgetSol, legs })).then(({ id }) => id),
    command(
      'task',
      `--title=${title}`,
      `--what=${description}`,
      '--budget=0.2',
      '--leg=Sum it up.',
      '--minutes=30',
    ).then(({ id }) => id),
  ]);
  const [task, ...more] = await Promise.all(tasks.map((taskId) => client.getDigitalTask({ taskId })));
  expect(task?.terms).not.toBeNull();
  for (const other of more) expect(other.terms).toEqual(task?.terms);
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
