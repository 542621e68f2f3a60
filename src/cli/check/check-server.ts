import { parse, validate } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { findOptionProblems } from '../../development/option-check.ts';
import type { OptionProblem } from '../../development/option-check.ts';
import { messageOf } from '../../message/describe.ts';
import { entriesOf } from '../../operation/documents/trusted-documents.ts';
import { assertOptions } from '../../server/options.ts';
import type { ServerOptions } from '../../server/options.ts';
import { codeFrame, positionAt } from '../project/problem.ts';
import { textsOfBuild } from '../project/build-sources.ts';
import type { Problem } from '../project/problem.ts';
import { progress } from '../project/progress.ts';
import type { RecordedServer } from '../project/recorded-servers.ts';
import { foreignOption } from './foreign-options.ts';
import { findInSchema } from './schema-findings.ts';
import type { Finding } from './parse-tolerantly.ts';
import type { FoundPlace, SourceSearch } from '../project/source-search.ts';
import { placeOf, toPlace } from '../project/user-code.ts';

/** The outcome of checking a server. */
export interface CheckedServer {
  readonly problems: readonly Problem[];
  /** Of a sound server. */
  readonly schema?: GraphQLSchema;
  /** The options that it was made with. */
  readonly options?: ServerOptions;
}

/** Everything that is wrong with the options, schema and resolvers of a server; else its schema, as clients see it. */
export async function checkServer(server: RecordedServer, search: SourceSearch): Promise<CheckedServer> {
  const call = toPlace(server.place);
  try {
    const options = await (typeof server.source === 'function' ? server.source() : server.source);
    const problems = findProblems(options, call, search);
    if (problems.length > 0) return { problems };
    // Some mistakes show in the whole schema only, and not in its pieces.
    if (server.refusal !== undefined) return { problems: toProblems(server.refusal, call) };
    progress.step('asking for the schema');
    const schema = await server.schema();
    return { problems: wrongForSchema(options, schema, { call, search }), schema, options };
  } catch (error) {
    return { problems: toProblems(error, toPlace(placeOf(error)) ?? call) };
  }
}

/** Everything that is wrong with options that createHandler is called with at this place. */
export function findProblems(options: ServerOptions, call: FoundPlace | undefined, search: SourceSearch): Problem[] {
  return [...wrongOptions(options, call, search), ...wrongSchema(options, call, search)];
}

function wrongOptions(options: unknown, call: FoundPlace | undefined, search: SourceSearch): Problem[] {
  const isList = typeof options !== 'object' || options === null || Array.isArray(options);
  // One by one, for the server stops at the first.
  const parts = isList ? [options] : Object.entries(options).map(([name, value]) => ({ [name]: value }));
  return parts.flatMap((part) => {
    try {
      assertOptions(part);
      return [];
    } catch (error) {
      const [name = ''] = isList ? [] : Object.keys(part as object);
      return { ...call, ...(call && search.findKey([name], call)), message: foreignOption(name) ?? (error as Error).message };
    }
  });
}

/** What only the schema shows: names in options that it does not have. */
function wrongForSchema(
  options: ServerOptions,
  schema: GraphQLSchema,
  { call, search }: { readonly call: FoundPlace | undefined; readonly search: SourceSearch },
): Problem[] {
  // A schema made in code has functions that its description has not.
  const found = [...findOptionProblems(options, options.schema ?? schema), ...invalidDocuments(options, schema)];
  return found.map(({ path: [option = '', ...keys], message }) => {
    const place = (keys.length > 0 ? search.findKey(keys.slice(-2)) : undefined) ?? (call && search.findKey([option], call));
    return { ...call, ...place, message };
  });
}

/** Trusted documents that no client can run: they are of another version of the schema. */
function invalidDocuments({ trustedDocuments }: ServerOptions, schema: GraphQLSchema): OptionProblem[] {
  if (trustedDocuments === undefined) return [];
  progress.step('validating the trusted documents');
  return entriesOf(trustedDocuments.documents).flatMap(([id, text]) => {
    const message = whyInvalid(text, schema);
    return message === undefined ? [] : { path: ['trustedDocuments'], message: `The trusted document ${id} is refused: ${message}` };
  });
}

function whyInvalid(text: string, schema: GraphQLSchema): string | undefined {
  try {
    return validate(schema, parse(text))[0]?.message;
  } catch (error) {
    return messageOf(error);
  }
}

function wrongSchema(options: ServerOptions, call: FoundPlace | undefined, search: SourceSearch): Problem[] {
  if (typeof options !== 'object' || options === null || options.schema !== undefined) return [];
  const typeDefs = options.typeDefs ?? textsOfBuild(options);
  if (typeDefs === undefined) return [];
  progress.step('checking every definition');
  return findInSchema(typeDefs, options.resolvers).map((finding) => {
    const place = placeOfFinding(finding, search);
    if (place !== undefined) return { ...place, message: finding.message };
    return { ...call, message: `${finding.message}${textFrame(finding)}` };
  });
}

function placeOfFinding({ sdl, resolver }: Finding, search: SourceSearch): FoundPlace | undefined {
  if (sdl !== undefined) return search.findText(sdl.text, sdl.offset);
  return resolver && (search.findKey(resolver) ?? search.findKey(resolver.slice(0, 1)));
}

/** Of schema text that stands in no file, the lines themselves. */
function textFrame({ sdl }: Finding): string {
  return sdl === undefined ? '' : `\n\n${codeFrame(sdl.text, positionAt(sdl.text, sdl.offset))}`;
}

/** graphql-js says all that is wrong with a schema in one error, with blank lines between. */
function toProblems(error: unknown, place: FoundPlace | undefined): Problem[] {
  const message = messageOf(error);
  const messages = /^typeDefs and resolvers|two copies/.test(message) ? [message] : message.split('\n\n');
  return messages.map((one) => ({ ...place, message: one }));
}
