import type { TokenAsset } from '../../../catalog/currencies.ts'
import type { CustodyService } from '../../../custody/service.ts'
import type { Tx } from '../../../db/database.ts'
import { programs } from '../../../lib/solana/programs.ts'
import type { DepositService } from '../../../transactions/deposits/service.ts'
import type { Oddity } from '../../scanner/scan.ts'
import { insertOddity } from '../../scanner/store.ts'
import type { SolanaTransaction } from '../node.ts'
import { creditsOf, oddityOf, sendersIn, sightingOf, signatureIn, type WatchedAccount } from './account.ts'
import { changeOf } from './balances.ts'
import type { AccountNews } from './read.ts'
import * as store from './store.ts'

export type RecordDeps = {
  custody: Pick<CustodyService, 'findReceivers'>
  deposits: Pick<DepositService, 'recordSighting' | 'orphanSighting' | 'listInBlocks'>
  mints: ReadonlyMap<TokenAsset, string>
  pauses: store.Pauses
}

type SeenSighting = Awaited<ReturnType<RecordDeps['deposits']['listInBlocks']>>[number]

// A flood of worthless tokens must not become a flood of rows.
const mostOddities = 50

/**
 * Records what has come to an account and moves its cursor, in the caller's database transaction. Transfers that the
 * nodes have dropped since are orphaned. Answers whether anything has changed.
 */
export async function recordNews(
  deps: RecordDeps,
  tx: Tx,
  news: AccountNews,
  seen: readonly SeenSighting[],
): Promise<boolean> {
  const { watched, cursor, final, waiting } = news
  // Another worker has recorded these.
  if (!(await store.moveAccount(tx, watched, cursor, deps.pauses))) return false
  let isChanged = cursor.signature !== watched.signature
  const oddities: Oddity[] = [...news.elsewhere]
  for (const transaction of final) {
    await recordCredit(deps, tx, watched, transaction, 'FINAL')
    oddities.push(...(await findOddities(deps, tx, watched, transaction)))
  }
  for (const transaction of waiting) {
    isChanged = (await recordCredit(deps, tx, watched, transaction, 'SEEN')) || isChanged
  }
  for (const oddity of oddities.slice(0, mostOddities)) await insertOddity(tx, 'SOLANA', oddity)
  for (const sighting of seen.filter((each) => isDropped(news, each))) {
    await deps.deposits.orphanSighting(tx, sighting)
    isChanged = true
  }
  return isChanged
}

/** Tells whether the nodes have dropped a transfer: complete lists up to its slot or a later one do not name it. */
function isDropped(
  { watched, standing }: AccountNews,
  { address, asset, externalId, blockNumber }: SeenSighting,
): boolean {
  const isOther = address !== watched.owner || asset !== watched.asset
  if (isOther || !standing || blockNumber > standing.upTo) return false
  return !standing.signatures.has(signatureIn(externalId))
}

/** Records a credit of a wallet; answers whether it is news. */
async function recordCredit(
  deps: RecordDeps,
  tx: Tx,
  watched: WatchedAccount,
  transaction: SolanaTransaction,
  state: 'SEEN' | 'FINAL',
): Promise<boolean> {
  const mint = watched.asset === null ? undefined : deps.mints.get(watched.asset)
  if (mint === undefined || watched.receiver === 'SERVICE') return false
  const { before, after } = changeOf(watched, mint, transaction) ?? { before: 0n, after: 0n }
  if (after <= before) return false
  const sender = await chooseSender(deps, tx, sendersIn(transaction, mint, watched.account))
  const credit = { transaction, amount: after - before, ...sender }
  const outcome = await deps.deposits.recordSighting(tx, sightingOf(watched, credit, state))
  return outcome !== 'REPEATED' && outcome !== 'IGNORED'
}

/**
 * Names the sender of a credit, and the others to screen: an address of ours if tokens of one left, because only our own
 * transactions move them; else the first.
 */
async function chooseSender(
  { custody }: Pick<RecordDeps, 'custody'>,
  tx: Tx,
  senders: readonly string[],
): Promise<{ from: string; others: string[] }> {
  const own = await custody.findReceivers('SOLANA', senders, tx)
  const from = senders.find((each) => own.has(each)) ?? senders[0]
  if (from === undefined) throw new Error('a credit has no sender')
  return { from, others: senders.filter((each) => each !== from) }
}

/** Finds native coins that came to an address or a token account of a customer's wallet. */
function coinsIn({ account, owner, receiver }: WatchedAccount, transaction: SolanaTransaction): Oddity[] {
  const value = transaction.coinChanges[transaction.accounts.indexOf(account)] ?? 0n
  if (receiver === 'SERVICE' || value <= 0n) return []
  return [oddityOf('NATIVE_COINS', transaction, { account, mint: programs.system, owner, value })]
}

/** Finds transfers to an address of ours that are no deposit, except our own. Tokens that only left need no question. */
async function findOddities(
  deps: RecordDeps,
  tx: Tx,
  watched: WatchedAccount,
  transaction: SolanaTransaction,
): Promise<Oddity[]> {
  if (transaction.error !== null) return []
  const { asset, owner, account, receiver } = watched
  const mint = asset === null ? undefined : deps.mints.get(asset)
  const foreign = await findForeign(tx, watched, transaction)
  const change = mint === undefined ? undefined : changeOf(watched, mint, transaction)
  if (mint === undefined || !change) return [...foreign, ...coinsIn(watched, transaction)]
  const { before, after } = change
  const kind =
    after === before ? 'ZERO_VALUE' : after > before && receiver === 'SERVICE' ? 'SERVICE_ADDRESS' : undefined
  if (kind === undefined) return foreign
  const { from } = await chooseSender(deps, tx, sendersIn(transaction, mint, account))
  const isOwn = (await deps.custody.findReceivers('SOLANA', [from, transaction.feePayer], tx)).size > 0
  return isOwn ? foreign : [...foreign, oddityOf(kind, transaction, { account, mint, owner, value: after - before })]
}

/** Finds tokens that came to the owner in accounts that are not watched. */
async function findForeign(tx: Tx, watched: WatchedAccount, transaction: SolanaTransaction): Promise<Oddity[]> {
  const { owner } = watched
  const came = creditsOf(watched, transaction)
  const known = await store.readAccounts(
    tx,
    came.map(({ account }) => account),
  )
  const isKnown = new Set(known.map(({ account }) => account))
  return came
    .filter(({ account }) => !isKnown.has(account))
    .map(({ account, mint, before, after }) =>
      oddityOf('FOREIGN_TOKEN', transaction, { account, mint, owner, value: after - before }),
    )
}
