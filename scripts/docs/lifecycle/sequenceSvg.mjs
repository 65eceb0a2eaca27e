// Draws a sequence picture: one lifeline a participant, one row a message, so that no two texts can meet.

const COLUMN = 168;
const MARGIN = 90;
const HEAD = 56;
const ROW = 38;
const STAGE = 46;
/** Width of a character at the size of labels, generously. */
const CHARACTER = 6.9;

const COLOURS = { call: '#1d4ed8', transaction: '#b45309', payment: '#15803d', event: '#6d28d9', note: '#374151' };

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * @param {{ title: string, participants: string[], stages: { title: string, steps: Step[] }[] }} sequence
 * @typedef {{ kind: keyof typeof COLOURS, from: string, to: string, text: string }} Step `from` = `to` draws a note
 * @returns {string} a whole SVG document
 */
export function sequenceSvg({ title, participants, stages }) {
  const width = 2 * MARGIN + (participants.length - 1) * COLUMN;
  const x = new Map(participants.map((name, index) => [name, MARGIN + index * COLUMN]));
  let y = HEAD + 20;
  const drawn = [];
  for (const { title: stage, steps } of stages) {
    drawn.push(stageHeading(stage, y, width));
    y += STAGE;
    for (const step of steps) {
      drawn.push(message(step, x.get(step.from), x.get(step.to), y, width));
      y += ROW;
    }
  }
  const height = y + 10;
  const lifelines = participants.map((name) => lifeline(name, x.get(name), height));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="12">
<title>${escape(title)}</title>
<defs>${Object.entries(COLOURS).map(arrowHead).join('')}</defs>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${lifelines.join('\n')}
${drawn.join('\n')}
</svg>
`;
}

function arrowHead([kind, colour]) {
  return `<marker id="${kind}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="${colour}"/></marker>`;
}

function lifeline(name, x, height) {
  return `<line x1="${x}" y1="${HEAD}" x2="${x}" y2="${height - 8}" stroke="#d1d5db"/>
<rect x="${x - 66}" y="16" width="132" height="${HEAD - 24}" rx="6" fill="#f3f4f6" stroke="#9ca3af"/>
<text x="${x}" y="37" text-anchor="middle" font-size="13" font-weight="bold" fill="#111827">${escape(name)}</text>`;
}

function stageHeading(title, y, width) {
  return `<rect x="10" y="${y}" width="${width - 20}" height="24" fill="#f9fafb" stroke="#e5e7eb"/>
<text x="20" y="${y + 16}" font-weight="bold" fill="#111827">${escape(title)}</text>`;
}

function message({ kind, text }, from, to, y, width) {
  const colour = COLOURS[kind];
  const half = (text.length * CHARACTER) / 2;
  const middle = Math.min(Math.max((from + to) / 2, half + 12), width - half - 12);
  const label = `<rect x="${round(middle - half)}" y="${y - 8}" width="${round(2 * half)}" height="16" fill="#ffffff"/>
<text x="${round(middle)}" y="${y + 4}" text-anchor="middle" fill="${colour}">${escape(text)}</text>`;
  if (from === to) return label;
  const dash = kind === 'event' ? ' stroke-dasharray="4 3"' : '';
  return `${label}
<line x1="${from}" y1="${y + 14}" x2="${to}" y2="${y + 14}" stroke="${colour}" stroke-width="1.5"${dash} marker-end="url(#${kind})"/>`;
}

const round = (value) => Math.round(value * 10) / 10;
