import { pathInPart } from './parts.ts';
import { startProgram } from './program.ts';
import type { Program } from './program.ts';
import { startRuntimeAPI } from './runtime-api.ts';
import type { InvokeOptions, Outcome, Timeout } from './runtime-api.ts';

/** A function deployed to the tests' sandbox, in which AWS's runtime client runs it. */
export interface LambdaFunction {
  /** The error with which its init failed, after which it answers nothing. */
  readonly initError: Outcome | undefined;
  invoke(event: unknown, options?: InvokeOptions): Promise<Outcome>;
  /** The largest number of invocations that it has handled at the same time. */
  mostAtOnce(): number;
  /** The text that it has written to its log stream. */
  log(): string;
  end(): Promise<void>;
}

export interface Deployment {
  /** The folder of the deployment package. */
  readonly taskRoot: string;
  /** The handler in the function's configuration, such as "graphql.default". */
  readonly handler: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds. Default: 10,000. */
  readonly timeout?: Timeout;
  /** Stop the process between invocations, as the platform does. Default: false. */
  readonly freezes?: boolean;
}

/** Starts AWS's runtime client with the function, and waits until its init is over. */
export async function deploy(deployment: Deployment): Promise<LambdaFunction> {
  let client: Program | undefined;
  const { timeout = 10_000, freezes = false } = deployment;
  const api = await startRuntimeAPI(
    {
      freeze: () => freezes && client?.signal('SIGSTOP'),
      thaw: () => freezes && client?.signal('SIGCONT'),
      kill: () => client?.signal('SIGKILL'),
    },
    timeout,
  );
  // The flags of AWS's images. Without them a bundle could pass here and fail on the platform.
  const flags = ['--no-experimental-require-module', '--no-experimental-detect-module'];
  client = startProgram(process.execPath, [...flags, pathInPart('aws-lambda-ric', 'aws-lambda-ric/index.mjs'), deployment.handler], {
    cwd: deployment.taskRoot,
    env: environmentOf(deployment, api.address),
  });
  const { exited, output, end } = client;
  const ended = exited.then(({ code, signal }) =>
    api.sandboxEnded(`Runtime exited with ${code === null ? `signal: ${signal}` : `error: exit status ${code}`}`),
  );

  return {
    initError: await api.init,
    invoke: (event, options) => api.invoke(event, options),
    mostAtOnce: () => api.mostAtOnce(),
    log: output,
    end: async () => {
      await Promise.all([end(), ended]);
      api.close();
    },
  };
}

/** Only the variables that the platform sets, because the function must not depend on the environment of this process. */
function environmentOf({ taskRoot, handler, environment }: Deployment, address: string): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    AWS_REGION: 'eu-central-1',
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${process.versions.node.split('.')[0]}.x`,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_FUNCTION_NAME: 'graphql',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/graphql',
    AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/20/[$LATEST]00000000000000000000000000000000',
    LAMBDA_TASK_ROOT: taskRoot,
    _HANDLER: handler,
    ...environment,
    AWS_LAMBDA_RUNTIME_API: address,
  };
}
