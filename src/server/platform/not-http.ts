import { objectAt, textAt } from './event-fields.ts';
import type { UnknownEvent } from './adapter.ts';

/**
 * The name of a known source other than HTTP, else undefined. For such an event the invocation must fail, because a result would
 * acknowledge a message that was never read.
 */
export function nameOfNonHTTPEvent(event: object): string | undefined {
  if (Array.isArray(event)) return nameOfList(event);
  const object = event as UnknownEvent;
  return nameOfRecords(object) ?? nameOfGatewayEvent(object) ?? nameOfServiceEvent(object);
}

/** The source of a list: a pipe sends a list of messages, AppSync a batch of calls. */
function nameOfList([first]: readonly unknown[]): string | undefined {
  if (typeof first !== 'object' || first === null) return undefined;
  if ('fieldName' in objectAt(first as UnknownEvent, 'info')) return 'AppSync';
  return recordSources[textAt(first as UnknownEvent, 'eventSource')];
}

function nameOfRecords(event: UnknownEvent): string | undefined {
  const records = event['Records'];
  if (!Array.isArray(records)) return undefined;
  const [first] = records as unknown[];
  if (typeof first !== 'object' || first === null) return 'a list of records';
  if ('cf' in first) return 'Lambda@Edge (CloudFront)';
  const source = textAt(first as UnknownEvent, 'eventSource') || textAt(first as UnknownEvent, 'EventSource');
  return recordSources[source] ?? 'a list of records';
}

const recordSources: Readonly<Record<string, string>> = {
  'aws:sqs': 'SQS',
  'aws:sns': 'SNS',
  'aws:s3': 'S3',
  'aws:ses': 'SES',
  'aws:kinesis': 'Kinesis',
  'aws:dynamodb': 'DynamoDB Streams',
  'aws:codecommit': 'CodeCommit',
};

/** The name of an event of API Gateway or AppSync that is not an HTTP request: some have the keys of one. */
export function nameOfGatewayEvent(event: UnknownEvent): string | undefined {
  const requestContext = objectAt(event, 'requestContext');
  if ('connectionId' in requestContext) return 'API Gateway WebSocket';
  if ('methodArn' in event || 'routeArn' in event) return 'a Lambda authorizer';
  if ('info' in event && 'fieldName' in objectAt(event, 'info')) return 'AppSync';
  return undefined;
}

function nameOfServiceEvent(event: UnknownEvent): string | undefined {
  if ('triggerSource' in event && 'userPoolId' in event) return 'Cognito';
  if ('awslogs' in event) return 'CloudWatch Logs';
  if ('detail-type' in event && event['detail-type'] !== 'Scheduled Event') return 'EventBridge';
  if ('deliveryStreamArn' in event) return 'Firehose';
  if ('invocationSchemaVersion' in event && 'tasks' in event) return 'S3 Batch Operations';
  const source = textAt(event, 'eventSource');
  if (source === 'aws:docdb') return 'DocumentDB';
  if (source === 'aws:kafka' || source === 'SelfManagedKafka') return 'Kafka';
  return source === 'aws:rmq' || source === 'aws:mq' ? 'Amazon MQ' : undefined;
}
