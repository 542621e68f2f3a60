import { budget } from '../../../../src/entries/budget.ts';
import { authorization } from '../../../../src/entries/authorization.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import { limits } from '../../../../src/entries/limits.ts';
import { mcp } from '../../../../src/entries/mcp.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import { createRandom } from '../../../support/random.ts';
import { policies } from '../rights/model.ts';
import type { Model } from '../rights/model.ts';
import type { Caller } from '../rights/reference.ts';
import { createResolvers } from '../rights/serving.ts';
import { writeSchema } from '../rights/text.ts';

/** Mistakes on demand, each of which the attack must find. */
export const holes = ['nothing is hidden', 'rights are not asked', 'every document runs', 'points are taken twice'] as const;

export type Hole = (typeof holes)[number];

/** What a call of a tool did. */
export interface Effects {
  /** The places of the resolvers that ran. */
  readonly calls: string[];
  claims: number;
  readonly asked: string[];
  points: number;
  /** True if the points did not suffice. */
  isBroke: boolean;
}

/** An answer of a tool. */
export interface Told {
  readonly status: number;
  /** The whole response, without ids of log entries. */
  readonly text: string;
  readonly isError: boolean;
  readonly content?: any;
}

/** A function that agents explore. */
export interface Explored {
  readonly typeDefs: string;
  readonly enter: (caller: Caller) => Effects;
  readonly call: (tool: 'run_query' | 'search_schema', given: object) => Promise<Told>;
}

interface Body {
  readonly result?: { readonly isError?: true; readonly structuredContent?: unknown };
  /** Of GraphQL, for a hole. */
  readonly data?: unknown;
}

/** A field of queries with input objects. */
export const finds =
  '{ "Finds texts." find(by: In, all: [In!]): [String] } input In { text: String kind: E0 sort: Sort } enum Sort { TITLE }';

export const definition =
  'directive @internal on OBJECT | INTERFACE | UNION | ENUM | SCALAR | INPUT_OBJECT | FIELD_DEFINITION | ARGUMENT_DEFINITION | ENUM_VALUE | INPUT_FIELD_DEFINITION';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** `seed`: the same schema for the same seed. `edit` adds what is hidden to its text. Undefined: nothing is hidden. */
export function serve(model: Model, seed: number, edit?: (typeDefs: string) => string, hole?: Hole): Explored {
  const query = model.roots.query;
  const visible = `${writeSchema(model, createRandom(seed), false).typeDefs}
    extend type ${query} ${finds}`;
  const typeDefs = edit === undefined ? visible : edit(visible);
  let caller: Caller = { scopes: undefined, policies: new Map() };
  let effects: Effects = { calls: [], claims: 0, asked: [], points: 0, isBroke: false };
  const resolvers = createResolvers(model, createRandom(seed + 1), (_info, place) => void effects.calls.push(place));
  resolvers[query]!['find'] = () => void effects.calls.push(`${query}.find`);
  for (const type of typeDefs.includes('type Hidden') ? [query, 'T0', 'Hidden'] : [])
    for (const field of ['secretTitle', 'hidden'])
      (resolvers[type] ??= {})[field] = () => {
        effects.calls.push(`${type}.${field}`);
        return field === 'hidden' ? { id: '1' } : 'text';
      };
  const rights = authorization({
    claims: () => {
      effects.claims++;
      return caller.scopes;
    },
    policies: Object.fromEntries(
      policies.map((name) => [
        name,
        () => {
          effects.asked.push(name);
          const answer = caller.policies.get(name);
          if (answer instanceof Error) throw answer;
          return answer as boolean;
        },
      ]),
    ),
  });
  const hides = edit !== undefined && hole !== 'nothing is hidden';
  const points = budget({
    identity: () => 'agent',
    capacity: 1e12,
    refillPerSecond: 1e6,
    whenStoreFails: 'refuse',
    store: {
      take: (_id, { cost }) => {
        const isTaken = cost <= 300;
        if (isTaken) effects.points += hole === 'points are taken twice' ? 2 * cost : cost;
        else effects.isBroke = true;
        return Promise.resolve({ isTaken, untilFull: isTaken ? cost : 1e12 });
      },
    },
  });
  const options = {
    nodeEnv: 'production',
    logger: silent,
    introspection: true,
    typeDefs,
    resolvers,
    trustedDocuments: { documents: {}, only: hole !== 'every document runs' },
    context: () => ({}),
    plugins: [
      mcp({ name: 'api', version: '1', explore: hides ? { hide: 'internal' } : true }),
      ...(hole === 'rights are not asked' ? [] : [rights]),
      limits({ maxCost: 1e12 }),
      points,
    ],
  };
  const handler = createHandler((model.style === 'link' ? subgraph(options as never) : options) as never) as unknown as (
    event: Request,
    context: object,
  ) => Promise<Response>;
  return {
    typeDefs,
    enter(next) {
      caller = next;
      effects = { calls: [], claims: 0, asked: [], points: 0, isBroke: false };
      return effects;
    },
    async call(tool, given) {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: given } };
      const isGraphQL = hole === 'every document runs' && tool === 'run_query';
      const response = await handler(
        new Request(`https://api.example/${isGraphQL ? '' : 'mcp'}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(isGraphQL ? given : message),
        }),
        {},
      );
      const { status, headers } = response;
      const body = await response.text();
      const { data, result = { structuredContent: { data } } } = status === 200 ? (JSON.parse(body) as Body) : {};
      return {
        status,
        text: [status, headers.get('www-authenticate'), body.replaceAll(/\\?"error(Id|Hash)\\?":\\?"\w+\\?"/g, '')].join(' '),
        isError: status !== 200 || result.isError === true,
        content: result.structuredContent,
      };
    },
  };
}
