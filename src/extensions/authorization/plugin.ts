import { Kind, parse } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import type { OperationExecution, ServerPlugin, ServerStartContext } from '../../server/index.ts';
import { isRecord, textOfRule } from '../../shared/index.ts';
import type { RightsFact, RightsRule } from '../../shared/index.ts';
import { Caller } from './caller.ts';
import type { Logger } from './caller.ts';
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
  const rights = new Rights(options as AuthorizationOptions);
  /** Undefined if the schema was not made from text. */
  let textHasRules: boolean | undefined;
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
    check({ schema, trustedDocuments, verbose }) {
      rights.assertRules(schema);
      return verbose === true ? rights.reportOn(schema, trustedDocuments()) : [];
    },
    start({ schema, nodeEnv, logger, facts }) {
      if (nodeEnv === 'development' || nodeEnv === 'test') rights.assertRules(schema);
      else if (!(textHasRules ?? rights.hasRules(schema))) logger.error(noRules);
      facts.set('rights', rights.factOf(schema));
    },
    admit: (execution) => rights.admit(execution),
  };
}

/** The rights in all schemas of the servers that have these options. */
class Rights {
  readonly #options: AuthorizationOptions;
  readonly #needs = new WeakMap<GraphQLSchema, Needs>();
  readonly #order = new WeakMap<GraphQLSchema, readonly RightsRule[]>();

  constructor(options: AuthorizationOptions) {
    this.#options = options;
  }

  admit(execution: OperationExecution): Promise<void> | undefined {
    const rules = this.#needsIn(execution.schema).of(execution);
    execution.facts.set('rights', rules);
    return rules.length === 0 ? undefined : this.#decide(execution, rules);
  }

  async #decide({ schema, contextValue, call }: OperationExecution, rules: readonly RightsRule[]): Promise<void> {
    const refusal = await this.#callerOf(contextValue, call.logger).refusalBy(rules, this.#orderIn(schema));
    if (refusal !== undefined) throw refusal;
  }

  factOf(schema: GraphQLSchema): RightsFact {
    const needsOf: RightsFact['needsOf'] = (document, operation) =>
      this.#needsIn(schema).of({ document, operation, variableValues: undefined });
    return {
      needsOf,
      callerOf: (contextValue, logger) => {
        const caller = this.#callerOf(contextValue, logger);
        return async (document, operation) => {
          let rules: readonly RightsRule[];
          try {
            rules = needsOf(document, operation);
          } catch (error) {
            logger.error('A rule of authorization() is wrong.', error);
            return false;
          }
          return (await caller.refusalBy(rules, this.#orderIn(schema))) === undefined;
        };
      },
    };
  }

  /** Throws for the first wrong rule, and for a schema without rules. */
  assertRules(schema: GraphQLSchema): void {
    const rules = this.#needsIn(schema).rules.inOrder(schema, (error) => {
      throw error;
    });
    if (rules.length === 0) throw new Error(noRules);
  }

  hasRules(schema: GraphQLSchema): boolean {
    let hasWrong = false;
    return this.#needsIn(schema).rules.inOrder(schema, () => (hasWrong = true)).length > 0 || hasWrong;
  }

  /** One sentence for each operation of a valid trusted document. */
  reportOn(schema: GraphQLSchema, documents: ReturnType<ServerStartContext['trustedDocuments']>): readonly string[] {
    const { needsOf } = this.factOf(schema);
    return documents.flatMap(([id, { document, errors }]) => {
      const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION && errors.length === 0);
      return operations.map((operation) => {
        const rules = needsOf(document, operation as OperationDefinitionNode);
        return `The trusted document ${id} needs ${rules.map(textOfRule).join(', ') || 'nothing'}.`;
      });
    });
  }

  #callerOf(contextValue: unknown, logger: Logger): Caller {
    return new Caller(this.#options, contextValue, logger);
  }

  #needsIn(schema: GraphQLSchema): Needs {
    let needs = this.#needs.get(schema);
    if (needs === undefined) this.#needs.set(schema, (needs = new Needs(schema, this.#options.policies ?? {})));
    return needs;
  }

  /** Returns a function that puts rules in the order of the schema. Finding it makes all types, so it is called for several policies alone. */
  #orderIn(schema: GraphQLSchema) {
    return (some: readonly RightsRule[]): readonly RightsRule[] => {
      let order = this.#order.get(schema);
      if (order === undefined) this.#order.set(schema, (order = this.#needsIn(schema).rules.inOrder(schema, () => {})));
      return order.filter((rule) => some.includes(rule));
    };
  }
}

const noRules =
  'authorization() has found no rule in the schema: no @authenticated, @requiresScopes or @policy, and no extensions.authorization. Transforms of a schema, printSchema and tools that merge it may lose them.';

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

/** Matches the characters that may stand between two tokens. */
const ignored = '(?:[\\s,\\uFEFF]|#.*)*';

/** A directive or an import of one in a text, or a name in a document as JSON. */
const directiveIn = /(?<!\bdirective\s*)(?:@\s*|"value":")\w*(?:authenticated|requiresScopes|policy)\b/;

function mayHaveRules(source: unknown): boolean {
  return directiveIn.test(typeof source === 'string' ? source : JSON.stringify(source));
}
