/**
 * Says which tests are skipped for want of what. In CI nothing may be missing, so there it is a
 * fault.
 */
export const warnOfSkipping = (what: string, missing: string | undefined): void => {
  if (!missing) return;
  if (process.env.CI) throw new Error(missing);
  console.warn(`${what} not tested. ${missing}`);
};
