import { randomUUID } from 'node:crypto';

/** The second argument of a Lambda handler. Its deadline is as many milliseconds from now as the function may take. */
export function createLambdaContext(name: string, timeout: number = defaultTimeout): object {
  const deadline = Date.now() + timeout;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:eu-central-1:123456789012:function:${name}`,
    memoryLimitInMB: '1024',
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: '2026/01/01/[$LATEST]0123456789abcdef0123456789abcdef',
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

/** Milliseconds after which API Gateway gives up. */
const defaultTimeout = 29_000;
