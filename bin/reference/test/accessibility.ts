import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page, ViewportSize } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What is Scalar's own and stays, by rule and selector, each with the reason. */
const exceptions = [
  {
    rule: 'aria-hidden-focus',
    selector: '[data-headlessui-focus-guard]',
    reason: 'These buttons of Headless UI surround an open menu and pass the focus on at once.',
  },
];

/** Whether what axe found is such an exception. */
const isException = async (page: Page, rule: string, target: string) => {
  const found = page.locator(target);
  for (const { selector } of exceptions.filter((exception) => exception.rule === rule)) {
    if (await found.and(page.locator(selector)).count()) return true;
  }
  return false;
};

/**
 * What axe finds wrong with a part of a page, in a window of the given size: first all that is
 * independent of colours, then the colours in both schemes.
 */
export const violations = async (
  page: Page,
  viewport: ViewportSize,
  part: object,
): Promise<string[]> => {
  await page.setViewportSize(viewport);
  await page.evaluate(axe);
  const context = JSON.stringify(part);
  const axeOptions = {
    resultTypes: ['violations'],
    // Media and style sheets, which none of these rules needs: the page has no media.
    preload: false,
  };
  const colours = ['color-contrast', 'link-in-text-block'];
  const all: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const rules = colorScheme === 'light' ? {} : { runOnly: colours };
    const options = JSON.stringify({ ...axeOptions, ...rules });
    const found: AxeResults = await page.evaluate(`axe.run(${context}, ${options})`);
    for (const { id, nodes } of found.violations) {
      for (const { target, html } of nodes) {
        if (await isException(page, id, target.join(' '))) continue;
        all.push(`${viewport.width} ${colorScheme} ${id}: ${html}`);
      }
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return all;
};
