/** Names the tests that are skipped and what is missing. In CI that is an error. */
export const warnOfSkipping = (what: string, missing: string | undefined): void => {
  if (!missing) return;
  if (process.env.CI) throw new Error(missing);
  console.warn(`${what} not tested. ${missing}`);
};
