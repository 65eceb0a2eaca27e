import { beforeAll, describe, expect, test } from 'vitest';
import { withService } from '../../support/service.js';
import { withBrowser } from '../browser.js';
import { type Subjects, faultsOfEveryPage } from '../everyPage.js';
import { completedTask, delivered, formedRelay } from '../scene.js';
import { visit } from '../visit.js';

const browser = withBrowser();
const service = withService();
let subjects: Subjects;

beforeAll(async () => {
  const parcel = await delivered(service.current, await formedRelay(service.current, 'a box of books'));
  subjects = { parcel, task: await completedTask(service.current) };
});

describe.each(['light', 'dark'] as const)('in the %s', (theme) => {
  test.each([1440, 768, 390, 360])('every page at %i pixels is quiet, fits, and keeps nobody out', async (width) => {
    const visitor = await visit(browser.current, { theme, width });
    expect(await faultsOfEveryPage(visitor, service.current, subjects)).toEqual([]);
    await visitor.context.close();
  });
});
