/** What AWS Lambda takes as the result of a call, measured with its runtime client: 6 MiB and 100 bytes. */
export const lambdaResultBytes = 6_291_556;
/** What an Application Load Balancer takes from a function. */
export const albResultBytes = 1_048_576;
