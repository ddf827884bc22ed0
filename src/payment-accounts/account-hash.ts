import { createHmac } from 'node:crypto'
import type { BankDetails } from './payment-account.ts'

/** A plain hash of an account number can be guessed by trying them all, so this one needs a key. */
function hash(key: Buffer, parts: readonly unknown[]): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest()
}

/** The same account over another rail is another payment account; a BIC only says again where the account is. */
export function hashBankAccount(key: Buffer, { paymentMethod, coordinates }: BankDetails): Buffer {
  const { bicSwift: _, ...account } = coordinates
  return hash(key, ['bank account', paymentMethod, ...Object.entries(account).sort()])
}

export function hashWallet(key: Buffer, wallet: { asset: string; address: string }): Buffer {
  return hash(key, ['wallet', wallet.asset, wallet.address])
}
