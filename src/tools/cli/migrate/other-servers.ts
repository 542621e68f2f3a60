import type { Terminal } from '../project/paint.ts';

/** A file before and after. */
interface Texts {
  readonly before: string;
  readonly after: string;
}

/** Servers that cannot be migrated by changing imports alone, with advice. `modern`: packages that --modern replaces. */
const others: Readonly<Record<string, { readonly test: RegExp; readonly advice: string; readonly modern?: readonly string[] }>> = {
  'Apollo Server 4 or 5': {
    test: /['"](?:@apollo\/server|@as-integrations\/[\w-]+|@apollo\/datasource-rest)(?:\/[\w/]+)?['"]/,
    advice: 'migrate --modern converts handlers and data sources to this package, and lists what you have to change by hand',
    modern: ['@apollo/server', '@as-integrations/aws-lambda', '@as-integrations/next', '@apollo/datasource-rest'],
  },
  'GraphQL Yoga': {
    test: /['"]graphql-yoga['"]/,
    advice: 'migrate --modern converts it to createHandler if possible',
    modern: ['graphql-yoga'],
  },
  'graphql-http or express-graphql': {
    test: /['"](?:graphql-http(?:\/[\w/]+)?|express-graphql)['"]/,
    advice: 'its options are those of createHandler: see docs/migration-servers.md, "From graphql-http"',
  },
  Mercurius: { test: /['"]mercurius['"]/, advice: 'use createListener({ … }) as a route instead: see docs/platforms.md' },
};

/** Packages replaced by --modern that no file mentions any more. */
export function replacedBy(changes: readonly Texts[]): string[] {
  return Object.values(others)
    .flatMap(({ modern = [] }) => modern)
    .filter((name) => changes.some(({ before }) => namesPackage(before, name)) && !changes.some(({ after }) => namesPackage(after, name)));
}

function namesPackage(text: string, name: string): boolean {
  return [`'${name}'`, `"${name}"`, `'${name}/`, `"${name}/`].some((one) => text.includes(one));
}

/** Counts the files of other servers. With --modern, the servers that it replaces have separate findings. */
export function reportOtherServers(changes: readonly Texts[], isModern: boolean, terminal: Terminal): void {
  for (const [name, { test, advice, modern }] of Object.entries(others)) {
    const { length } = changes.filter(({ before }) => test.test(before));
    if (length > 0 && !(isModern && modern !== undefined))
      terminal.log(
        `${length} ${length === 1 ? 'file uses' : 'files use'} ${name} and ${length === 1 ? 'was' : 'were'} left unchanged: ${advice}.`,
      );
  }
}
