import type { ArrivedCall } from '../call.ts';
import { negotiateMediaType } from './accept.ts';
import type { ResponseMediaType } from './accept.ts';
import { toSingleResponse } from './response.ts';
import type { Negotiation } from './streams/streaming.ts';

/** The form of the answer, from Accept. Platforms that can stream have more forms. Throws 406 if the client accepts none. */
export function negotiate({ settings, request, streaming }: ArrivedCall): Negotiation {
  const accept = request.headers.get('accept');
  return streaming === undefined ? wholeAnswers[negotiateMediaType(accept)] : streaming.negotiate(accept, settings.multipart);
}

const wholeAnswers: Readonly<Record<ResponseMediaType, Negotiation>> = {
  'application/json': wholeAnswer('application/json'),
  'application/graphql-response+json': wholeAnswer('application/graphql-response+json'),
};

function wholeAnswer(mediaType: ResponseMediaType): Negotiation {
  return { mediaType, delivery: undefined, toResponse: (settings, outcome) => toSingleResponse(settings, outcome, mediaType) };
}
