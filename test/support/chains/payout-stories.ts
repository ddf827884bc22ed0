import { parseAbiItem } from 'viem'
import { expect } from 'vitest'
import type { EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { newId } from '../../../src/lib/ids.ts'
import { availableIn, createTransaction, type Transaction } from '../money/transactions.ts'
import { contractOf, openOutsideWallet } from './outside-wallet.ts'
import type { PayingWorld } from './paying-world.ts'

export const transferEvent = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

export type PayoutStories = Awaited<ReturnType<typeof tellPayouts>>

/** A customer's wallet with many tokens on one network, and payouts from it to addresses that nothing else pays. */
export async function tellPayouts(world: PayingWorld, network: EvmNetwork) {
  const { api, chains, customerId, until, clientOf, makeWallet, makeExternal, rows } = world
  const { wallet, address: from } = await makeWallet()
  const stranger = await openOutsideWallet(chains, network)
  await chains.control.faucet(network, { key: newId(), address: from, currency: 'USDC', amount: String(10n ** 12n) })
  await until(async () => expect(await availableIn(api, wallet, 'USDC', network)).toBe('1000000.000000'))
  const transfersTo = async (to: string): Promise<bigint[]> => {
    const logs = await clientOf(network).getLogs({
      address: contractOf(network),
      event: transferEvent,
      args: { to: to as `0x${string}` },
      fromBlock: 0n,
    })
    return logs.map(({ args }) => args.value ?? 0n)
  }
  return {
    network,
    wallet,
    from,
    stranger,
    transfersTo,
    /** Asks for a payment to an address of its own. */
    pay: async (amount = '10'): Promise<Transaction & { to: string }> => {
      const { external, address: to } = await makeExternal(network)
      const transaction = await createTransaction(api, {
        customerId,
        from: [wallet, 'USDC', network, amount],
        to: [external, 'USDC', network],
      })
      return { ...transaction, to }
    },
    /** Expects that exactly one transfer reached the receiver, of exactly the amount that the transaction promises. */
    expectPaidOnce: async ({ to, transactionId }: Transaction & { to: string }): Promise<void> => {
      const [payout] = await rows<{ amount: string }>(
        `select amount::text from svc.payouts where transaction_id = $1 and purpose = 'PAYOUT'`,
        [transactionId],
      )
      expect(await transfersTo(to)).toEqual([BigInt(payout?.amount ?? 0)])
    },
    /** The transactions of the relayer for a payout, in the order of their nonces and versions. */
    relaysOf: ({ transactionId }: Pick<Transaction, 'transactionId'>) =>
      rows<{ nonce: string; version: number; state: string; isSuccessful: boolean | null; sends: number }>(
        `select used.nonce::text, version.version, used.state, used.is_successful as "isSuccessful", version.sends
           from svc.payouts as payout
           join svc.transfer_authorizations as request on request.payout_id = payout.payout_id
           join svc.relay_nonces as used on used.authorization_id = request.authorization_id
           join svc.relay_transactions as version on version.network = used.network
            and version.relayer = used.relayer and version.nonce = used.nonce
          where payout.transaction_id = $1 and payout.purpose = 'PAYOUT' order by used.nonce, version.version`,
        [transactionId],
      ),
  }
}
