import { createHmac } from 'node:crypto'
import type { BankDetails } from './payment-account.ts'

/** Hashes with a key, because a plain hash of an account number can be guessed by trying all numbers. */
function hash(key: Buffer, parts: readonly unknown[]): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest()
}

/** Identifies a bank account by rail and coordinates. The BIC is left out, because it only repeats the bank. */
export function hashBankAccount(key: Buffer, { paymentMethod, coordinates }: BankDetails): Buffer {
  const { bicSwift: _, ...account } = coordinates
  return hash(key, ['bank account', paymentMethod, ...Object.entries(account).sort()])
}

export function hashWallet(key: Buffer, wallet: { asset: string; address: string }): Buffer {
  return hash(key, ['wallet', wallet.asset, wallet.address])
}
