import { runDemo } from '../runDemo.js';
import { termsPlot } from './plot.js';

await runDemo('npm run demo:terms', termsPlot);
