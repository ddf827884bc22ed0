/** `npm test` runs the short form of each fault test, `npm run test:faults` the long one. */
export const isLongForm = process.env.SVC_TEST_FORM === 'long'

/** How many rounds, kills or days a fault test goes through. */
export function rounds({ short, long }: { short: number; long: number }): number {
  return isLongForm ? long : short
}
