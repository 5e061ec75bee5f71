/** The header in which a request names the test that sends it. */
export const testHeader = 'x-test';
