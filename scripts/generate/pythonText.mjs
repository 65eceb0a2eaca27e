// Python text.
const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

export const isName = (text) => /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text);

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1).replace(/\W/g, '');

/** `packageId` as `package_id`. */
export const snake = (text) => text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();

/** A string of Python. @param mark `"`, or three of them for text that people read */
export function quoted(text, mark = '"') {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\r', '\\r');
  return mark + (mark === '"' ? escaped.replaceAll('\n', '\\n') : escaped) + mark;
}

/** A value of JSON. */
export function literal(value) {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object') return String(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${quoted(key)}: ${literal(one)}`)
    .join(', ')}}`;
}
