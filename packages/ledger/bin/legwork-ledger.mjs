#!/usr/bin/env node
import { runCommand } from '../dist/command.js';

await runCommand(process.argv.slice(2));
