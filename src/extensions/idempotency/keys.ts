import { visit } from 'graphql';
import type { DirectiveNode, FieldNode, GraphQLError } from 'graphql';

import { rootSelections, sha256, sortedJSON } from '../../shared/index.ts';
import type { NeedsKey } from '../../shared/index.ts';
import type { OperationExecution } from '../../server/index.ts';
import type { IdempotencyOptions } from './options.ts';
import { refusalFor } from './refusals.ts';

/** The key of an operation. */
export interface FoundKey {
  readonly key: string;
  /** True for a key in the header, which belongs to all elements of a batch; false for one in the document. */
  readonly isInHeader: boolean;
}

/** The key of a mutation; undefined if it has none. Throws if the key is malformed, or missing though it is required. */
export function findKey({ bareKeys = false, required = false }: IdempotencyOptions, execution: OperationExecution): FoundKey | undefined {
  const header = execution.call.request.headers.get('idempotency-key') ?? undefined;
  // Most documents do not contain the name, and need no visit.
  const directive = execution.source.includes('idempotent') ? directiveWithKey(execution) : undefined;
  if (header !== undefined && directive !== undefined) throw invalidKey('the header Idempotency-Key or @idempotent, got both');
  if (header !== undefined) return { key: parseHeader(header, bareKeys), isInHeader: true };
  if (directive !== undefined) return { key: readKey(directive, execution), isInHeader: false };
  if (isRequired(required, execution)) throw refusalFor('IDEMPOTENCY_KEY_REQUIRED');
  return undefined;
}

function isRequired(required: boolean | readonly string[], mutation: Parameters<NeedsKey>[0]): boolean {
  return typeof required === 'boolean' ? required : rootFields(mutation).some(({ name }) => required.includes(name.value));
}

export function needsKeyWith({ required = false }: IdempotencyOptions): NeedsKey {
  return (mutation) => (countDirectives(mutation) > 0 ? undefined : isRequired(required, mutation));
}

/** The argument of `@idempotent`, which may be a variable. Throws if it is no key. */
function readKey(directive: DirectiveNode, { variableValues }: OperationExecution): string {
  const value = directive.arguments?.find(({ name }) => name.value === 'key')?.value;
  const key = value?.kind === 'Variable' ? variableValues[value.name.value] : value?.kind === 'StringValue' && value.value;
  if (typeof key !== 'string' || !plainKey.test(key)) throw invalidKey(`@idempotent with a key of ${characters}`);
  return key;
}

function invalidKey(expected: string): GraphQLError {
  return refusalFor('IDEMPOTENCY_KEY_INVALID', { message: `Expected ${expected}.` });
}

/** The maximum length of a key, the same as Stripe's. */
const maxLength = 255;
const characters = '1 to 255 characters of printable ASCII';
const plainKey = /^[ -~]{1,255}$/;

/**
 * An Item of RFC 9651 (section 3.3.3) whose value is a String. It may have parameters (section 3.1.2), of which the draft defines none.
 * Two lines of the field are joined by a comma, and so are no Item.
 */
const quotedKey =
  /^ *"((?:[ !#-[\]-~]|\\["\\]){1,510})"(?:; *[a-z*][\w.*-]*(?:=(?:%?"(?:[ !#-[\]-~]|\\["\\])*"|[\w:+/=.*?@!#$%&'^`|~-]+))?)* *$/;
const bareKey = /^ *([!#-+./0-:<-~-]{1,255}) *$/;

function parseHeader(value: string, bareKeys: boolean): string {
  const quoted = value.length <= 1000 ? quotedKey.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1') : undefined;
  const key = quoted ?? (bareKeys ? bareKey.exec(value)?.[1] : undefined);
  if (key !== undefined && key.length <= maxLength) return key;
  throw invalidKey(`one Idempotency-Key of ${characters}${bareKeys ? '' : ' in quotation marks'}`);
}

/** The directive `@idempotent`. Throws if it is on anything but the only root field. */
function directiveWithKey(execution: OperationExecution): DirectiveNode | undefined {
  const count = countDirectives(execution);
  if (count === 0) return undefined;
  const [field, other] = rootFields(execution);
  const directive = field?.directives?.find(({ name }) => name.value === 'idempotent');
  if (other !== undefined || directive === undefined || count > 1)
    throw invalidKey('@idempotent on the only root field of the mutation, or the header Idempotency-Key');
  return directive;
}

/** Counts `@idempotent` in the operation and in fragments. Other operations of the document do not count. */
function countDirectives({ document, operation }: Parameters<NeedsKey>[0]): number {
  let count = 0;
  const countOne = ({ name }: DirectiveNode): void => {
    if (name.value === 'idempotent') count++;
  };
  for (const one of document.definitions) if (one === operation || one.kind === 'FragmentDefinition') visit(one, { Directive: countOne });
  return count;
}

/** Returns the root fields, including fields of fragments and fields that `@skip` leaves out, without `__typename`. */
export function rootFields({ document, operation }: Parameters<NeedsKey>[0]): readonly FieldNode[] {
  const all = rootSelections(document, operation);
  return all.filter((selection) => selection.kind === 'Field').filter(({ name }) => !name.value.startsWith('__'));
}

/** Returns the id of a record. It is a hash, so that separators cannot be forged, and neither identity nor key is readable. */
export function recordId(prefix: string, named: readonly [identity: string, key: string, position: number]): string {
  return prefix + sha256(JSON.stringify(named));
}

/** The hash of a request, equal for every attempt, because a retry sends the same text and variables. Aliases count, because a stored answer has them. */
export function fingerprintOf({ source, request }: OperationExecution): string {
  const { operationName = null, variables = {}, onError = null } = request;
  return sha256(sortedJSON([source, operationName, variables, onError]));
}
