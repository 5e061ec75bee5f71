import { ServiceError } from '../server/json-server.ts';

/** The codes of errors in the query protocol where they are not the name with a prefix. */
const queryCodes: Readonly<Record<string, string>> = {
  InvalidParameterValueException: 'InvalidParameterValue',
  MissingRequiredParameterException: 'MissingParameter',
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  QueueNameExists: 'QueueAlreadyExists',
};
const withoutPrefix =
  /^(InvalidAddress|InvalidMessageContents|ReceiptHandleIsInvalid|ResourceNotFoundException)$/;

/** An error of SQS, by its name in the JSON protocol. */
export const sqsError = (code: string, message: string, status = 400): ServiceError => {
  const own = withoutPrefix.test(code) ? code : `AWS.SimpleQueueService.${code}`;
  return new ServiceError(code, message, { status, queryCode: queryCodes[code] ?? own });
};

/** The error that SQS returns for most limits. */
export const invalidValue = (message: string): ServiceError =>
  sqsError('InvalidParameterValueException', message);

/** The same, of one parameter. */
export const invalidParameter = (name: string, value: unknown, reason: string): ServiceError =>
  invalidValue(`Value ${value} for parameter ${name} is invalid. Reason: ${reason}`);

/** @throws ServiceError for a parameter that is absent, empty or no text */
export const required = (name: string, value: unknown): string => {
  if (value && typeof value === 'string') return value;
  const message = `The request must contain the parameter ${name}.`;
  throw sqsError('MissingRequiredParameterException', message);
};

/** @throws ServiceError unless the number is an integer between these */
export const inRange = (name: string, value: number, minimum: number, maximum: number): number => {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw invalidParameter(name, value, `Must be between ${minimum} and ${maximum}, if provided.`);
};
