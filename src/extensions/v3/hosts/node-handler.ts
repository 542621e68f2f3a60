import type { IncomingMessage, ServerResponse } from 'node:http';

import { createHandlerFor } from '../../../handler/handler.ts';
import type { HTTPResponse } from '../../../message/http-messages.ts';
import { nodeHTTP } from '../../../platform/node.ts';
import type { NodeExchange } from '../../../platform/node.ts';
import type { Serving } from '../http/serve.ts';
import { lineOptions } from '../server/serving.ts';
import type { HandlerSettings } from '../server/config.ts';

/** The argument of the context function on hosts that call with a request and a response: the host's own, with all that it put there. */
export interface NodeContextFunctionParams {
  // Any: each host and its middleware hang what they know on these two, as `req.user` and `res.cookie`.
  req: any;
  res: any;
}

/** Answers a request of node:http, or one of a host that hands over such requests. Resolves when the answer has been sent. */
export type NodeHandler = (req: any, res: any) => Promise<void>;

/** The handler of a server for such hosts. */
export function createNodeHandler(settings: HandlerSettings, serving: Serving): NodeHandler {
  const serve = createHandlerFor([host], lineOptions(settings, serving));
  return async (request: IncomingMessage, response: ServerResponse) => {
    const work: Promise<unknown>[] = [];
    try {
      await serve({ request, response }, { waitUntil: (one: Promise<unknown>) => work.push(one) });
    } catch (error) {
      // No answer can be sent any more. An uncaught error would end the process, and every other request with it.
      settings.logger.error('A response could not be sent. Its connection is closed.', error);
      response.destroy();
    }
    // Some of these hosts freeze the process when the handler has ended.
    await Promise.allSettled(work);
  };
}

/** Middleware of the host may have set Vary before. */
const host: typeof nodeHTTP = {
  ...nodeHTTP,
  toResult(answer: HTTPResponse, exchange: NodeExchange): Promise<void> | undefined {
    const before = exchange.response.getHeader('vary');
    if (before !== undefined) {
      const own = answer.headers.get('vary');
      answer.headers.set('vary', [before, own ?? []].flat().join(', '));
    }
    return nodeHTTP.toResult(answer, exchange);
  },
};
