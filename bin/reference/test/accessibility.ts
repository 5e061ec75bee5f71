import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page, ViewportSize } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with a part of a page, in a window of the given size, in both schemes. */
export const violations = async (
  page: Page,
  viewport: ViewportSize,
  include: string[][],
): Promise<string[]> => {
  await page.setViewportSize(viewport);
  await page.evaluate(axe);
  const context = JSON.stringify({ include });
  const all: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    // Without media and style sheets, which none of its rules needs: the page has no media.
    const found: AxeResults = await page.evaluate(`axe.run(${context}, { preload: false })`);
    for (const { id, nodes } of found.violations) {
      for (const { html } of nodes) all.push(`${viewport.width} ${colorScheme} ${id}: ${html}`);
    }
  }
  return all;
};
