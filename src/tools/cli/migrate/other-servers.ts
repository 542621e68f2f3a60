import type { Terminal } from '../project/paint.ts';

/** Servers that cannot be migrated by changing imports alone, with advice. */
const others: Readonly<Record<string, { readonly test: RegExp; readonly advice: string }>> = {
  'Apollo Server 4 or 5': {
    test: /['"](?:@apollo\/server|@as-integrations\/[\w-]+|@apollo\/datasource-rest)(?:\/[\w/]+)?['"]/,
    advice: 'see docs/migration-servers.md, "From Apollo Server 4 and 5"',
  },
  'GraphQL Yoga': {
    test: /['"]graphql-yoga['"]/,
    advice: 'see docs/migration-servers.md, "From GraphQL Yoga"',
  },
  'graphql-http or express-graphql': {
    test: /['"](?:graphql-http(?:\/[\w/]+)?|express-graphql)['"]/,
    advice: 'its options are those of createHandler: see docs/migration-servers.md, "From graphql-http"',
  },
  Mercurius: { test: /['"]mercurius['"]/, advice: 'use createListener({ … }) as a route instead: see docs/platforms.md' },
};

/** Counts the files that use other servers. */
export function reportOtherServers(texts: readonly string[], terminal: Terminal): void {
  for (const [name, { test, advice }] of Object.entries(others)) {
    const { length } = texts.filter((text) => test.test(text));
    if (length > 0)
      terminal.log(
        `${length} ${length === 1 ? 'file uses' : 'files use'} ${name} and ${length === 1 ? 'was' : 'were'} left unchanged: ${advice}.`,
      );
  }
}
