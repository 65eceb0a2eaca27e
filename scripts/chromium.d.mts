import type { Browser } from 'playwright-core';

export function launchChromium(more?: string[]): Promise<Browser>;
