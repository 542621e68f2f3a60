import type { WebContestant } from '../event.ts';
import { create as createBare } from './bare.ts';

export const create: WebContestant = (input) => {
  const handle = createBare(input);
  return async (request) => {
    const { body } = await handle({ body: await request.text() }, {});
    const response = new Response(body, { headers: { 'content-type': 'application/json' } });
    return { statusCode: 200, body: await response.text() };
  };
};
