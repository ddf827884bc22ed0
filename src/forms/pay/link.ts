import { createFormToken, readFormToken } from '../../lib/form-link.ts'

/** The beginning of a transaction as svc.show_transaction writes it. Ids have the same length. */
const [anId, idStart] = ['0'.repeat(36), '{"transactionId":"'.length]
const statusStart = `{"transactionId":"${anId}","customerId":"${anId}","quoteId":"${anId}",`.length

/**
 * Adds `transferLink` to the JSON of a transaction that awaits a transfer. The link is computed and never stored: the
 * database, its events and stored answers do not have it. A higher version revokes it.
 */
export function createTransferLinks(key: Buffer, formsUrl: () => string): (shown: string, version: number) => string {
  return (shown, version) => {
    if (!shown.startsWith('"transactionStatus":"AWAITING_TRANSFER"', statusStart)) return shown
    const transactionId = shown.slice(idStart, idStart + anId.length)
    const link = `${formsUrl()}/pay/${createFormToken(key, 'pay', transactionId, version)}`
    return `${shown.slice(0, -1)},"transferLink":${JSON.stringify(link)}}`
  }
}

/** A transaction, and the version of its link. */
export type NamedLink = { transactionId: string; linkVersion: number }

/** Reads the transaction that a link names; undefined for an invalid link. */
export function readTransferToken(key: Buffer, token: string): NamedLink | undefined {
  const read = readFormToken(key, 'pay', token)
  return read && { transactionId: read.subjectId, linkVersion: read.version }
}
