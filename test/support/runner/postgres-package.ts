/** The PostgreSQL that `npm run test:postgres` has fetched; undefined runs the tests on the one that Svc ships. */
export const packageFolder = process.env.TEST_POSTGRES_PACKAGE
