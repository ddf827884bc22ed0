import { afterAll, expect } from 'vitest'
import type { EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { createAccount, serviceWalletOf } from '../money/payment-accounts.ts'
import { makeActive } from '../money/quotes.ts'
import { startWithWorkers } from '../money/transactions.ts'
import { eventually } from '../runner/eventually.ts'
import { startLocalChains } from './local-chains.ts'

export type ScannedWorld = Awaited<ReturnType<typeof startScanned>>

type Found = { externalId: string; state: string; amount: string; blockNumber: string; depositStatus: string | null }

/** The service with workers that scan local chains, and a customer. */
export async function startScanned(
  options: {
    finalityBlocks?: number
    settings?(rpcUrls: Record<EvmNetwork, string>): Promise<Record<string, string>>
  } = {},
) {
  const { finalityBlocks } = options
  const chains = await startLocalChains(finalityBlocks === undefined ? {} : { finalityBlocks })
  // A short lease, so that a worker soon sees what an operator has changed.
  const settings = { SVC_LEASE_MS: '3000', ...chains.settings, ...(await options.settings?.(chains.rpcUrls)) }
  const api = await startWithWorkers(settings, undefined, chains)
  afterAll(api.stop)
  const { customerId, organizationId } = await makeActive(api, 'US')
  const { database } = api.app
  const rows = <Row extends object>(text: string, values: unknown[] = []) => database.query<Row>({ text, values })
  /** Waits for a state of the world while the scanners look at once. */
  const until = <Result>(check: () => Promise<Result> | Result): Promise<Result> =>
    eventually(() => {
      api.app.chains.wake()
      return check()
    })
  return {
    api,
    chains,
    customerId,
    organizationId,
    rows,
    until,
    /** A new service wallet of the customer. */
    makeWallet: async () => {
      const { paymentAccountId, svcCryptoWallet } = await createAccount(api, serviceWalletOf(customerId))
      return { wallet: paymentAccountId, address: svcCryptoWallet?.address.address ?? '' }
    },
    /** The transfers to an address, with the deposits that they became, oldest block first. */
    seenAt: (address: string): Promise<Found[]> =>
      rows<Found>(
        `select sighting.external_id as "externalId", sighting.state, sighting.amount::text as amount,
                sighting.block_number::text as "blockNumber", deposit.status as "depositStatus"
           from svc.sightings as sighting
           left join svc.deposits as deposit on deposit.method = sighting.method and deposit.book = sighting.book
            and deposit.external_id = sighting.external_id
          where sighting.address = $1 order by sighting.block_number, sighting.external_id`,
        [address],
      ),
    /** Waits until the scanner of a network has recorded all blocks of its chain. */
    caughtUp: (network: EvmNetwork) =>
      until(async () => {
        const status = (await chains.control.status()).find((each) => each.network === network)
        const [scan] = await rows<{ number: string; hash: string; final: string }>(
          `select block_number::text as number, block_hash as hash, final_number::text as final
             from svc.chain_scans where network = $1`,
          [network],
        )
        const { number, hash } = status?.head ?? {}
        expect(scan).toEqual({ number: String(number), hash, final: String(status?.finalized) })
      }),
  }
}
