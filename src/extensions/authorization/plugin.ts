import { isSpecifiedScalarType, Kind, parse } from 'graphql';
import type { DefinitionNode, DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import type { ServerPlugin, ServerStartContext } from '../../server/index.ts';
import { isRecord, textOfRule } from '../../shared/index.ts';
import type { RightsFact, RightsRule } from '../../shared/index.ts';
import { createCaller } from './caller.ts';
import type { Caller } from './caller.ts';
import { Needs } from './needs.ts';
import { assertAuthorizationOptions } from './options.ts';
import type { AuthorizationOptions } from './options.ts';
import { definitions } from './rules.ts';
import type { Rules } from './rules.ts';

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
  const factOf = (schema: GraphQLSchema): RightsFact => {
    const needsOf: RightsFact['needsOf'] = (document, operation) => needsIn(schema).of({ document, operation, variableValues: undefined });
    const callerOf: RightsFact['callerOf'] = (contextValue, logger) => {
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
    };
    const rulesOf: RightsFact['rulesOf'] = (type, field) => needsIn(schema).ofField(needsIn(schema).typesOf(type), field).rules;
    return { needsOf, rulesOf, callerOf };
  };
  /** Undefined if the schema was not made from text. */
  let textHasRules: boolean | undefined;
  return {
    once: 'authorization()',
    // After limits().
    position: { admit: 'first' },
    schemaWillBuild({ typeDefs }) {
      const sources = [typeDefs].flat(Number.POSITIVE_INFINITY) as readonly unknown[];
      if (!sources.every((source) => typeof source === 'string' || isDocument(source))) return {};
      textHasRules = sources.some(mayHaveRules);
      return { typeDefs: [...sources, ...missingIn(sources)] };
    },
    check({ schema, trustedDocuments, verbose }) {
      assertRules(needsIn(schema).rules);
      return verbose === true ? reportOn(factOf(schema), trustedDocuments()) : [];
    },
    start({ schema, nodeEnv, logger, facts }) {
      const isStrict = nodeEnv === 'development' || nodeEnv === 'test';
      try {
        // In production, types are not made before they are needed.
        if (isStrict || textHasRules !== true) assertRules(needsIn(schema).rules);
      } catch (error) {
        if (isStrict) throw error;
        logger.error((error as Error).message);
      }
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

/** Throws for the first wrong rule, and for a schema without rules. */
function assertRules(rules: Rules): void {
  const found = rules.inOrder((error) => {
    throw error;
  });
  if (found.length === 0) throw new Error(noRules);
}

/** One sentence for each operation of a valid trusted document. */
function reportOn({ needsOf }: RightsFact, documents: ReturnType<ServerStartContext['trustedDocuments']>): readonly string[] {
  return documents.flatMap(([id, { document, errors }]) => {
    const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION && errors.length === 0);
    return (operations as OperationDefinitionNode[]).map((operation) => {
      const needed = needsOf(document, operation).map(textOfRule);
      return `${operation.name?.value ?? 'The operation'} of the trusted document ${id} needs ${needed.join(', ') || 'nothing'}.`;
    });
  });
}

const noRules =
  'authorization() has found no rule in the schema: no @authenticated, @requiresScopes or @policy, and no extensions.authorization. Transforms of a schema, printSchema and tools that merge it may lose them.';

function isDocument(source: unknown): source is DocumentNode {
  return isRecord(source) && source['kind'] === Kind.DOCUMENT;
}

/** The definitions of directives that sources lack. */
function missingIn(sources: readonly unknown[]): readonly string[] {
  const nodes = sources.flatMap(definitionsIn);
  nodes.forEach(assertKept);
  const known = new Set(nodes.map((node) => node.kind === Kind.DIRECTIVE_DEFINITION && node.name.value));
  return [...definitions].flatMap(([name, text]) => (known.has(name) ? [] : [text]));
}

/** The definitions in a source. A text is parsed only if they may matter: to parse 3,000 types takes a cold process 97 ms. */
function definitionsIn(source: unknown): readonly DefinitionNode[] {
  if (typeof source === 'string' && !mattering.test(source)) return [];
  try {
    return [...(typeof source === 'string' ? parse(source, { noLocation: true }) : (source as DocumentNode)).definitions];
  } catch {
    // The server says where the text is wrong.
    return [];
  }
}

/** Throws for a rule of a scalar that graphql-js has for all schemas, where no directive is kept. */
function assertKept(node: DefinitionNode): void {
  if (
    (node.kind !== Kind.SCALAR_TYPE_DEFINITION && node.kind !== Kind.SCALAR_TYPE_EXTENSION) ||
    !isSpecifiedScalarType({ name: node.name.value } as never)
  )
    return;
  const lost = node.directives?.find(({ name }) => name.value !== 'specifiedBy')?.name.value;
  const how = 'all schemas share it. Put rules on fields, or define a scalar of your own.';
  if (lost !== undefined) throw new Error(`Expected the built-in scalar ${node.name.value} without @${lost} in typeDefs, because ${how}`);
}

/** Matches the characters that may stand between two tokens. */
const ignored = '(?:[\\s,\\uFEFF]|#.*)*';

/** A definition of one of the directives, or a scalar of graphql-js with a directive. */
const mattering = new RegExp(
  `\\bdirective${ignored}@${ignored}(?:${[...definitions.keys()].join('|')})\\b|\\bscalar${ignored}(?:Int|Float|String|Boolean|ID)\\b${ignored}@`,
);

/** A directive or an import of one in a text, or a name in a document as JSON. */
const directiveIn = /(?<!\bdirective\s*)(?:@\s*|"value":")\w*(?:authenticated|requiresScopes|policy)\b/;

function mayHaveRules(source: unknown): boolean {
  return directiveIn.test(typeof source === 'string' ? source : JSON.stringify(source));
}
