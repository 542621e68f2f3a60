import { HeaderMap } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import type { ArrivedCall } from '../call.ts';
import { uncacheable } from './cache-control.ts';
import { openedInBrowser } from './errors.ts';
import { negotiate } from './negotiation.ts';

/** The playground for a browser in development. Without it, a browser that opens the address gets an explanation in JSON, which is thrown. */
export function landingPage(call: ArrivedCall): Promise<HTTPResponse | undefined> | undefined {
  const { settings, request } = call;
  if (!wantsHTML(request)) return undefined;
  if (settings.renderLandingPage !== undefined) return renderPage(settings.renderLandingPage);
  if (request.queryString !== '') return undefined;
  negotiate(call);
  throw openedInBrowser();
}

async function renderPage(render: NonNullable<ArrivedCall['settings']['renderLandingPage']>): Promise<HTTPResponse | undefined> {
  const page = await render();
  if (page === undefined) return undefined;
  const headers = new HeaderMap(page.headers);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('cache-control', uncacheable);
  return { status: 200, headers, body: typeof page.html === 'string' ? page.html : await page.html() };
}

/** A browser's navigation names text/html; clients of an API send a wildcard at most. */
function wantsHTML(request: HTTPRequest): boolean {
  return /(?:^|,)\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(request.headers.get('accept') ?? '');
}
