/**
 * Asks sixty questions about three public schemas. They were written before there was a search: see questions.txt. Agents do not pass on
 * what a person says, but name what they look for, so the second line is what one call is measured by.
 */
import { ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { needs } from '../../support/real/parts.ts';
import { recallOf } from './recall.ts';

const schemas = ['github', 'shop', 'swapi'];

describe('search_schema', needs('public-schemas'), () => {
  test('finds all fields of 70 % of the questions in one call, and of 85 % in two', async (t) => {
    t.diagnostic('| | as a person asks | named | both | as a person asks, names alone | named | both |');
    const sums = [0, 0, 0, 0, 0, 0];
    const missed: string[] = [];
    for (const name of schemas) {
      const found = await recallOf(name, true);
      const byNames = await recallOf(name, false);
      const row = [...found.counts, ...byNames.counts];
      for (const [at, count] of row.entries()) sums[at]! += count;
      t.diagnostic(`| ${[name, ...row].join(' | ')} |`);
      missed.push(...found.missed);
    }
    t.diagnostic(`| ${['all 60', ...sums].join(' | ')} |`);

    const [asked, named, both, ...byNames] = sums as [number, number, number, number, number, number];
    ok(named >= 42 && both >= 51, `${named} and ${both} of 60\n${missed.join('\n')}`);
    const told = `a search in the API's words finds all fields for ${named}, in a person's words for ${asked}, and both for ${both} (without descriptions: ${[byNames[1], byNames[0], byNames[2]].join(', ')})`;
    ok(readFileSync('docs/mcp.md', 'utf8').includes(told), `docs/mcp.md does not say: ${told}`);
  });
});
