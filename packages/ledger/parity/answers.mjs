// All that is asked of a target in its scene, normalised.
import { callsOn } from './calls/calls.mjs';
import { envelopeAnswers } from './envelopes.mjs';
import { normalise } from './normalise.mjs';
import { call } from './rpc.mjs';
import { playScene } from './scene/scene.mjs';
import { subscriptionAnswers } from './subscriptions.mjs';

/**
 * @param salt decides the keys of the scene: with the same one, even the bytes of accounts are the same
 * @returns the scene, and by method and label what the target answered: steps of the scene, calls, bodies that are no calls,
 * subscriptions
 */
export async function answersOf(target, salt) {
  const scene = await playScene(target, salt);
  const answers = {};
  const add = ({ method, label, answer }) => {
    answers[method] ??= {};
    answers[method][label] = normalise(scene, method, answer);
  };
  for (const [label, outcome] of Object.entries(scene.outcomes))
    add({ method: 'the scene', label, answer: asAnswer(outcome) });
  for (const { method, label, params } of await callsOn(scene))
    add({ method, label, answer: await call(target, method, params) });
  for (const row of await envelopeAnswers(scene)) add(row);
  for (const row of await subscriptionAnswers(scene)) add(row);
  return { scene, answers };
}

const asAnswer = (outcome) => (outcome.error === undefined ? { result: outcome } : outcome);
