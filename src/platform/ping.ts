import { HeaderMap } from '../message/header-map.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';

/** A call that only keeps the function warm: answered as a health check, without a word. */
export const ping: PlatformAdapter<UnknownEvent, { statusCode: number }> = {
  name: 'warm-up ping',
  recognises: (event) => Object.keys(event).length === 0 || isWarmUp(event) || isSchedule(event),
  toRequest: () => ({ method: 'GET', path: '/health', queryString: '', headers: new HeaderMap(), body: { kind: 'none' } }),
  toResult: (response) => ({ statusCode: response.status }),
};

/** What serverless-plugin-warmup, lambda-warmer and hand-made warmers send. */
function isWarmUp(event: UnknownEvent): boolean {
  return event['source'] === 'serverless-plugin-warmup' || event['warmer'] === true || event['warmup'] === true || event['ping'] === true;
}

/** EventBridge rules and Netlify's scheduled functions. */
function isSchedule(event: UnknownEvent): boolean {
  return event['detail-type'] === 'Scheduled Event' || (Object.keys(event).length === 1 && 'next_run' in event);
}
