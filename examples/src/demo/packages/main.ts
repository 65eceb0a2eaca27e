import { runDemo } from '../runDemo.js';
import { packagesPlot } from './plot.js';

await runDemo('npm run demo', packagesPlot);
