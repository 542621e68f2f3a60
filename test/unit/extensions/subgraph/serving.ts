import { createHandler } from '../../../../src/entries/fetch.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import type { SubgraphOptions } from '../../../../src/entries/subgraph.ts';

export interface Answer {
  readonly data?: any;
  readonly errors?: readonly { readonly message: string; readonly path?: readonly unknown[]; readonly extensions?: any }[];
  readonly extensions?: any;
}

export const silent = { debug: (): void => {}, info: (): void => {}, warn: (): void => {}, error: (): void => {} };

/** Sends operations to a subgraph as a router does. Errors are not masked. */
export function serveSubgraph(
  options: SubgraphOptions<any, any, any, any, any>,
): (query: string, variables?: object, headers?: Readonly<Record<string, string>>, rest?: object) => Promise<Answer> {
  const handler = createHandler(subgraph({ logger: silent, nodeEnv: 'test', maskErrors: false, ...options }));
  return async (query, variables, headers, rest) => {
    const response = await handler(
      new Request('https://subgraph.test/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables, ...rest }),
      }),
    );
    return (await response.json()) as Answer;
  };
}

/** The link of a schema to federation. */
export function linkTo(version: string, ...imports: readonly string[]): string {
  return `extend schema @link(url: "https://specs.apollo.dev/federation/${version}", import: ${JSON.stringify(imports)})\n`;
}

/** An operation that asks for entities, with these selections. */
export function entitiesQuery(...selections: readonly string[]): string {
  return `query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename ${selections.join(' ')} } }`;
}
