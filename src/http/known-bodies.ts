import { GraphQLError } from 'graphql';

import { RecentTexts } from '../message/recent-texts.ts';
import type { GraphQLRequest } from '../operation/types.ts';

/** The operations of a request: one, or several whose shapes are all known before any runs. */
export type ParsedRequest =
  | { readonly kind: 'single'; readonly request: GraphQLRequest }
  | { readonly kind: 'batch'; readonly elements: readonly (GraphQLRequest | GraphQLError)[] };

/** Characters of a body that is kept. All 64 together take half a megabyte at most, or one where they are not Latin. */
const maxLength = 4096;

interface KnownBody {
  readonly source: string;
  readonly parsed: ParsedRequest;
  readonly isShared: boolean;
}

/**
 * Bodies that came before, with what was read from them: clients send the same few texts again and again, and to parse one is a
 * tenth of the smallest operation. Only texts are kept, for they cannot be changed: no body with variables or extensions.
 */
export class KnownBodies {
  readonly #recent = new RecentTexts<KnownBody>();
  readonly #isSeen: boolean;

  /** `isSeen`: plugins, or the tools of development, see the requests. */
  constructor({ isSeen }: { readonly isSeen: boolean }) {
    this.#isSeen = isSeen;
  }

  /** The request is made anew for each where it is seen: a plugin that writes to one must not be read by the next user. */
  find(source: string): ParsedRequest | undefined {
    const known = this.#recent.get(source);
    if (known === undefined || known.isShared) return known?.parsed;
    return copyOfParsed(known.parsed);
  }

  keep(source: string, parsed: ParsedRequest): void {
    if (source.length > maxLength) return;
    const elements = parsed.kind === 'single' ? [parsed.request] : parsed.elements;
    if (!elements.every(isText)) return;
    const isShared = !this.#isSeen && elements.every(hasNoObjects);
    this.#recent.keep({ source, parsed: copyOfParsed(parsed), isShared });
  }
}

function copyOfParsed(parsed: ParsedRequest): ParsedRequest {
  if (parsed.kind === 'single') return { kind: 'single', request: copyOf(parsed.request) };
  return { kind: 'batch', elements: parsed.elements.map((element) => copyOf(element as GraphQLRequest)) };
}

function copyOf({ query, operationName, variables, extensions }: GraphQLRequest): GraphQLRequest {
  return { query, operationName, variables: variables && {}, extensions: extensions && {} };
}

/** True when texts are all there is of a request. */
function isText(element: GraphQLRequest | GraphQLError): element is GraphQLRequest {
  return (
    !(element instanceof GraphQLError) && element.documentId === undefined && isEmpty(element.variables) && isEmpty(element.extensions)
  );
}

/** Empty variables are handed on to the execution. */
function hasNoObjects({ variables, extensions }: GraphQLRequest): boolean {
  return variables === undefined && extensions === undefined;
}

function isEmpty(value: object | undefined): boolean {
  return value === undefined || Object.keys(value).length === 0;
}
