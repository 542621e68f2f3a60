import type { GraphQLSchema } from 'graphql';

import type { RESTPlugin } from '../../../extensions/rest/index.ts';
import { createServer } from '../../../server/for-tools.ts';
import type { OperationSettings } from '../../../server/for-tools.ts';
import type { CheckedDocuments, ServerOptions, ServerStartContext } from '../../../server/index.ts';
import { assertSynchronous, isRecord, messageOf } from '../../../shared/index.ts';
import { findOptionProblems, findProblems, findText, placeOf, placeOfOption, placeOfResolver } from '../../checks/for-cli.ts';
import type { Place, Problem } from '../../checks/for-cli.ts';
import { workerEnvironment } from '../../testing/index.ts';
import type { RecordedServer } from '../project/observe-handlers.ts';

/** The result of checking a server. */
export interface CheckedServer {
  readonly problems: readonly Problem[];
  /** Messages that do not fail the check. */
  readonly notices?: readonly string[];
  /** The schema; undefined if the server would not start. */
  readonly schema?: GraphQLSchema;
  /** The schema for trusted documents, with the directives that plugins declare. Undefined if there are none. */
  readonly documentSchema?: GraphQLSchema | undefined;
  readonly options?: ServerOptions;
  /** Writes the OpenAPI document of `rest()`; undefined without that plugin. */
  readonly describeRoutes?: (() => string) | undefined;
}

/** Finds the problems of a server: first those that keep it from starting, then those that only show in its schema. */
export async function checkServer({ source, place }: RecordedServer, verbose: boolean): Promise<CheckedServer> {
  let options: ServerOptions | undefined;
  try {
    options = await (typeof source === 'function' ? source({ env: workerEnvironment(process.cwd()) }) : source);
    // Checks the whole schema, even if the options set another nodeEnv.
    const { operation } = createServer(isRecord(options) ? { ...options, nodeEnv: 'test' } : options).http;
    return {
      ...checkStarted(options, operation, { call: place, verbose }),
      schema: operation.schema,
      documentSchema: operation.trustedDocuments?.schema(),
      options,
      describeRoutes: describerOf(operation),
    };
  } catch (error) {
    // The function of options may have thrown.
    const call = options === undefined && typeof source === 'function' ? placeOf(error) : undefined;
    return { problems: findProblems({ options, error, call: call ?? place }) };
  }
}

function describerOf({ schema, plugins, trustedDocuments, logger }: OperationSettings): CheckedServer['describeRoutes'] {
  const plugin = plugins.find((one) => one.once === 'rest()') as RESTPlugin | undefined;
  if (plugin === undefined) return undefined;
  return () => {
    const facts: ServerStartContext['facts'] = new Map();
    // Only the plugins that know the rights and keys of routes are started here.
    for (const one of plugins)
      if (/^(?:authorization|idempotency)\(/.test(one.once ?? ''))
        void one.start?.({ schema, facts, logger, nodeEnv: 'test' } as ServerStartContext);
    return plugin.describe({ schema, facts, trustedDocuments: () => trustedDocuments?.entries() ?? [] });
  };
}

/** Finds names that the schema does not have, trusted documents that are not valid for it, and the problems that plugins report. */
function checkStarted(
  options: ServerOptions,
  { schema, plugins, trustedDocuments }: OperationSettings,
  { call, verbose }: { readonly call: Place | undefined; readonly verbose: boolean },
): CheckedServer {
  const documents = trustedDocuments?.entries() ?? [];
  const notices: string[] = [];
  const inOptions = findOptionProblems(options, schema).map(({ path: [option, ...keys], message }) => {
    const resolver = option === 'resolvers' ? placeOfResolver(options.resolvers, keys) : undefined;
    return { ...(resolver ?? placeOfOption(option ?? '', call)), message };
  });
  const facts: ServerStartContext['facts'] = new Map();
  const ordered = plugins.toSorted((one, other) => Number('doors' in one) - Number('doors' in other));
  const inPlugins = ordered.flatMap((plugin) => {
    try {
      notices.push(
        ...(assertSynchronous(plugin.check?.({ schema, facts, trustedDocuments: () => documents, verbose }), 'check of a plugin') ?? []),
      );
      return [];
    } catch (error) {
      return { ...(placeOfDocument(documents, error) ?? placeOfOption('plugins', call)), message: messageOf(error) };
    }
  });
  return {
    problems: [...inOptions, ...inPlugins, ...findInvalidDocuments(documents, placeOfOption('trustedDocuments', call))],
    notices,
  };
}

/** Returns the place of the document that a plugin's error names: in the file of the document, or in the manifest. */
function placeOfDocument(documents: CheckedDocuments, error: unknown): Place | undefined {
  const { documentId } = (error ?? {}) as { readonly documentId?: unknown };
  const [, named] = documents.find(([id]) => id === documentId) ?? [];
  return named && (findText(named.text, 0) ?? findText(JSON.stringify(named.text), 0));
}

/** Trusted documents that are not valid for the schema: in their JSON file, or at the option. */
function findInvalidDocuments(documents: CheckedDocuments, option: Place | undefined): Problem[] {
  return documents.flatMap(([id, { text, errors }]) => {
    const [error] = errors;
    if (error === undefined) return [];
    return { ...(findText(JSON.stringify(text), 0) ?? option), message: `The trusted document ${id} is invalid: ${error.message}` };
  });
}
