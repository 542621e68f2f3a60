import { Kind, print } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';

import type { ServerPlugin, ServerStartContext } from '../../server/index.ts';
import { isRecord, textOfRule } from '../../shared/index.ts';
import type { RightsFact, RightsRule } from '../../shared/index.ts';
import { createCaller } from './caller.ts';
import type { Caller } from './caller.ts';
import { Needs } from './needs.ts';
import { assertAuthorizationOptions } from './options.ts';
import type { AuthorizationOptions } from './options.ts';
import { definitions } from './rules.ts';

/**
 * Refuses operations for which the caller lacks a right, before anything runs: by the directives `@authenticated`, `@requiresScopes` and
 * `@policy` of types and fields, or their `extensions.authorization`. Adds the definitions of the directives to `typeDefs`.
 * A rule is `salaries: [Int] @requiresScopes(scopes: [["read:salaries"]])`.
 *
 * @example
 * export default createHandler({
 *   typeDefs, resolvers, context,
 *   plugins: [authorization({ claims: ({ context }) => context.user?.scopes })],
 * });
 */
export function authorization<TContext = any>(options: AuthorizationOptions<TContext>): ServerPlugin {
  assertAuthorizationOptions(options as AuthorizationOptions);
  const inSchemas = new WeakMap<GraphQLSchema, Needs>();
  const needsIn = (schema: GraphQLSchema): Needs => {
    let needs = inSchemas.get(schema);
    if (needs === undefined) inSchemas.set(schema, (needs = new Needs(schema, options.policies ?? {})));
    return needs;
  };
  const factOf = (schema: GraphQLSchema): RightsFact => ({
    needsOf: (document, operation) => needsIn(schema).of({ document, operation, variableValues: undefined }),
    rulesOf: (type, field) => needsIn(schema).rulesOf(needsIn(schema).typesOf(type), field),
    callerOf: (contextValue, logger) => {
      const refusalBy = createCaller(options, contextValue, logger);
      return async (read) => {
        let rules: readonly RightsRule[];
        try {
          rules = read();
        } catch (error) {
          logger.error('A rule of authorization() is wrong.', error);
          return false;
        }
        return (await refusalBy(rules, needsIn(schema).rules)) === undefined;
      };
    },
  });
  /** Undefined if the schema was not made from text. */
  let textHasRules: boolean | undefined;
  return {
    once: 'authorization()',
    // After limits().
    position: { admit: 'first' },
    schemaWillBuild({ typeDefs }) {
      const sources = [typeDefs].flat(Number.POSITIVE_INFINITY) as readonly (string | DocumentNode)[];
      if (!sources.every((source) => typeof source === 'string' || (isRecord(source) && source['kind'] === Kind.DOCUMENT))) return {};
      const text = sources.map((source) => (typeof source === 'string' ? source : print(source))).join('\n');
      textHasRules = directiveIn.test(text);
      return { typeDefs: [...sources, ...missingIn(text.replaceAll(ignored, ' '))] };
    },
    check({ schema, trustedDocuments, verbose }) {
      const [error] = needsIn(schema).rules.inOrder().errors;
      if (error !== undefined) throw error;
      return verbose === true ? reportOn(factOf(schema), trustedDocuments()) : [];
    },
    start({ schema, nodeEnv, logger, facts }) {
      const isStrict = nodeEnv === 'development' || nodeEnv === 'test';
      // In production, types are not made before they are needed.
      const [error] = isStrict || textHasRules !== true ? needsIn(schema).rules.inOrder().errors : [];
      if (error !== undefined && isStrict) throw error;
      if (error !== undefined) logger.error((error as Error).message);
      facts.set('rights', factOf(schema));
    },
    admit(execution) {
      const needs = needsIn(execution.schema);
      const rules = needs.of(execution);
      execution.facts.set('rights', rules);
      return rules.length === 0 ? undefined : decide(createCaller(options, execution.contextValue, execution.call.logger), rules, needs);
    },
  };
}

async function decide(refusalBy: Caller, needed: readonly RightsRule[], { rules }: Needs): Promise<void> {
  const refusal = await refusalBy(needed, rules);
  if (refusal !== undefined) throw refusal;
}

/** One sentence for each operation of a valid trusted document. */
function reportOn({ needsOf }: RightsFact, documents: ReturnType<ServerStartContext['trustedDocuments']>): readonly string[] {
  return documents.flatMap(([id, { document, errors }]) =>
    (errors.length > 0 ? [] : document.definitions).flatMap((node) => {
      if (node.kind !== Kind.OPERATION_DEFINITION) return [];
      const needed = needsOf(document, node).map(textOfRule).join(', ') || 'nothing';
      return `${node.name?.value ?? 'The operation'} of the trusted document ${id} needs ${needed}.`;
    }),
  );
}

/** The definitions that a text lacks. Throws for a rule of a scalar that graphql-js has for all schemas, where no directive is kept. */
function missingIn(text: string): readonly string[] {
  const [, scalar, lost] =
    /\bscalar[\s,]+(Int|Float|String|Boolean|ID)(?:[\s,]*@[\s,]*specifiedBy\b[^)]*\))?[\s,]*@[\s,]*(?!specifiedBy\b)(\w+)/.exec(text) ?? [];
  const how = 'all schemas share it. Put rules on fields, or define a scalar of your own.';
  if (scalar !== undefined) throw new Error(`Expected the built-in scalar ${scalar} without @${lost} in typeDefs, because ${how}`);
  return [...definitions].flatMap(([name, definition]) =>
    new RegExp(`\\bdirective[\\s,]*@[\\s,]*${name}\\b`).test(text) ? [] : [definition],
  );
}

/** Matches strings and comments. */
const ignored = /"""(?:\\"""|[^])*?"""|"(?:\\.|[^"\\\n])*"|#.*/g;

/** A directive or an import of one. */
const directiveIn = /(?<!\bdirective\s*)@\s*\w*(?:authenticated|requiresScopes|policy)\b/;
