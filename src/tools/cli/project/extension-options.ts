import type { Plugin } from 'esbuild';

import { replaceEntries } from './intercept-entry.ts';

/** An entry's function that takes an options object. */
interface OptionsOf {
  readonly entry: string;
  readonly maker: string;
  readonly options: readonly string[];
}

/**
 * The options of the extensions. TypeScript rejects unknown options, but JavaScript ignores them. The check is here because in an
 * extension it would enlarge every bundle. A test compares this table with the extensions.
 */
export const extensionOptions: readonly OptionsOf[] = [
  {
    entry: 'edge',
    maker: 'edge',
    options: [
      'cdn',
      'store',
      'defaultMaxAge',
      'browserMaxAge',
      'staleWhileRevalidate',
      'staleIfError',
      'varyHeaders',
      'ignoredHeaders',
      'queryParameters',
      'entity',
      'salt',
      'deploy',
      'purge',
      'purgeBatchSize',
      'purgeInterval',
      'purgeAgainAfter',
      'onDecision',
    ],
  },
  { entry: 'cost-line', maker: 'costLine', options: ['format', 'namespace', 'write'] },
  { entry: 'compression', maker: 'compression', options: ['restAPI', 'withCookies'] },
  {
    entry: 'opentelemetry',
    maker: 'openTelemetry',
    options: ['tracerProvider', 'meterProvider', 'document', 'errorMessages', 'stages', 'flush'],
  },
  { entry: 'incremental', maker: 'incrementalDelivery', options: ['early', 'maxParts'] },
  { entry: 'landing-page', maker: 'landingPage', options: ['embedded', 'playground'] },
];

const entries = new RegExp(`^graphql-functions/(?:${extensionOptions.map(({ entry }) => entry).join('|')})$`);

/** Makes extensions throw for unknown options in functions bundled by `dev` and `check`. */
export const extensionOptionsPlugin: Plugin = replaceEntries({ namespace: 'graphql-functions-options', filter: entries, contentsFor });

function contentsFor(path: string): string {
  const { maker, options } = extensionOptions.find(({ entry }) => path.endsWith(`/${entry}`))!;
  return `import * as real from '${path}';
    export * from '${path}';
    const known = ${JSON.stringify(options)};
    export function ${maker}(options, ...rest) {
      if (options !== undefined && (typeof options !== 'object' || options === null || Array.isArray(options)))
        throw new TypeError('Expected ${maker} to receive an object with its options, got ' + (options === null ? 'null' : typeof options) + '.');
      for (const name of Object.keys(options ?? {}))
        if (!known.includes(name)) throw new TypeError('Unknown option "' + name + '" of ${maker}. Known options: ' + known.join(', ') + '.');
      return real.${maker}(options, ...rest);
    }`;
}
