export { answerSizeOf, capacityOf, excessOf } from './answer-size.ts';
export type { AnswerSize, Capacity, ResultLimit } from './answer-size.ts';
export { canonicalJSON, sortedJSON } from './canonical-json.ts';
export { byteLength } from './byte-length.ts';
export { readEnvironment, readProcess } from './environment.ts';
export { getOrCreate } from './get-or-create.ts';
export { asWritten, bindTo, counted, cut, describe, messageOf, withoutStacks } from './describe.ts';
export { didYouMean, listOf } from './did-you-mean.ts';
export { aFunction, anything, assertEntries, boolean, hasMethods, isListOfText, keyValueCache, positive, text } from './known-options.ts';
export type { Expectation } from './known-options.ts';
export { assertSynchronous, isPromiseLike, toPromise, waitAtMost } from './promise-or-value.ts';
export type { PromiseOrValue } from './promise-or-value.ts';
export { parseExactly } from './exact-json.ts';
export { originalOf, rememberOriginal, textOfRule } from './facts.ts';
export type { AnswerDecision, BudgetReport, Facts, LimitsFact, NeedsKey, RightsFact, RightsRule, RunDecision } from './facts.ts';
export { errorHashOf, rememberErrorHash, rootCause } from './error-hashes.ts';
export { guardLogger } from './guard-logger.ts';

export { HeaderMap, addVary, isHeaderField } from './header-map.ts';
export { mayBeStored, removeLifetimes } from './lifetimes.ts';
export { concatenate } from './http-messages.ts';
export type { ChunkStream, HTTPRequest, HTTPRequestBody, HTTPResponse, ResponseHead, StreamedResponse } from './http-messages.ts';
export type { ExecutionInvocation, Invocation, Milliseconds, OperationInvocation, Until } from './invocation.ts';
export {
  markAsCopied,
  copyErrorForOperation,
  copyErrorsForOperation,
  copyFormattedError,
  copyMutableParts,
  withCopiedExtensions,
} from './copied-errors.ts';
export { copyOfJSON, deepCopyOf, isObjectLike, isPlainObject, isRecord, shallowCopyOf, valueAt } from './plain-object.ts';
export { isGraphQLError } from './is-graphql-error.ts';
export { escapeControls, printable } from './log-text.ts';
export { reasonPhrases } from './reason-phrases.ts';
export { bearerChallenge, isScope } from './scope.ts';
export { fragmentsOf, rootSelections } from './selections.ts';
export { sha256 } from './sha256.ts';
export { textOfUTF8 } from './utf8.ts';
export { listenedChannel, traceMixed } from './tracing-channels.ts';
export type { ChannelName, TracingChannel } from './tracing-channels.ts';
