import { Logger } from '@aws-lambda-powertools/logger';

/** Writes lines of JSON. The stack sets POWERTOOLS_SERVICE_NAME. */
export const logger = new Logger();
