// The worth of terms: relays of three legs with couriers who do not come, digital tasks with agents who hand in garbage and posters who
// deny good work, listers who sleep and arbiters who err. The same figures in every run; exits 1 when one is out of its bounds.
//   node bench/marketGame.mjs
//   node bench/marketGame.mjs --ledger 200    then plays so many relays and tasks on a ledger, to the same lamport; run after `npx tsc -b`
import { parseArgs } from 'node:util';
import { attackers, breakEvens, falseClaim, falseDispute, leastShare, USUAL } from './marketGame/attackers.mjs';
import { randomOf } from './marketGame/random.mjs';
import { BUDGET, LEGS, PAYMENT, playRelay } from './marketGame/relay.mjs';
import { playTask, REVIEW_MINUTES, SHARE } from './marketGame/task.mjs';

const RELAYS = 20_000;
const TASKS = 5_000;
const SOL = 1e9;
/** Stakes of the presets, as a share of the budget, and the longest chain in which no attacker may gain. */
const PRESETS = [
  { preset: 'standard', share: 0.2, legs: 2 },
  { preset: 'guarded', share: 0.4, legs: 4 },
];

/** Stakes of 0.2 of the budget of a task with one leg, and of 0.1 and 0.2 of that of a package with three. */
const STAKES = [0.2, 0.375, 0.75];

const failures = [];
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;

function require(name, isWithin, figure) {
  if (!isWithin) failures.push(`${name}: ${figure}`);
}

/** The middle of sorted numbers, or another share. */
function quantile(sorted, share) {
  return sorted[Math.floor(sorted.length * share)];
}

function requireConserved(played) {
  for (const { balances } of played) {
    const sum = [...balances.values()].reduce((total, lamports) => total + lamports, 0n);
    if (sum !== 0n) throw new Error(`${sum} lamports were made`);
  }
}

/** @returns `{ share, median, p95, price, late, slashed }`, hours and SOL */
function market(seed, setting) {
  const random = randomOf(seed);
  const relays = Array.from({ length: RELAYS }, () => playRelay(random, setting));
  requireConserved(relays);
  const delivered = relays.filter((relay) => relay.delivered);
  const hours = delivered.map(({ minutes }) => minutes / 60).sort((a, b) => a - b);
  const total = (amounts) => amounts.reduce((sum, amount) => sum + amount, 0);
  return {
    share: delivered.length / RELAYS,
    median: quantile(hours, 0.5),
    p95: quantile(hours, 0.95),
    price: total(delivered.map(({ prices }) => Number(prices))) / delivered.length / SOL,
    late: total(relays.map(({ late }) => late)) / RELAYS / LEGS,
    slashed: total(relays.map(({ slashed }) => slashed)) / RELAYS / LEGS,
  };
}

function deliveries() {
  const undisturbed = market(1, { noShows: 0 });
  console.log(
    `${RELAYS} relays a line: ${LEGS} legs of ${Number(PAYMENT) / SOL} SOL, budget ${Number(BUDGET) / SOL} SOL, 24 hours`,
  );
  console.log(`undisturbed: median ${undisturbed.median.toFixed(2)} h, 95 % within ${undisturbed.p95.toFixed(2)} h\n`);
  console.log(
    '10 % of couriers do not come. v: share of them who vanish with the parcel; bidders: of an opening, on average',
  );
  console.log('     v  bidders  without terms  with terms  at least   median       95 %    price (0.1200 asked)');
  for (const vanishing of [0, 0.1, 0.2, 0.5]) {
    const least = vanishing === 0 ? 0.99 : (1 - 0.1 * vanishing) ** 3 - 0.015;
    for (const bidders of [1, 3]) {
      const without = market(2, { vanishing, bidders, terms: false });
      const { share, median, p95, price } = market(3, { vanishing, bidders });
      const name = `v ${percent(vanishing, 0)}, ${bidders} bidders`;
      require(`${name}, delivered`, share >= least, percent(share, 2));
      require(`${name}, price`, price <= 0.1212, price);
      require(`${name}, median`, median <= 1.5 * undisturbed.median, median);
      const cells = [percent(vanishing, 0), bidders, percent(without.share), percent(share), percent(least)];
      const [v, number, ...shares] = cells.map(String);
      const times = `${median.toFixed(2)} h ${p95.toFixed(2).padStart(8)} h`;
      console.log(
        `${v.padStart(6)} ${number.padStart(8)} ${shares.map((cell) => cell.padStart(11)).join('')}   ${times}   ${price.toFixed(4)}`,
      );
    }
  }
}

function breakdowns() {
  console.log(
    '\nEverybody comes, some legs break down for 1 to 6 hours; one lister in ten takes a late custodian off at once',
  );
  for (const legMinutes of [45, 90, 180]) {
    for (const share of [0.02, 0.05]) {
      const { late, slashed } = market(4, { noShows: 0, breakdowns: share, legMinutes });
      require(`slashed at ${percent(share, 0)} breakdowns, ${legMinutes} min`, slashed <= 0.001, percent(slashed, 3));
      console.log(
        `  legs of ${legMinutes} min, ${percent(share, 0)} break down: late ${percent(late, 2)}, slashed ${percent(slashed, 3)}`,
      );
    }
  }
}

function attacks() {
  console.log(
    '\nGain over honest work, SOL a relay: 5 % of listers asleep, arbiter wrong 5 %, silent 5 %, parcel worth nothing',
  );
  for (const { preset, share, legs: longest } of PRESETS) {
    for (let legs = 1; legs <= 4; legs += 1) {
      const gains = Object.entries(attackers(legs, share));
      for (const [name, gain] of gains) {
        if (legs <= longest) require(`${preset}, ${legs} legs, ${name}`, gain <= 0, gain.toFixed(4));
      }
      const cells = gains.map(([name, gain]) => `${name} ${gain > 0 ? '+' : ''}${gain.toFixed(4)}`);
      console.log(`  ${preset}, ${legs} ${legs === 1 ? 'leg' : 'legs'}: ${cells.join('; ')}`);
    }
  }
  console.log('\nBreak-evens');
  for (const payments of STAKES) {
    const rates = Object.entries(breakEvens(payments)).map(([name, rate]) => `${name} ${percent(rate)}`);
    console.log(`  stake of ${payments} payments: ${rates.join('; ')}`);
  }
  for (const rate of [0.05, 0.1]) {
    const world = { asleep: rate, wrong: rate, silent: rate };
    const shares = [1, 2, 3, 4, 5, 7].map((legs) => `${legs} legs ${leastShare(legs, world).toFixed(3)}`);
    console.log(`  least stake by budget at ${percent(rate, 0)} each: ${shares.join(', ')}`);
  }
}

/** @returns `{ finished, median, gains, garbagePaid, saved }`: hours; lamports of an agent of each kind, and of the poster a text */
function tasks(seed, setting) {
  const random = randomOf(seed);
  const played = Array.from({ length: TASKS }, () => playTask(random, setting));
  requireConserved(played);
  const gained = { honest: [], garbage: [], silent: [], never: [] };
  for (const { agents, balances } of played) {
    for (const { name, kind, isRuledOut } of agents) {
      const gain = Number(balances.get(name) ?? 0n);
      gained[kind].push(gain);
      if (kind === 'honest' && gain <= 0 && !isRuledOut) throw new Error('honest work lost without a ruling');
    }
  }
  const mean = (amounts) => amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length;
  const spent = mean(played.map(({ balances }) => -Number(balances.get('funder'))));
  return {
    finished: played.filter(({ finished }) => finished).length / TASKS,
    median: quantile(
      played.map(({ minutes }) => minutes / 60).sort((a, b) => a - b),
      0.5,
    ),
    gains: Object.fromEntries(Object.entries(gained).map(([kind, amounts]) => [kind, mean(amounts)])),
    garbagePaid: gained.garbage.filter((gain) => gain > 0).length / gained.garbage.length,
    // The poster's saving on the share for each good text that it has read.
    saved: Number(SHARE) - (spent * TASKS) / gained.honest.length,
  };
}

/** Everything that must hold of tasks in which one kind of people deceives: `[what, figure, isWithin]`. @param stake - lamports */
function boundsOfTasks({ honest, garbage, denied, asleep, absent }, { legs, stake }) {
  const share = Number(SHARE);
  const isAbout = (lamports, sol) => Math.abs(lamports - sol * SOL) <= 0.1 * share;
  const ofGarbage = garbage.gains.garbage;
  return [
    ['gain of garbage', ofGarbage, ofGarbage <= 0],
    ['gain of garbage, as expected', ofGarbage, isAbout(ofGarbage, falseClaim(stake / SOL, USUAL))],
    ['garbage paid', garbage.garbagePaid, garbage.garbagePaid <= 0.16],
    ['garbage, finished', garbage.finished, garbage.finished >= 0.995],
    ['gain of denying good work', denied.saved, denied.saved <= 0],
    ['gain of denying, as expected', denied.saved, isAbout(denied.saved, falseDispute(stake / SOL, USUAL))],
    ['gain of who is denied', denied.gains.honest, denied.gains.honest >= 0.99 * share],
    ['gain at a sleeping poster', asleep.gains.honest, asleep.gains.honest === share],
    ['hours at a sleeping poster', asleep.median, asleep.median <= honest.median + (legs * REVIEW_MINUTES) / 60],
    ['gain of no show', absent.gains.silent, absent.gains.silent === -stake],
    ['no shows, finished', absent.finished, absent.finished >= 0.995],
    ['no shows, hours', absent.median, absent.median <= 1.5 * honest.median],
  ];
}

/** The deceivers in digital tasks, one kind of people at a time. */
function deceptions() {
  const inSol = (lamports) => `${lamports > 0 ? '+' : ''}${(lamports / SOL).toFixed(4)}`;
  console.log(
    `\nDigital tasks, ${TASKS} a figure: legs of ${Number(SHARE) / SOL} SOL, 72 hours; gain in SOL a leg. Without terms all garbage is paid`,
  );
  for (const { preset, share } of PRESETS) {
    for (let legs = 1; legs <= 4; legs += 1) {
      const setting = { legs, stake: BigInt(100 * share) };
      const played = {
        honest: tasks(6, setting),
        garbage: tasks(7, { ...setting, garbage: 0.2 }),
        denied: tasks(8, { ...setting, poster: 'denies' }),
        asleep: tasks(9, { ...setting, poster: 'sleeps' }),
        absent: tasks(10, { ...setting, noShows: 0.2 }),
      };
      const stake = Math.round(share * legs * Number(SHARE));
      const name = `${preset}, ${legs} ${legs === 1 ? 'leg' : 'legs'}`;
      for (const [what, figure, isWithin] of boundsOfTasks(played, { legs, stake }))
        require(`${name}, ${what}`, isWithin, figure);
      const { honest, garbage, denied, asleep, absent } = played;
      console.log(
        `  ${name}: garbage ${inSol(garbage.gains.garbage)}, ${percent(garbage.garbagePaid)} of it paid; denying good work ` +
          `${inSol(denied.saved)}; no show ${inSol(absent.gains.silent)}; median ${honest.median.toFixed(1)} h, with a poster asleep ` +
          `${asleep.median.toFixed(1)} h, with no shows ${absent.median.toFixed(1)} h`,
      );
    }
  }
}

/** Relays and tasks in which much goes wrong, with the real program. */
async function onLedger(count) {
  const { RelaysOnLedger } = await import('./marketGame/relaysOnLedger.mjs');
  const { TasksOnLedger } = await import('./marketGame/tasksOnLedger.mjs');
  const random = randomOf(5);
  const troubled = { noShows: 0.3, garbage: 0.4, asleep: 0.1, wrong: 0.4, silent: 0.3 };
  const games = {
    relays: [RelaysOnLedger, () => playRelay(random, { noShows: 0.3, vanishing: 0.2, breakdowns: 0.3 })],
    tasks: [
      TasksOnLedger,
      (played) =>
        playTask(random, { ...troubled, legs: 1 + (played % 4), poster: played % 8 < 4 ? 'denies' : 'looks' }),
    ],
  };
  for (const [what, [OnLedger, play]] of Object.entries(games)) {
    const ledger = await OnLedger.create();
    const moves = new Map();
    for (let played = 0; played < count; played += 1) {
      const game = play(played);
      await ledger.play(game);
      for (const { name } of game.moves) moves.set(name, (moves.get(name) ?? 0) + 1);
    }
    const made = [...moves].map(([name, times]) => `${times} ${name}`).join(', ');
    console.log(`\n${count} ${what} on the ledger, everybody has what the game says to the lamport: ${made}`);
  }
}

const { values } = parseArgs({ options: { ledger: { type: 'string' } } });
deliveries();
breakdowns();
attacks();
deceptions();
if (values.ledger !== undefined) await onLedger(Number(values.ledger));
for (const failure of failures) console.error(`Out of bounds: ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
