import { createHash } from 'node:crypto'
import type { BankAccount } from '../../treasury/bank-account.ts'
import type { OpenedFile } from '../exchange.ts'
import type { AccountName, BankFormats, FileRecord, IncomingRecord } from '../formats.ts'
import { findOwnAccount } from './own-accounts.ts'

/** Why a file goes to quarantine. The message repeats no value of the file. */
export class UnusableFile extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.name = 'UnusableFile'
    this.code = code
  }
}

export type FindAccount = (named: AccountName) => Promise<BankAccount | undefined>

/** The facts of a file that was read to its end. */
export type CheckedFile = { first: FileRecord; records: number; account: BankAccount | undefined }

/** Finds the account of ours that a message names, or the account behind a customer's virtual account. */
export function createAccountFinder(
  accounts: readonly BankAccount[],
  isVirtual: (named: AccountName & { currency: string }) => Promise<boolean>,
): FindAccount {
  const found = new Map<string, BankAccount | undefined>()
  return async (named) => {
    const key = JSON.stringify(named)
    if (!found.has(key)) found.set(key, findOwnAccount(accounts, named) ?? (await behind(named)))
    return found.get(key)
  }

  async function behind(named: AccountName): Promise<BankAccount | undefined> {
    for (const account of accounts) {
      const { currency, files } = account
      const mayBe = files !== null && (named.currency === undefined || named.currency === currency)
      if (mayBe && (await isVirtual({ ...named, currency }))) return account
    }
    return undefined
  }
}

/** Passes chunks on, and hashes them. */
function hashing(source: AsyncIterable<Buffer>): { chunks: AsyncIterable<Buffer>; digest(): Buffer } {
  const hash = createHash('sha256')
  async function* read() {
    for await (const chunk of source) {
      hash.update(chunk)
      yield chunk
    }
  }
  return { chunks: read(), digest: () => hash.digest() }
}

/** Hashes a file, and closes it. */
export async function hashFile({ chunks, close }: OpenedFile): Promise<Buffer> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of chunks) hash.update(chunk)
  } finally {
    await close()
  }
  return hash.digest()
}

/** Reads a whole file without keeping it, and throws if any part of it cannot be applied. */
export async function checkFile(
  { readIncoming }: BankFormats,
  source: AsyncIterable<Buffer>,
  contentHash: Buffer,
  findAccount: FindAccount,
): Promise<CheckedFile> {
  const { chunks, digest } = hashing(source)
  let first: FileRecord | undefined
  let account: BankAccount | undefined
  let records = 0
  for await (const record of readIncoming(chunks)) {
    records += 1
    if (record.type === 'FILE') first ??= record
    account = (await accountOf(record, findAccount)) ?? account
  }
  if (!first) throw new UnusableFile('MALFORMED', 'The file has no header')
  // A reader may stop before trailing bytes.
  for await (const _ of chunks);
  if (!digest().equals(contentHash)) throw new UnusableFile('CHANGED', 'The file was changed while Svc read it')
  return { first, records, account }
}

/** Finds the account that a record is about; throws when it is not ours. */
export async function accountOf(record: IncomingRecord, findAccount: FindAccount): Promise<BankAccount | undefined> {
  if (record.type !== 'ENTRY' && record.type !== 'STATEMENT') return undefined
  const account = await findAccount(record.account)
  if (!account) throw new UnusableFile('FOREIGN_ACCOUNT', 'The file is about an account that is not ours')
  if (record.type === 'ENTRY' && record.amount.currency !== account.currency)
    throw new UnusableFile('WRONG_CURRENCY', 'An entry has another currency than its account')
  return account
}
