import type { IncomingMessage, ServerResponse } from 'node:http';

import { createHandlerFor } from '../../../handler/handler.ts';
import { nodeHTTP } from '../../../platform/node.ts';
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
  const serve = createHandlerFor([nodeHTTP], lineOptions(settings, serving));
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
