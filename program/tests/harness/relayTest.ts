import { test as base } from 'vitest';
import { Relay } from './relay.js';

/** A test with an initialised program of its own, where it asks for `relay`. */
export const test = base.extend('relay', () => Relay.initialised());
