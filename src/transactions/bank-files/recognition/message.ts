import { findTransferMessages } from '../../deposits/transfer-message.ts'
import type { EntryDetail } from '../formats.ts'

/** The texts of a transaction that a payer can write a transfer message into. */
export function textsOf({ remittance, creditorReferences, references }: EntryDetail): string[] {
  return [...remittance, ...creditorReferences, references.endToEndId ?? '', references.instructionId ?? '']
}

/** Finds the transfer messages in each of the texts, and in all of them joined: banks break long texts into lines. */
export function findMessages(detail: EntryDetail): string[] {
  const texts = textsOf(detail)
  return [...new Set([...texts, texts.join('')].flatMap(findTransferMessages))]
}
