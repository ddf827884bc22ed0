import { createHmac } from 'node:crypto'
import type { EntryDetail } from '../formats.ts'
import { findMessages } from './message.ts'
import type { Match } from './sameness.ts'

/**
 * Keyed hashes of the payer's account, the payer's name, the text and the virtual account that received the money; null
 * where a message does not tell it. The transfer messages in a text stand for it: banks add words of their own.
 */
export type Traits = [account: Buffer | null, name: Buffer | null, text: Buffer | null, virtualAccount: Buffer | null]

export const noTraits: Traits = [null, null, null, null]

/**
 * Hashes what messages tell about a transaction beside its ids. Case and spacing do not count: they differ by format.
 * `virtualAccountIds`: the virtual accounts of customers that the transactions name.
 */
export function hashTraits(
  key: Buffer,
  bankAccountId: string,
  details: readonly EntryDetail[],
  virtualAccountIds: readonly (string | undefined)[],
): Traits {
  const hash = (kind: string, texts: readonly string[]) => {
    const plain = texts.map((text) =>
      text
        .normalize('NFKC')
        .toUpperCase()
        .replace(/[^\p{L}\p{N}]+/gu, ''),
    )
    if (plain.length === 0 || plain.some((text) => text === '')) return null
    return createHmac('sha256', key)
      .update(JSON.stringify(['trait', bankAccountId, kind, plain]))
      .digest()
  }
  const accounts = details.map(({ counterparty: { account } }) => account?.iban ?? account?.number ?? '')
  const names = details.map(({ counterparty }) => counterparty.name ?? '')
  const texts = details.map((detail) => findMessages(detail).join('') || detail.remittance.join(''))
  const virtualAccounts = virtualAccountIds.map((id) => id ?? '')
  return [hash('account', accounts), hash('name', names), hash('text', texts), hash('virtual account', virtualAccounts)]
}

export type TraitMatches = { payer: Match; text: Match; virtualAccount: Match }

/** Compares two tellings. A payer is the same by account or name: a bank may write an account in two ways. */
export function compareTraits(one: Traits, other: Traits): TraitMatches {
  const [account, name, text, virtualAccount] = one.map((trait, at) => matchOf(trait, other[at] ?? null))
  const payer = [account, name].includes('SAME') ? 'SAME' : (account ?? name ?? null)
  return { payer, text: text ?? null, virtualAccount: virtualAccount ?? null }
}

function matchOf(one: Buffer | null, other: Buffer | null): Match {
  if (one === null || other === null) return null
  return one.equals(other) ? 'SAME' : 'OTHER'
}
