import { runDemo } from '../runDemo.js';
import { tasksPlot } from './plot.js';

await runDemo('npm run demo:tasks', tasksPlot);
