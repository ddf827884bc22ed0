/** Describes an error as the problem of one request: it must not keep the signer from the others. */
export function describeFailure(error: unknown): string {
  return `the signer failed: ${error instanceof Error ? error.message : String(error)}`.slice(0, 200)
}
