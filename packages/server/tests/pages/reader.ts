import type { CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { at } from '../operations/turns/scene.js';
import type { Visit } from './visit.js';

/** A screen reader's words for an element. */
interface Spoken {
  readonly role: string;
  readonly name: string;
  readonly description: string;
}

/** An element is named by its role and its name, as a person looks for it. */
type Wanted = readonly [role: string, name: string | RegExp];

interface AXNode {
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly description?: { readonly value: string };
}

/**
 * Notes what live regions say. What is put in place together with its region is told by no screen reader, unless it is an alert. Here with
 * the element that had the focus, because what it stands in is told as well.
 */
const LISTENS = `{
  globalThis.heard = [];
  globalThis.unheard = [];
  globalThis.changes = 0;
  const LIVE = '[role=status],[role=alert],[role=log],[aria-live=polite],[aria-live=assertive]';
  const textOf = (one) => one.textContent.replace(/\\s+/g, ' ').trim();
  const known = new WeakSet();
  const element = (node) => (node instanceof Element ? node : node.parentElement);
  const take = (records) => {
    const told = new Set();
    globalThis.changes += records.length;
    for (const { target, addedNodes } of records) {
      const region = element(target)?.closest(LIVE);
      if (region && known.has(region) && region.isConnected) told.add(region);
      for (const added of addedNodes) {
        if (!(added instanceof Element)) continue;
        for (const one of [added, ...added.querySelectorAll('*')]) {
          if (!one.matches(LIVE)) continue;
          if (one.matches('[role=alert]')) heard.push(textOf(one));
          // Of a part of the page that comes as a whole, nobody expects to be told.
          else if (one === added && textOf(one) !== '' && !known.has(one) && !region) unheard.push(textOf(one));
          known.add(one);
        }
      }
    }
    for (const region of told) heard.push(textOf(region));
  };
  new MutationObserver(take).observe(document, { childList: true, characterData: true, subtree: true });
}`;

/** Reports whether the focus is where a person can see it. @returns what is wrong; null: nothing */
const STOP = `(() => {
  const one = document.activeElement;
  const shown = one.matches('input[type=file], summary, video, .maplibregl-canvas') || one.getClientRects().length > 0;
  if (!shown) return 'it has no place on the screen';
  const style = getComputedStyle(one);
  if (!one.matches('h1') && (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) === 0)) return 'nothing shows that it has the focus';
  const { left, top, right, bottom, width, height } = one.getClientRects()[0];
  if (width < 1 || height < 1) return 'it is nothing on the screen';
  const [x, y] = [Math.max(0, (left + right) / 2), Math.max(0, (top + bottom) / 2)];
  // What came meanwhile to stand above it has moved it on.
  const isMoved = globalThis.changes > 0;
  if (x > innerWidth || y > innerHeight || bottom < 0 || right < 0) return isMoved ? null : 'it is outside of the window';
  const over = document.elementFromPoint(x, y);
  const label = one.labels?.[0];
  const isOver = over && !one.contains(over) && !over.contains(one) && !label?.contains(over);
  // Moved on, it may have come to lie behind the bar at the bottom.
  if (isOver && !(isMoved && over.closest('nav'))) return 'something lies over it: ' + over.outerHTML.slice(0, 80);
  return null;
})()`;

/** Reports whether Tab went on as one reads: only at its end it begins again. */
const FOLLOWS = `(() => {
  const [one, before] = [document.activeElement, globalThis.stopBefore];
  globalThis.stopBefore = one;
  // Behind its last stop a page begins again.
  if (!before?.isConnected || one === before || one.matches('body, a[href="#main"]')) return true;
  return (before.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
})()`;

/** Somebody with a keyboard and a screen reader, and neither a mouse nor the screen. */
export class Reader {
  readonly page: Page;
  /** The faults that keep such a person out. */
  readonly faults: string[] = [];
  readonly #session: CDPSession;

  /** Before the first page is gone to. */
  static async of({ page, context }: Visit): Promise<Reader> {
    await page.addInitScript({ content: LISTENS });
    const session = await context.newCDPSession(page);
    await session.send('Accessibility.enable');
    return new Reader(page, session);
  }

  private constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#session = session;
  }

  /** The words for the element that has the focus. */
  async here(): Promise<Spoken> {
    const { result } = await this.#session.send('Runtime.evaluate', { expression: 'document.activeElement' });
    return this.#spoken(result.objectId ?? '');
  }

  async #spoken(objectId: string): Promise<Spoken> {
    const { nodes } = (await this.#session.send('Accessibility.getPartialAXTree', {
      objectId,
      fetchRelatives: false,
    })) as { nodes: readonly AXNode[] };
    const { role, name, description } = at(nodes, 0);
    return { role: role?.value ?? '', name: name?.value ?? '', description: description?.value ?? '' };
  }

  /** Goes to an element by Tab, or backwards by Shift+Tab; every stop on the way is looked at. */
  async goTo(wanted: Wanted, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<Spoken> {
    await this.kept(`before ${String(wanted[1])}`);
    for (let steps = 0; steps < 150; steps += 1) {
      const here = await this.here();
      if (fits(here, wanted)) return here;
      await this.page.evaluate('{ globalThis.changes = 0; globalThis.stopBefore = document.activeElement; }');
      await this.page.keyboard.press(key);
      const follows = await this.page.evaluate<boolean>(FOLLOWS);
      if (key === 'Tab' && !follows) this.faults.push(`Tab goes back to ${(await this.here()).name}`);
      await this.#look();
    }
    throw new Error(`no key leads to the ${wanted.join(' ')}:\n${await this.page.locator('body').ariaSnapshot()}`);
  }

  /** Presses a button or a link. */
  async press(name: string | RegExp, key: 'Enter' | 'Space' = 'Enter', role = 'button'): Promise<Spoken> {
    const spoken = await this.goTo([role, name]);
    await this.#hush();
    await this.page.keyboard.press(key);
    return spoken;
  }

  /** Types into a field, in the place of what stands in it. */
  async type(name: string | RegExp, text: string, role = 'textbox'): Promise<void> {
    await this.goTo([role, name]);
    await this.#hush();
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.type(text);
  }

  /** Waits until a live region says something. */
  async hears(text: string | RegExp): Promise<void> {
    await untilHeard(this.page, text);
  }

  /** The focus has to be somewhere after what was done, where it can be seen. */
  async kept(when: string): Promise<void> {
    const isLost = () => this.page.evaluate<boolean>('document.activeElement === document.body');
    const began = !(await this.page.evaluate<boolean>('globalThis.stopBefore !== undefined'));
    if (began) return;
    for (let tries = 0; tries < 20 && (await isLost()); tries += 1) await this.page.waitForTimeout(50);
    if (await isLost()) this.faults.push(`the focus is lost ${when}`);
  }

  /** The dialog that asks something tells what it is about, and so does the button that does it. */
  async asked(name: string, says: RegExp): Promise<void> {
    const dialog = this.page.getByRole('alertdialog', { name });
    await dialog.waitFor();
    const handle = await dialog.getAttribute('aria-describedby');
    const text = handle === null ? '' : await this.page.locator(`[id="${handle}"]`).innerText();
    if (!says.test(text)) this.faults.push(`the dialog ${name} tells “${text}”`);
  }

  /** Notes the faults of the page as a whole for a screen reader. */
  async outlined(what: string): Promise<void> {
    const found = await outlineFaults(this.page, this.#session);
    const unheard = await this.page.evaluate<string[]>('globalThis.unheard.splice(0)');
    found.push(...unheard.map((text) => `no screen reader tells “${text}”`));
    this.faults.push(...found.map((fault) => `${what}: ${fault}`));
  }

  /** Drops words from before this key: they are no answer to it. */
  async #hush(): Promise<void> {
    await this.page.evaluate('{ globalThis.heard.length = 0; }');
  }

  async #look(): Promise<void> {
    if (await this.page.evaluate<boolean>('document.activeElement === document.body')) return;
    const wrong = await this.page.evaluate<string | null>(STOP);
    if (wrong === null) return;
    const { role, name } = await this.here();
    this.faults.push(`${role} “${name}”: ${wrong}`);
  }
}

async function untilHeard(page: Page, text: string | RegExp): Promise<void> {
  const said = () => page.evaluate<string[]>('globalThis.heard');
  const asWanted = typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);
  await expect.poll(said, { timeout: 15_000 }).toContainEqual(asWanted);
}

const fits = ({ role, name }: Spoken, [wantedRole, wanted]: Wanted) =>
  role.toLowerCase() === wantedRole && (typeof wanted === 'string' ? name === wanted : wanted.test(name));

/** The faults that keep a page as a whole from a screen reader. */
export async function outlineFaults(page: Page, session: CDPSession): Promise<string[]> {
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: readonly AXNode[] };
  return [...headingFaults(await page.evaluate<Heading[]>(HEADINGS)), ...nameFaults(nodes)];
}

interface Heading {
  readonly level: number;
  readonly name: string;
}

/** Those that are shown, in the order of the page. */
const HEADINGS = `[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
  .filter((one) => one.checkVisibility())
  .map((one) => ({ level: Number(one.tagName[1]), name: one.textContent.trim() }))`;

/** One title, and no level left out below it. */
function headingFaults(headings: readonly Heading[]): string[] {
  const titles = headings.filter(({ level }) => level === 1);
  const jumps = headings.filter(({ level }, index) => level > (headings[index - 1]?.level ?? 0) + 1);
  return [
    ...(titles.length === 1 ? [] : [`it has ${titles.length} titles`]),
    ...jumps.map(({ name, level }) => `heading “${name}” of level ${level} leaves one out`),
    ...headings.filter(({ name }) => name === '').map(() => 'a heading says nothing'),
  ];
}

const ACTED_ON = ['button', 'link', 'textbox', 'combobox', 'radio', 'checkbox', 'slider', 'searchbox', 'alertdialog'];

/** Every element to act on has a name, and a button that pays is told apart from its like. */
const nameFaults = (nodes: readonly AXNode[]) =>
  nodes
    .filter(({ ignored, role, name }) => !ignored && ACTED_ON.includes(role?.value ?? '') && !name?.value.trim())
    .map(({ role }) => `a ${role?.value} has no name`);
