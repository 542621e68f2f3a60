import type { GraphQLSchema } from 'graphql';

import { findOptionProblems } from '../../checks/option-check.ts';
import type { OptionProblem } from '../../checks/option-check.ts';
import { messageOf } from '../../../shared/index.ts';
import { assertOptions, entriesOf } from '../../../server/for-tools.ts';
import type { ServerOptions } from '../../../server/index.ts';
import { codeFrame, positionAt } from '../project/problem.ts';
import type { Problem } from '../project/problem.ts';
import type { RecordedServer } from '../project/recorded-servers.ts';
import { foreignOption } from './foreign-options.ts';
import { findInSchema } from './schema-findings.ts';
import { findInvalidDocuments, findManifestProblems } from './trusted-documents.ts';
import type { Finding } from './parse-tolerantly.ts';
import type { FoundPlace, SourceSearch } from '../project/source-search.ts';
import { placeOf, toPlace } from '../project/user-code.ts';

/** The result of checking a server. */
export interface CheckedServer {
  readonly problems: readonly Problem[];
  /** What does not fail the check. */
  readonly notices?: readonly string[];
  /** Undefined when the server has problems. */
  readonly schema?: GraphQLSchema;
  readonly options?: ServerOptions;
}

/** Finds all problems in the options, schema and resolvers of a server; without problems, returns its schema as clients see it. */
export async function checkServer(server: RecordedServer, search: SourceSearch): Promise<CheckedServer> {
  const call = toPlace(server.place);
  try {
    const options = await (typeof server.source === 'function' ? server.source() : server.source);
    const problems = findProblems(options, call, search);
    if (problems.length > 0) return { problems };
    // Some mistakes show only in the whole schema.
    if (server.refusal !== undefined) return { problems: toProblems(server.refusal, call) };
    const { seen, served } = await server.schemas();
    const plugins = checkPlugins(options, served);
    const found = placeProblems([...problemsInSchema(options, seen), ...plugins.problems], { call, search });
    const place = placeOfOption('trustedDocuments', call, search);
    const invalid = findInvalidDocuments(options, seen, search).map((problem) => ({ ...place, ...problem }));
    return {
      problems: [...found, ...invalid],
      notices: plugins.notices,
      schema: seen,
      options,
    };
  } catch (error) {
    return { problems: toProblems(error, toPlace(placeOf(error)) ?? call) };
  }
}

/** Finds all problems in the options of a createHandler call at this place. */
export function findProblems(options: ServerOptions, call: FoundPlace | undefined, search: SourceSearch): Problem[] {
  const wrong = wrongOptions(options, call, search);
  const manifests = wrong.length > 0 ? [] : findManifestProblems(options, placeOfOption('trustedDocuments', call, search), search);
  return [...wrong, ...manifests, ...wrongSchema(options, call, search)];
}

function placeOfOption(name: string, call: FoundPlace | undefined, search: SourceSearch): FoundPlace | undefined {
  return call && (search.findKey([name], call) ?? call);
}

function wrongOptions(options: unknown, call: FoundPlace | undefined, search: SourceSearch): Problem[] {
  const isList = typeof options !== 'object' || options === null || Array.isArray(options);
  // Checked one by one, because the server stops at the first error.
  const parts = isList ? [options] : Object.entries(options).map(([name, value]) => ({ [name]: value }));
  return parts.flatMap((part) => {
    try {
      assertOptions(part);
      return [];
    } catch (error) {
      const [name = ''] = isList ? [] : Object.keys(part as object);
      return { ...placeOfOption(name, call, search), message: foreignOption(name) ?? (error as Error).message };
    }
  });
}

/** Names in options that the schema does not have. */
function problemsInSchema(options: ServerOptions, schema: GraphQLSchema): OptionProblem[] {
  // A schema built in code has functions, which introspection does not show.
  return findOptionProblems(options, options.schema ?? schema);
}

function placeProblems(
  problems: readonly OptionProblem[],
  { call, search }: { readonly call: FoundPlace | undefined; readonly search: SourceSearch },
): Problem[] {
  return problems.map(({ path: [option = '', ...keys], message }) => {
    const place = (keys.length > 0 ? search.findKey(keys.slice(-2)) : undefined) ?? (call && search.findKey([option], call));
    return { ...call, ...place, message };
  });
}

/** What plugins find in the schema and the trusted documents. */
function checkPlugins(
  options: ServerOptions,
  schema: GraphQLSchema,
): { readonly problems: readonly OptionProblem[]; readonly notices: readonly string[] } {
  const { plugins = [], trustedDocuments } = options;
  const context = {
    schema,
    trustedDocuments: () => (trustedDocuments === undefined ? [] : entriesOf(trustedDocuments.documents)),
  };
  const problems: OptionProblem[] = [];
  const notices: string[] = [];
  for (const plugin of plugins) {
    try {
      notices.push(...(plugin.check?.(context) ?? []));
    } catch (error) {
      problems.push({ path: ['plugins'], message: messageOf(error) });
    }
  }
  return { problems, notices };
}

function wrongSchema(options: ServerOptions, call: FoundPlace | undefined, search: SourceSearch): Problem[] {
  if (typeof options !== 'object' || options === null || options.schema !== undefined || options.typeDefs === undefined) return [];
  return placeFindings(findInSchema(options.typeDefs, options.resolvers), call, search);
}

function placeFindings(findings: readonly Finding[], call: FoundPlace | undefined, search: SourceSearch): Problem[] {
  return findings.map((finding) => {
    const place = placeOfFinding(finding, search);
    if (place !== undefined) return { ...place, message: finding.message };
    return { ...call, message: `${finding.message}${textFrame(finding)}` };
  });
}

function placeOfFinding({ sdl, resolver }: Finding, search: SourceSearch): FoundPlace | undefined {
  if (sdl !== undefined) return search.findText(sdl.text, sdl.offset);
  return resolver && (search.findKey(resolver) ?? search.findKey(resolver.slice(0, 1)));
}

/** The lines of schema text that is not in a file. */
function textFrame({ sdl }: Finding): string {
  return sdl === undefined ? '' : `\n\n${codeFrame(sdl.text, positionAt(sdl.text, sdl.offset))}`;
}

/** graphql-js joins all problems of a schema in one error, separated by blank lines. */
function toProblems(error: unknown, place: FoundPlace | undefined): Problem[] {
  const message = messageOf(error);
  const messages = /^typeDefs and resolvers|two copies/.test(message) ? [message] : message.split('\n\n');
  return messages.map((one) => ({ ...place, message: one }));
}
