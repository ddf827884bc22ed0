import { createFormToken, readFormToken } from '../../lib/form-link.ts'

/** A transaction has one link as long as it exists: it opens nothing that a revoked one would have to hide. */
const version = 1

/** The beginning of a transaction as svc.show_transaction writes it. */
const awaiting =
  /^\{"transactionId":"([0-9a-f-]{36})","customerId":"[^"]*","quoteId":"[^"]*","transactionStatus":"AWAITING_TRANSFER"/

/**
 * Adds `transferLink` to the JSON of a transaction that awaits a transfer. The link is computed and never stored: the
 * database, its events and stored answers do not have it.
 */
export function createTransferLinks(key: Buffer, formsUrl: () => string): (shown: string) => string {
  return (shown) => {
    const transactionId = awaiting.exec(shown)?.[1]
    if (transactionId === undefined) return shown
    const link = `${formsUrl()}/pay/${createFormToken(key, 'pay', transactionId, version)}`
    return `${shown.slice(0, -1)},"transferLink":${JSON.stringify(link)}}`
  }
}

/** Reads the transaction that a link names; undefined for an invalid link. */
export function readTransferToken(key: Buffer, token: string): string | undefined {
  const read = readFormToken(key, 'pay', token)
  return read?.version === version ? read.subjectId : undefined
}
