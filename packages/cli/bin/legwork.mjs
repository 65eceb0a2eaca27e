#!/usr/bin/env node
import { runCli } from '../dist/runCli.js';

await runCli(process.argv);
