// The program that the workers of the demo run for a leg: JSON with the instruction and the material on
// standard input, the result on standard output. Yours to replace by anything that reads and writes.
import { text } from 'node:stream/consumers';

const { instruction, previousResult, description } = JSON.parse(await text(process.stdin)) as Record<string, string>;
const material = previousResult ?? description ?? '';
const words = material.split(/\s+/).filter((word) => word !== '');
process.stdout.write(`${instruction ?? ''} -> ${words.length} words: ${words.slice(0, 12).join(' ')}`);
