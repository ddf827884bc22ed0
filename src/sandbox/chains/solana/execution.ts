import { writeBase58 } from '../../../lib/addresses/base58.ts'
import { writeSolanaAddress } from '../../../lib/addresses/solana-address.ts'
import type { Account, Engine, Outcome } from './engine.ts'
import type { TransactionErr } from './engine-error.ts'
import { type AccountChange, type Landed, type TokenBalance, writeChange } from './journal-entry.ts'
import { isTokenProgram, programs, readMint, readTokenAccount } from './token-accounts.ts'
import { decodeTransaction, isWritable, type WireTransaction } from './transaction.ts'

export type Executed = { landed: Landed; changes: AccountChange[]; before: Map<string, Account | undefined> }

/** Reads an account of the view in which a transaction is looked at. */
export type ReadAccount = (address: string) => Account | undefined

/** Executes a transaction in a slot; the error of one that does not land, and so leaves no trace. */
export function execute(
  engine: Engine,
  { transaction, slot, key }: { transaction: WireTransaction; slot: number; key?: string | undefined },
): Executed | { err: TransactionErr } {
  const loaded = loadAddresses(transaction, (address) => engine.get(address))
  if (!loaded) return { err: 'AddressLookupTableNotFound' }
  const addresses = [...transaction.keys, ...loaded.writable, ...loaded.readonly]
  const before = addresses.map((address) => engine.get(address))
  const outcome = engine.execute(transaction, key === undefined)
  if (!outcome.hasLanded) return { err: outcome.err ?? 'SanitizeFailure' }
  const after = addresses.map((address, number) =>
    isWritable(transaction, number) ? engine.get(address) : before[number],
  )
  const writable = addresses.filter((_, number) => isWritable(transaction, number))
  // As real nodes do: without a token program among its accounts, a transaction lists no token balances at all.
  const hasTokens = addresses.some(isTokenProgram)
  const tokensOf = (accounts: (Account | undefined)[]) =>
    hasTokens ? tokenBalances(accounts, (mint) => engine.get(mint)) : []
  const landed: Landed = {
    signature: transaction.signatures[0] as string,
    slot,
    raw: Buffer.from(transaction.bytes).toString('base64'),
    loaded,
    ...toMeta(outcome),
    fee: String(sum(before) - sum(after)),
    preBalances: before.map((account) => String(account?.lamports ?? 0n)),
    postBalances: after.map((account) => String(account?.lamports ?? 0n)),
    preTokens: tokensOf(before),
    postTokens: tokensOf(after),
    ...(key === undefined ? {} : { key }),
  }
  return {
    landed,
    changes: writable.map((address) => writeChange(address, after[addresses.indexOf(address)])),
    before: new Map(writable.map((address) => [address, before[addresses.indexOf(address)]])),
  }
}

/** Puts the outcome of a transaction into the shape that the journal keeps. */
export function toMeta({ err, logs, inner, units, returned }: Outcome) {
  return {
    err,
    logs,
    inner: inner.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map(({ program, accounts, data, stackHeight }) => ({
        programIdIndex: program,
        accounts,
        data: writeBase58(data),
        stackHeight,
      })),
    })),
    units: Number(units),
    ...(returned
      ? {
          returned: {
            programId: returned.program,
            data: [Buffer.from(returned.data).toString('base64'), 'base64'] as [string, 'base64'],
          },
        }
      : {}),
  }
}

/** The place of the first address in a lookup table. */
const tableStart = 56

/** Reads the addresses that a transaction takes from lookup tables; undefined if a table does not have them. */
export function loadAddresses(
  { lookups }: Pick<WireTransaction, 'lookups'>,
  read: ReadAccount,
): { writable: string[]; readonly: string[] } | undefined {
  const loaded = { writable: [] as string[], readonly: [] as string[] }
  for (const { table, writable, readonly } of lookups) {
    const account = read(table)
    if (account?.owner !== programs.lookupTable) return undefined
    const addressAt = (place: number) => account.data.subarray(tableStart + 32 * place, tableStart + 32 * (place + 1))
    for (const [places, list] of [
      [writable, loaded.writable],
      [readonly, loaded.readonly],
    ] as const) {
      for (const bytes of places.map(addressAt)) {
        if (bytes.length !== 32) return undefined
        list.push(writeSolanaAddress(bytes))
      }
    }
  }
  return loaded
}

function tokenBalances(accounts: readonly (Account | undefined)[], read: ReadAccount): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    const token = readTokenAccount(account)
    const mint = token && readMint(read(token.mint))
    if (!account || !token || !mint) return []
    const { mint: name, owner, amount } = token
    const { decimals } = mint
    return [{ accountIndex, mint: name, owner, programId: account.owner, amount: String(amount), decimals }]
  })
}

function sum(accounts: readonly (Account | undefined)[]): bigint {
  return accounts.reduce((total, account) => total + (account?.lamports ?? 0n), 0n)
}

/** All addresses of a transaction, with those from lookup tables. */
export function addressesIn(
  { raw, loaded }: Landed,
  { keys }: Pick<WireTransaction, 'keys'> = decodeTransaction(Buffer.from(raw, 'base64')),
): string[] {
  return [...keys, ...loaded.writable, ...loaded.readonly]
}
