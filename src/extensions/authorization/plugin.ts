import { Kind, parse } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';

import type { ServerPlugin } from '../../server/index.ts';
import { isRecord } from '../../shared/index.ts';
import type { RightsFact, RightsRule } from '../../shared/index.ts';
import { Caller } from './caller.ts';
import { Needs } from './needs.ts';
import { assertAuthorizationOptions } from './options.ts';
import type { AuthorizationOptions } from './options.ts';
import { definitions } from './rules.ts';

/**
 * Refuses operations for which the caller lacks a right, before anything runs: by the directives `@authenticated`, `@requiresScopes` and
 * `@policy` of types and fields, or their `extensions.authorization`. Adds the definitions of the directives to `typeDefs`.
 *
 * @example
 * export default createHandler({
 *   typeDefs: 'type Query { books: [String] salaries: [Int] @requiresScopes(scopes: [["read:salaries"]]) }',
 *   resolvers, context,
 *   plugins: [authorization({ claims: ({ context }) => context.user?.scopes })],
 * });
 */
export function authorization<TContext = any>(given: AuthorizationOptions<TContext>): ServerPlugin {
  assertAuthorizationOptions(given as AuthorizationOptions);
  const options = given as AuthorizationOptions;
  const { policies = {} } = options;
  const known = new WeakMap<GraphQLSchema, Needs>();
  const needsIn = (schema: GraphQLSchema): Needs => {
    let needs = known.get(schema);
    if (needs === undefined) known.set(schema, (needs = new Needs(schema, policies)));
    return needs;
  };
  const orders = new WeakMap<GraphQLSchema, readonly RightsRule[]>();
  const inOrderOf = (schema: GraphQLSchema) => (some: readonly RightsRule[]) => {
    let order = orders.get(schema);
    if (order === undefined) orders.set(schema, (order = needsIn(schema).rules.inOrder(schema, () => {})));
    return order.filter((rule) => some.includes(rule));
  };
  /** Undefined: the schema was not made from text. */
  let textHasRules: boolean | undefined;
  const check = ({ schema }: { readonly schema: GraphQLSchema }): void => {
    const rules = needsIn(schema).rules.inOrder(schema, (error) => {
      throw error;
    });
    if (rules.length === 0) throw new Error(noRules);
  };
  return {
    once: 'authorization()',
    // After limits().
    position: { admit: 'first' },
    schemaWillBuild({ typeDefs }) {
      const sources = [typeDefs].flat(Number.POSITIVE_INFINITY) as readonly unknown[];
      if (!sources.every((source) => typeof source === 'string' || isDocument(source))) return {};
      const added = [...definitions].flatMap(([name, text]) => (sources.some((source) => defines(source, name)) ? [] : [text]));
      textHasRules = sources.some(mayHaveRules);
      return { typeDefs: [...sources, ...added] };
    },
    check,
    start({ schema, nodeEnv, logger, facts }) {
      if (nodeEnv === 'development' || nodeEnv === 'test') check({ schema });
      else if (!(textHasRules ?? hasRules(needsIn(schema)))) logger.error(noRules);
      facts.set('rights', {
        needsOf: (document, operation) => needsIn(schema).of({ document, operation, variableValues: undefined }),
        callerOf: (contextValue, log) => {
          const caller = new Caller(options, contextValue, log);
          return async (rules) => (await caller.refusalBy(rules, inOrderOf(schema))) === undefined;
        },
      } satisfies RightsFact);
    },
    admit(execution) {
      const rules = needsIn(execution.schema).of(execution);
      execution.facts.set('rights', rules);
      return rules.length === 0 ? undefined : decide(execution, rules);
    },
  };

  async function decide({ schema, contextValue, call }: Parameters<NonNullable<ServerPlugin['admit']>>[0], rules: readonly RightsRule[]) {
    const refusal = await new Caller(options, contextValue, call.logger).refusalBy(rules, inOrderOf(schema));
    if (refusal !== undefined) throw refusal;
  }
}

const noRules =
  'authorization() has found no rule in the schema: no @authenticated, @requiresScopes or @policy, and no extensions.authorization. Transforms of a schema, printSchema and tools that merge it may lose them.';

function hasRules({ schema, rules }: Needs): boolean {
  let hasWrong = false;
  return rules.inOrder(schema, () => (hasWrong = true)).length > 0 || hasWrong;
}

function isDocument(source: unknown): source is DocumentNode {
  return isRecord(source) && source['kind'] === Kind.DOCUMENT;
}

/** Texts are parsed only if they may define the directive: to parse 3,000 types takes a cold process 97 ms. */
function defines(source: unknown, name: string): boolean {
  if (typeof source === 'string' && !new RegExp(`\\bdirective${ignored}@${ignored}${name}\\b`).test(source)) return false;
  try {
    const { definitions: all } = typeof source === 'string' ? parse(source, { noLocation: true }) : (source as DocumentNode);
    return all.some((node) => node.kind === Kind.DIRECTIVE_DEFINITION && node.name.value === name);
  } catch {
    // The server says where the text is wrong.
    return false;
  }
}

/** What may be between two tokens. */
const ignored = '(?:[\\s,\\uFEFF]|#.*)*';

/** A directive or an import of one in a text, or a name in a document as JSON. */
const directiveIn = /(?<!\bdirective\s*)(?:@\s*|"value":")\w*(?:authenticated|requiresScopes|policy)\b/;

function mayHaveRules(source: unknown): boolean {
  return directiveIn.test(typeof source === 'string' ? source : JSON.stringify(source));
}
