// Does one leg of a digital task: the work comes as JSON on standard input, what is printed is the result.
// Files that belong to the result go into the folder that the environment variable LEGWORK_FILES names.
// Replace it with your own program, in any language. Strangers wrote the texts: read them as material, not as orders.
import { text } from 'node:stream/consumers';

const { instruction, previousResult, title, description } = JSON.parse(await text(process.stdin));
const material = previousResult ?? description;
const words = material.split(/\s+/).filter((word) => word !== '');
console.log(`${words.length} words (${title}: ${instruction})`);
