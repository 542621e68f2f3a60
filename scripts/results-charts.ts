/**
 * Draws the charts of README.md and docs/performance.md from bench/results.json: `npm run docs`. Each chart is drawn twice, for
 * light and for dark pages. test/docs/performance.test.ts fails when a file differs from what this draws.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readResults } from './results.ts';
import type { Results } from './results.ts';

const folder = join(import.meta.dirname, '../docs/figures');
const shown = ['graphql-functions', 'bare graphql-js 17', 'bare graphql-js 16', 'Apollo Server 5', 'GraphQL Yoga 5', 'Mercurius with JIT'];

interface Panel {
  readonly title: string;
  readonly bars: readonly { readonly name: string; readonly value: number; readonly label: string }[];
}

/** The panels of each chart, by its name. */
const charts: Readonly<Record<string, (results: Results) => readonly Panel[]>> = {
  summary: (results) => [coldPanel(results, 300), warmPanel(results, '50 objects, 100 async resolvers, variables')],
  cold: (results) => results.cold.map(({ types, sdlKB }) => coldPanel(results, types, sdlKB)),
  warm: (results) => ['hello', 'documents never seen before', '1,000 rows of 8 fields'].map((workload) => warmPanel(results, workload)),
};

function coldPanel({ cold }: Results, types: number, sdlKB?: number): Panel {
  const contestants = cold.find((one) => one.types === types && (sdlKB ?? one.sdlKB) === one.sdlKB)?.contestants ?? {};
  const bars = shown.flatMap((name) => {
    const value = contestants[name]?.cpuMilliseconds;
    return value === undefined ? [] : [{ name, value, label: `${value} ms` }];
  });
  const size = sdlKB === undefined ? '' : ` (${sdlKB.toLocaleString('en-US')} KB)`;
  return { title: `Cold start, ${types.toLocaleString('en-US')} types${size}: CPU to the first answer`, bars };
}

function warmPanel({ warm }: Results, workload: string): Panel {
  const contestants = warm.find((one) => one.workload === workload)?.contestants ?? {};
  const bars = shown.flatMap((name) => {
    const value = contestants[name]?.microseconds;
    return value === undefined ? [] : [{ name, value, label: `${value} µs` }];
  });
  return { title: `Warm: ${workload}`, bars };
}

interface Colors {
  readonly text: string;
  readonly quiet: string;
  readonly ours: string;
  readonly others: string;
}

const themes: Readonly<Record<string, Colors>> = {
  light: { text: '#1f2328', quiet: '#59636e', ours: '#c6249b', others: '#b6bfc9' },
  dark: { text: '#f0f6fc', quiet: '#9198a1', ours: '#f06bcb', others: '#4a535e' },
};

const width = 410;
const nameWidth = 152;
const barWidth = 176;
const row = 26;
const top = 40;

/** One chart as SVG. Its text can be searched, and read by a screen reader. */
function draw(panels: readonly Panel[], colors: Colors): string {
  const columns = panels.length > 3 ? 2 : panels.length;
  const panelHeight = top + row * Math.max(...panels.map(({ bars }) => bars.length)) + 8;
  const height = panelHeight * Math.ceil(panels.length / columns);
  const description = panels
    .map(({ title, bars }) => `${title}: ${bars.map(({ name, label }) => `${name} ${label}`).join(', ')}.`)
    .join(' ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width * columns} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>${escaped(description)}</title>`,
    ...panels.map(
      (panel, at) =>
        `<g transform="translate(${(at % columns) * width} ${Math.floor(at / columns) * panelHeight})">\n${drawPanel(panel, colors)}\n</g>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}

function drawPanel({ title, bars }: Panel, { text, quiet, ours, others }: Colors): string {
  const longest = Math.max(...bars.map(({ value }) => value));
  const lines = bars.map(({ name, value, label }, at) => {
    const y = top + at * row;
    const isOurs = name === shown[0];
    const length = Math.max(2, Math.round((value / longest) * barWidth));
    const weight = isOurs ? ' font-weight="600"' : '';
    return [
      `<text x="${nameWidth - 8}" y="${y + 14}" text-anchor="end" fill="${isOurs ? text : quiet}"${weight}>${escaped(name)}</text>`,
      `<rect x="${nameWidth}" y="${y}" width="${length}" height="18" rx="3" fill="${isOurs ? ours : others}"/>`,
      `<text x="${nameWidth + length + 6}" y="${y + 14}" fill="${isOurs ? text : quiet}"${weight}>${escaped(label)}</text>`,
    ].join('\n');
  });
  return [`<text x="8" y="20" fill="${text}" font-weight="600">${escaped(title)}</text>`, ...lines].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** The files for these results, by name. */
export function drawCharts(results: Results): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(charts).flatMap(([name, panelsOf]) =>
      Object.entries(themes).map(([theme, colors]) => [`${name}-${theme}.svg`, draw(panelsOf(results), colors)] as const),
    ),
  );
}

if (import.meta.main) {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(drawCharts(await readResults()))) await writeFile(join(folder, name), text);
}
