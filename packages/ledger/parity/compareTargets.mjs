// The whole comparison, part by part, told line by line.
import { randomUUID } from 'node:crypto';
import { answersOf } from './answers.mjs';
import { installSolanaPy } from './clients/solanaPy.mjs';
import { clientAnswers, installClients } from './clients/suites.mjs';
import { byText } from './compare.mjs';
import { readGaps, readRecorded, writeGaps, writeRecorded, writeTable } from './recording.mjs';
import { countsOf, markdownOf, tableOf, tellClasses } from './report.mjs';
import { classesOf, seededAnswers } from './seeded/run.mjs';
import { gapsNow, judge } from './verdict.mjs';

const SEEDED = 'seeded ';

/** @returns how many lines are wrong: undeclared differences, closed gaps, unexplained classes */
export async function compareTargets({ ours, node, parts, options, say }) {
  const recorded = readRecorded();
  // The validator may have seen the recorded keys before.
  const salt = node === undefined ? recorded.salt : randomUUID();
  // Once, for both.
  const tools = parts.has('clients') ? await clientTools() : undefined;
  const asked = { salt, parts, tools, ...options };
  const [mine, theirs] = await Promise.all([askAll(ours, asked), node === undefined ? recorded : askAll(node, asked)]);
  return conclude({ mine, theirs, recorded, salt, node, options, say });
}

async function clientTools() {
  const { RELAY_PARITY_SOLANA: solana, RELAY_PARITY_PYTHON: python } = process.env;
  return { load: await installClients(), solana, solanaPy: python && (await installSolanaPy(python)) };
}

/** The answers of one target to every question. */
async function askAll(target, { salt, parts, tools, clients, seed, count }) {
  const asked = { answers: {} };
  if (parts.has('methods') || parts.has('seeded')) {
    const { scene, answers } = await answersOf(target, salt);
    if (parts.has('methods')) Object.assign(asked.answers, answers);
    if (parts.has('seeded')) asked.seeded = await seededAnswers(scene, { seed: Number(seed), count: Number(count) });
  }
  if (tools) Object.assign(asked.answers, await clientAnswers(target, tools, clients?.split(',')));
  return asked;
}

function conclude({ mine, theirs, recorded, salt, node, options, say }) {
  const only = (byMethod) => Object.fromEntries(Object.entries(byMethod).filter(([method]) => method in mine.answers));
  const expected = only(theirs.answers);
  if (options.record && node !== undefined) {
    writeRecorded({
      salt: 'the scene' in expected ? salt : recorded.salt,
      answers: { ...recorded.answers, ...expected },
    });
  }
  const classes = theirs.seeded === undefined ? [] : classesOf(mine.seeded, theirs.seeded);
  if (options.gaps) writeGaps(newGaps(readGaps(), mine.answers, expected, theirs.seeded && classes));
  const gaps = readGaps();
  const rows = judge(mine.answers, expected, only(gaps));
  if (options.gaps && 'the scene' in mine.answers) writeTable(markdownOf(rows));
  for (const line of tableOf(rows, { verbose: options.verbose, ours: mine.answers, theirs: expected })) say(line);
  const { line, wrong } = countsOf(rows);
  const unexplained = mine.seeded === undefined ? 0 : tellSeeded({ mine, theirs, classes, gaps, say });
  if (rows.length > 0) say(`\n${line}`);
  const isNothing = rows.length === 0 && mine.seeded === undefined;
  if (isNothing)
    say(
      'Nothing was asked: the suite of the command needs RELAY_PARITY_SOLANA, that of solana-py RELAY_PARITY_PYTHON.',
    );
  return wrong + unexplained + (isNothing ? 1 : 0);
}

/** The list of gaps with the methods that were asked now replaced, and those of other parts kept. */
function newGaps(old, mine, expected, classes) {
  const isAskedNow = (name) => name in mine || (classes !== undefined && name.startsWith(SEEDED));
  const kept = Object.entries(old).filter(([name]) => !isAskedNow(name));
  return { ...Object.fromEntries(kept), ...gapsNow(mine, expected), ...seededGaps(classes ?? []) };
}

function seededGaps(classes) {
  const gaps = {};
  for (const { method, difference, why } of classes) {
    if (why === undefined)
      gaps[`${SEEDED}${method}`] = {
        differences: [...(gaps[`${SEEDED}${method}`]?.differences ?? []), difference].sort(byText),
      };
  }
  return gaps;
}

function tellSeeded({ mine, theirs, classes, gaps, say }) {
  if (theirs.seeded === undefined) {
    const internal = mine.seeded.filter((one) =>
      one.answers.some((answer) => answer.error?.message.startsWith('Internal error:')),
    );
    for (const { request } of internal.slice(0, 10))
      say(`    INTERNAL ERROR after ${JSON.stringify(request).slice(0, 300)}`);
    say(
      `\n${mine.seeded.length} seeded calls, nothing to compare with: ${internal.length} answered with an internal error`,
    );
    return internal.length;
  }
  const isGap = ({ method, difference }) => gaps[`${SEEDED}${method}`]?.differences.includes(difference) ?? false;
  return tellClasses({ classes, isGap, count: mine.seeded.length, say });
}
