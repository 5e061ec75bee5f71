/**
 * For child processes: what counts as coverage is what the tests' own functions do, and writing it
 * takes time.
 */
export const childEnvironment = (): NodeJS.ProcessEnv => {
  const { NODE_V8_COVERAGE: _, ...environment } = process.env;
  return environment;
};
