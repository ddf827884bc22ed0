import { newId } from '../../../src/lib/ids.ts'
import type { NewSighting, SightingKey } from '../../../src/transactions/deposits/sightings/sighting.ts'
import { makeEvmAddress, makeSolanaAddress } from '../money/wallet-addresses.ts'
import type { TestApi } from '../runner/api.ts'

let height = 100n

/** A new block of a chain. */
export function makeBlock() {
  height += 1n
  return { number: height, hash: `0x${newId().replaceAll('-', '').padStart(64, '0')}` }
}

/** Senders that no list names. */
const senders = { evm: makeEvmAddress(), solana: makeSolanaAddress() }
const senderOf = (method: string) => (method === 'SOLANA' ? senders.solana : senders.evm)

/** Reports an entry of our bank account that names no customer. */
export function reportEntry({ app }: Pick<TestApi, 'app'>, entry: Pick<NewSighting, 'externalId' | 'amount'>) {
  const bank = { method: 'SEPA', asset: 'EUR', block: null } as const
  return watchChain({ app }).report({ ...bank, ...entry })
}

/** Transfers of tokens as the watcher of a chain reports them. */
export function watchChain({ app }: Pick<TestApi, 'app'>) {
  const report = (more: Partial<NewSighting>): Promise<string> =>
    app.database.inTx((tx) =>
      app.deposits.recordSighting(tx, {
        method: 'BASE',
        book: '',
        externalId: `0x${newId()}:0`,
        asset: 'USDC/BASE',
        amount: '25000000',
        message: null,
        address: null,
        virtualAccountId: null,
        senderAccountId: null,
        detailsHash: null,
        fromAddress: more.method && !more.asset?.includes('/') ? null : senderOf(more.method ?? 'BASE'),
        senderMatches: [],
        sealedSender: null,
        state: 'FINAL',
        block: makeBlock(),
        observedAt: null,
        ...more,
      }),
    )
  const orphan = (externalId: string, blockHash: string, more: Partial<SightingKey> = {}): Promise<string> =>
    app.database.inTx((tx) =>
      app.deposits.orphanSighting(tx, { method: 'BASE', book: '', externalId, blockHash, ...more }),
    )
  return { report, orphan }
}
