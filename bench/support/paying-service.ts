import { setTimeout } from 'node:timers/promises'
import type { Network } from '../../src/catalog/currencies.ts'
import { kindOf } from '../../src/catalog/network-kinds.ts'
import { startWorker } from '../../src/db/workers/worker.ts'
import { newId } from '../../src/lib/ids.ts'
import { transactionsJob } from '../../src/transactions/jobs.ts'
import { makeCustomer } from './customers.ts'
import { startWholeService } from './whole-service.ts'

export type PayingService = Awaited<ReturnType<typeof startPayingService>>

/** Starts Svc with a local chain. The worker runs only while it is asked to, so that obligations can wait for it. */
export async function startPayingService(network: Network) {
  const settings = { SVC_SANDBOX_CHAINS_PORT: '0', SVC_SANDBOX_SOLANA_PORT: '0', SVC_LOG_LEVEL: 'warn' }
  const service = await startWholeService(settings, network === 'SOLANA' ? 'solana' : 'evm')
  const { chains } = service
  if (!chains) throw new Error('no local chain runs')
  return { ...service, chains, rpcUrl: chains.rpcUrls[network] ?? '' }
}

const leaseMs = 30_000
/** The time in which a worker that was started runs every job once. */
const settleMs = 1_500

/** A customer whose wallet on this network holds tokens, and a wallet outside that it pays. */
export async function openPayer(
  { app, chains, calls, baseUrl, pay }: PayingService,
  network: Network,
  outside: string,
) {
  const { customerId } = await makeCustomer(calls)
  const wallet = await calls.send('POST', '/payment-accounts', {
    customerId,
    paymentAccountType: 'SVC_CRYPTO_WALLET',
    svcCryptoWallet: { cryptoWalletType: kindOf(network) },
  })
  const external = await calls.send('POST', '/payment-accounts', {
    customerId,
    paymentAccountType: 'EXTERNAL_CRYPTO_WALLET',
    externalCryptoWallet: { chain: network, currency: 'USDC', address: outside },
  })
  const address = wallet.svcCryptoWallet?.address.address ?? ''
  await chains.control.faucet(network, { key: newId(), address, currency: 'USDC', amount: String(10n ** 12n) })
  const source = { sourcePaymentAccountId: wallet.paymentAccountId, sourceCurrency: 'USDC', sourceAmount: '20' }
  const destination = { destinationPaymentAccountId: external.paymentAccountId, destinationCurrency: 'USDC' }
  const body = {
    customerId,
    source: { ...source, sourcePaymentMethod: network },
    destination: { ...destination, destinationPaymentMethod: network },
  }
  const hasTokens = async (): Promise<boolean> => {
    const query = `currency=USDC&chain=${network}`
    const url = `${baseUrl}/payment-accounts/${wallet.paymentAccountId}/balance?${query}`
    const answer = (await (await fetch(url, { headers: calls.headers })).json()) as { availableBalance: string }
    return answer.availableBalance === '1000000.000000'
  }
  const count = async (status: string): Promise<number> => {
    const [row] = await app.database.query<{ count: number }>({
      name: 'count payouts of the benchmark',
      text: `select count(*)::integer as count from svc.payouts where purpose = 'PAYOUT' and status = $1`,
      values: [status],
    })
    return row?.count ?? 0
  }
  /** Looks at open payouts alone, so that it costs as little as what the plain client asks. */
  const hasOpen = async (): Promise<boolean> => {
    const open = await app.database.query({
      name: 'find an open payout of the benchmark',
      text: `select from svc.payouts where status in ('WAITING', 'SENDING', 'SENT') and purpose = 'PAYOUT' limit 1`,
    })
    return open.length > 0
  }
  const setDue = (from: string) =>
    app.database.query({
      text: `update svc.payouts set due_at = svc.now() + ${from} where status = 'WAITING' and purpose = 'PAYOUT'`,
    })
  return {
    /** Commits the obligations of transactions that pay a token each. No job that pays runs meanwhile. */
    oweMany: async (wanted: number): Promise<void> => {
      await app.rates.refresh()
      await app.rates.load()
      for (let made = 0; made < wanted; made += 20) {
        await Promise.all(Array.from({ length: Math.min(20, wanted - made) }, () => pay(body)))
      }
      const jobs = [transactionsJob(app.transactionAdvance, leaseMs)]
      const worker = startWorker(jobs, { onError: (job, error) => console.error(job, error) })
      while ((await count('WAITING')) < wanted) await setTimeout(20)
      await worker.stop()
    },
    /**
     * Makes so many obligations due for a worker that runs, as in production, and waits until all are final in the
     * database; answers the seconds that it took.
     */
    payAll: async (owed: number): Promise<number> => {
      const wanted = (await count('CONFIRMED')) + owed
      await setDue("interval '1 hour'")
      const worker = await app.startWorker()
      await setTimeout(settleMs)
      await setDue("interval '0'")
      const started = performance.now()
      // In production the worker that has committed obligations is awake.
      worker.wake()
      while (await hasOpen()) await setTimeout(20)
      const seconds = (performance.now() - started) / 1_000
      await worker.stop()
      if ((await count('CONFIRMED')) !== wanted) throw new Error('a payout of the benchmark was refused')
      return seconds
    },
    /** Waits until the scanner has credited the wallet. */
    waitForTokens: async (): Promise<void> => {
      const worker = await app.startWorker()
      while (!(await hasTokens())) await setTimeout(50)
      await worker.stop()
    },
  }
}
