import type { HTTPRequest } from '../message/http-request.ts';
import { HeaderMap } from '../message/header-map.ts';
import type { HTTPResponse } from '../message/http-response.ts';
import type { LandingPage } from '../operation/plugin.ts';

/** Asks the first plugin that has a page for browsers, or ours. Set in development only: elsewhere there is nobody to ask. */
export interface LandingSettings {
  readonly renderLandingPage: (() => LandingPage | undefined | Promise<LandingPage | undefined>) | undefined;
}

/** Browser, in development? → the playground. Undefined: the request is an operation, or none. */
export async function landingPageFor(settings: LandingSettings, request: HTTPRequest): Promise<HTTPResponse | undefined> {
  if (settings.renderLandingPage === undefined || request.method !== 'GET' || !wantsHTML(request)) return undefined;
  const page = await settings.renderLandingPage();
  if (page === undefined) return undefined;
  const headers = new HeaderMap(page.headers);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('cache-control', 'no-store');
  return { status: 200, headers, body: typeof page.html === 'string' ? page.html : await page.html() };
}

/** A browser's navigation names text/html; clients of an API do not, and a wildcard is no wish for a page. */
function wantsHTML(request: HTTPRequest): boolean {
  return /(?:^|,)\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(request.headers.get('accept') ?? '');
}
