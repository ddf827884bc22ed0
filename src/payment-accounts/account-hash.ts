import { createHmac } from 'node:crypto'
import { type FiatRail, fiatCurrencies, isFiat } from '../catalog/currencies.ts'
import type { BankCoordinates, BankDetails } from './payment-account.ts'

/** Hashes with a key, because a plain hash of an account number can be guessed by trying all numbers. */
function hash(key: Buffer, parts: readonly unknown[]): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest()
}

/** Identifies a bank account by rail and coordinates. The BIC is left out, because it only repeats the bank. */
export function hashBankAccount(
  key: Buffer,
  { paymentMethod, coordinates }: Pick<BankDetails, 'paymentMethod' | 'coordinates'>,
): Buffer {
  const { bicSwift: _, ...account } = coordinates
  return hash(key, ['bank account', paymentMethod, ...Object.entries(account).sort()])
}

export function hashWallet(key: Buffer, wallet: { asset: string; address: string }): Buffer {
  return hash(key, ['wallet', wallet.asset, wallet.address])
}

/** Identifies a save of a hosted form: by the random key that its page made, with the link that it came through. */
export function hashSave(
  key: Buffer,
  { paymentAccountId, linkVersion }: { paymentAccountId: string; linkVersion: number },
  saveKey: string,
): Buffer {
  return hash(key, ['save', paymentAccountId, linkVersion, saveKey])
}

/** An account as a bank names it: by IBAN, or by a number and perhaps the code of its bank. */
export type NamedAccount = { currency: string; iban?: string; number?: string; bankId?: string }

const plain = (text: string) => text.replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase()

/** Writes an account number without leading zeros: some banks drop or add them. */
const withoutZeros = (number: string) => plain(number).replace(/^0+(?=.)/, '')

/** Identifies an account that receives for a customer, by its IBAN or number. */
export function hashReceiving(key: Buffer, currency: string, coordinates: BankCoordinates): Buffer | null {
  const { iban, accountNumber } = coordinates
  return hashNamed(key, {
    currency,
    ...(iban === undefined ? {} : { iban }),
    ...(accountNumber === undefined ? {} : { number: accountNumber }),
  })
}

/** Identifies an account that we have issued, by all coordinates but the BIC, as a payer names it. */
export function hashIssued(key: Buffer, currency: string, { bicSwift: _, ...coordinates }: BankCoordinates): Buffer {
  const { accountNumber } = coordinates
  const named = accountNumber === undefined ? {} : { accountNumber: withoutZeros(accountNumber) }
  return hash(key, ['issued account', currency, ...Object.entries({ ...coordinates, ...named }).sort()])
}

/** Computes the hash of the receiving account from a bank's message; null when it names no number. */
export function hashNamed(key: Buffer, { currency, iban, number }: NamedAccount): Buffer | null {
  const account = iban === undefined ? number && withoutZeros(number) : plain(iban)
  return account === undefined ? null : hash(key, ['receiving account', currency, account])
}

/** Computes the hashes that a registered account has, if a bank names it as the sender. */
export function hashSenders(key: Buffer, { currency, iban, number, bankId }: NamedAccount): Buffer[] {
  const rails: readonly FiatRail[] = isFiat(currency) ? fiatCurrencies[currency].rails : []
  const spellings: BankCoordinates[] = [
    ...(iban === undefined ? [] : [{ iban: plain(iban) }]),
    ...(number === undefined || bankId === undefined
      ? []
      : [
          { routingNumber: bankId, accountNumber: number },
          { ifscCode: bankId, accountNumber: number },
          { institutionNumber: bankId.slice(-8, -5), transitNumber: bankId.slice(-5), accountNumber: number },
        ]),
  ]
  return rails.flatMap((paymentMethod) =>
    spellings.map((coordinates) => hashBankAccount(key, { paymentMethod, coordinates })),
  )
}
