import type { Plugin } from 'esbuild';

import { replaceEntries } from './intercept-entry.ts';

/** A function of an entry that takes an object of options. */
interface OptionsOf {
  readonly entry: string;
  readonly maker: string;
  readonly options: readonly string[];
}

/**
 * The options of the extensions. TypeScript refuses others; JavaScript passes them on, and nothing reads them. A check in an extension
 * would be in every bundle that imports it, so this table is compared with the extensions by a test.
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
  { entry: 'opentelemetry', maker: 'openTelemetry', options: ['tracerProvider', 'meterProvider', 'document', 'stages', 'flush'] },
  { entry: 'incremental', maker: 'incrementalDelivery', options: ['early', 'maxParts'] },
  { entry: 'landing-page', maker: 'landingPage', options: ['embedded'] },
];

const entries = new RegExp(`^graphql-functions/(?:${extensionOptions.map(({ entry }) => entry).join('|')})$`);

/** Refuses options that an extension does not have, where a function calls it. For `dev` and `check`, which bundle functions. */
export const extensionOptionsPlugin: Plugin = replaceEntries({ namespace: 'graphql-functions-options', filter: entries, contentsFor });

function contentsFor(path: string): string {
  const { maker, options } = extensionOptions.find(({ entry }) => path.endsWith(`/${entry}`))!;
  return `import * as real from '${path}';
    export * from '${path}';
    const known = ${JSON.stringify(options)};
    export function ${maker}(options, ...rest) {
      if (options !== undefined && (typeof options !== 'object' || options === null || Array.isArray(options)))
        throw new TypeError('Expected ${maker} to get an object with its options, got ' + (options === null ? 'null' : typeof options) + '.');
      for (const name of Object.keys(options ?? {}))
        if (!known.includes(name)) throw new TypeError('Unknown option "' + name + '" of ${maker}. Known options: ' + known.join(', ') + '.');
      return real.${maker}(options, ...rest);
    }`;
}
