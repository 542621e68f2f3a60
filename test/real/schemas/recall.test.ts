/**
 * Asks two times sixty questions about public schemas. The first sixty were written before there was a search, the others before its
 * ranking changed. A model can pass on what a person says, or name what it looks for: each question is asked in both ways.
 */
import { ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { needs } from '../../support/real/parts.ts';
import { recallOf } from './recall.ts';

describe('search_schema', needs('public-schemas'), () => {
  test('finds all fields of 70 % of the questions in one call, and of 85 % in two', async (t) => {
    t.diagnostic('| | as a person asks | named | both | as a person asks, names alone | named | both |');
    const total = [0, 0, 0, 0, 0, 0];
    for (const file of ['questions.txt', 'new-questions.txt']) {
      const sums = [0, 0, 0, 0, 0, 0];
      const missed: string[] = [];
      const byNames = await recallOf(file, false);
      for (const [name, found] of await recallOf(file, true)) {
        const row = [...found.counts, ...byNames.get(name)!.counts];
        for (const [at, count] of row.entries()) sums[at]! += count;
        t.diagnostic(`| ${[name, ...row].join(' | ')} |`);
        missed.push(...found.missed);
      }
      t.diagnostic(`| ${[`60 of ${file}`, ...sums].join(' | ')} |`);
      for (const [at, sum] of sums.entries()) total[at]! += sum;
      const [asked, named, both] = sums as [number, number, number];
      ok(Math.min(asked, named) >= 42 && both >= 51, `${asked}, ${named} and ${both} of 60\n${missed.join('\n')}`);
    }
    const [asked, named, both] = total as [number, number, number];
    const told = `a search in the API's words finds all fields for ${named}, in a person's words for ${asked}, and both for ${both}`;
    ok(readFileSync('docs/mcp.md', 'utf8').includes(told), `docs/mcp.md does not say: ${told}`);
  });
});
