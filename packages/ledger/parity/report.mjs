// The table that a person reads.

/** How a method compares, in a line, and the differences below it. */
export function tableOf(rows, { verbose = false, ours = {}, theirs = {} } = {}) {
  return rows.flatMap((row) => [
    `${row.method.padEnd(36)} ${inWords(row)}`,
    ...detailsOf(row, verbose ? { ours, theirs } : undefined),
  ]);
}

function inWords({ isAbsent, calls, equal, declared, gaps, undeclared, closed }) {
  if (isAbsent) return 'absent';
  if (equal === calls && closed.length === 0) return `equal (${calls})`;
  const parts = [
    [declared.length, 'declared'],
    [gaps.length, 'listed as gaps'],
    [undeclared.length, 'UNDECLARED'],
    [closed.length, 'CLOSED GAPS'],
  ];
  return `differs: ${equal} of ${calls} equal, ${parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(', ')}`;
}

function detailsOf(row, answers) {
  if (row.isAbsent && answers === undefined) return row.undeclared.length > 0 ? ['    ABSENT AND NOT LISTED'] : [];
  const kinds = [
    ['declared', ''],
    ['gaps', 'gap: '],
    ['undeclared', 'UNDECLARED: '],
    ['closed', 'CLOSED (list the gaps again): '],
  ];
  return kinds.flatMap(([kind, mark]) =>
    row[kind].flatMap((one) => [`    ${mark}${one.label}: ${sayWhat(one)}`, ...valuesOf(row.method, one, answers)]),
  );
}

const sayWhat = ({ differences, why }) => `${differences.join('; ')}${why === undefined ? '' : ` (${why})`}`;

function valuesOf(method, { label }, answers) {
  if (answers === undefined) return [];
  const show = (side) => (JSON.stringify(answers[side][method]?.[label]) ?? 'nothing').slice(0, 700);
  return [`        ours   ${show('ours')}`, `        theirs ${show('theirs')}`];
}

const NO_METHOD = /^(client |the scene$|getNothing$|nothingSubscribe$)/;

/**
 * The table of the ledger's README: which methods answer as there, and how and why the others do not.
 * Chance differences, such as by the time that a run takes, are left out: the table is the same each time.
 */
export function markdownOf(rows) {
  const methods = rows
    .filter(({ method }) => !NO_METHOD.test(method))
    .map((row) => ({ ...row, declared: row.declared.filter(({ byChance }) => !byChance) }));
  const isEqual = ({ declared, gaps, undeclared }) => declared.length + gaps.length + undeclared.length === 0;
  const equal = methods.filter(isEqual).map(({ method }) => `\`${method}\``);
  const lines = methods.filter((row) => !isEqual(row)).map((row) => `| \`${row.method}\` | ${briefly(row)} |`);
  return ['| | |', '|---|---|', `| equal | ${equal.join(', ')} |`, ...lines].join('\n');
}

function briefly({ isAbsent, calls, declared, gaps, undeclared }) {
  if (isAbsent) return 'absent';
  const whys = [...new Set(declared.map(({ why }) => why))];
  const open = gaps.length + undeclared.length;
  if (open > 0) whys.push(`${open} without a reason`);
  return `differs in ${declared.length + open} of ${calls}: ${whys.join('; ')}`;
}

/** The counts of a table, and how many of its lines are wrong. */
export function countsOf(rows) {
  const sum = (count) => rows.reduce((total, row) => total + count(row), 0);
  const undeclared = sum((row) => row.undeclared.length);
  const closed = sum((row) => row.closed.length);
  const equal = rows.filter((row) => row.equal === row.calls).length;
  const absent = rows.filter((row) => row.isAbsent).length;
  const line =
    `${rows.length} methods and scenes: ${equal} equal, ${rows.length - equal - absent} differ, ${absent} absent; ` +
    `${sum((row) => row.calls)} answers: ${sum((row) => row.equal)} equal, ${sum((row) => row.declared.length)} differ as declared, ` +
    `${sum((row) => row.gaps.length)} are listed gaps, ${undeclared} undeclared, ${closed} closed gaps`;
  return { line, wrong: undeclared + closed };
}

/** The classes of differences of seeded calls: unexplained unless declared, also where gaps.json lists them. @returns how many it does not */
export function tellClasses({ classes, isGap, count, say }) {
  const declared = classes.filter(({ why }) => why !== undefined);
  const gaps = classes.filter((one) => one.why === undefined && isGap(one));
  const unexplained = classes.filter((one) => one.why === undefined && !isGap(one));
  say('');
  for (const one of declared) say(`seeded ${one.method}: ${one.difference}: ${one.count} times (${one.why})`);
  for (const [mark, list] of [
    ['gap', gaps],
    ['UNEXPLAINED', unexplained],
  ]) {
    for (const one of list) for (const line of classLines(mark, one)) say(line);
  }
  const differing = classes.reduce((sum, one) => sum + one.count, 0);
  const inWords = `${declared.length} declared, ${gaps.length + unexplained.length} unexplained (${unexplained.length} of them not listed as gaps)`;
  say(`\n${count} seeded calls: ${differing} differences in ${classes.length} classes, ${inWords}`);
  return unexplained.length;
}

function classLines(mark, { method, difference, count, request, ours, theirs }) {
  const show = (value) => JSON.stringify(value)?.slice(0, 300);
  return [
    `seeded ${method}: ${mark}: ${difference}: ${count} times`,
    `        asked  ${show(request.params ?? request)}`,
    `        ours   ${show(ours.error ?? ours.result ?? ours)}`,
    `        theirs ${show(theirs.error ?? theirs.result ?? theirs)}`,
  ];
}
