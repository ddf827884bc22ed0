import { type Address, createSolanaRpc, type Signature } from '@solana/kit'
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { afterAll, expect } from 'vitest'
import { type TokenAsset, tokens } from '../../../src/catalog/currencies.ts'
import { joinChains } from '../../../src/commands/processes/chains-process.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createAccount, externalWalletOf, serviceWalletOf } from '../money/payment-accounts.ts'
import { makeActive } from '../money/quotes.ts'
import { availableIn, createTransaction, startWithWorkers, type Transaction } from '../money/transactions.ts'
import { makeSolanaAddress } from '../money/wallet-addresses.ts'
import { eventually } from '../runner/eventually.ts'
import { startLocalChains, startLocalSolana } from './local-chains.ts'

export type SolanaWorld = Awaited<ReturnType<typeof startSolana>>

type Options = {
  settings?: Record<string, string>
  finalityBlocks?: number
  slotMs?: number
  /** Runs the EVM networks, too. */
  hasEvm?: boolean
}

export function mintOf(currency = 'USDC'): Address {
  return tokens[`${currency}/SOLANA` as TokenAsset].testContract as Address
}

export async function tokenAccountOf(owner: string, mint = mintOf()): Promise<Address> {
  const [account] = await findAssociatedTokenPda({
    owner: owner as Address,
    mint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  })
  return account
}

/** A client of Solana that is not ours, and knows only the address of a node. */
export function readSolana(rpcUrl: string) {
  const rpc = createSolanaRpc(rpcUrl as 'http://127.0.0.1')
  const balanceOf = async (owner: string, currency = 'USDC'): Promise<bigint> => {
    const account = await tokenAccountOf(owner, mintOf(currency))
    const { value } = await rpc
      .getMultipleAccounts([account], { encoding: 'jsonParsed', commitment: 'finalized' })
      .send()
    const data = value[0]?.data as { parsed?: { info: { tokenAmount: { amount: string } } } } | undefined
    return BigInt(data?.parsed?.info.tokenAmount.amount ?? 0)
  }
  return {
    rpc,
    balanceOf,
    /** The amounts that final transactions brought to an owner, oldest first. */
    transfersTo: async (owner: string, currency = 'USDC'): Promise<bigint[]> => {
      const account = await tokenAccountOf(owner, mintOf(currency))
      const found = await rpc.getSignaturesForAddress(account, { commitment: 'finalized' }).send()
      const amounts: bigint[] = []
      for (const { signature } of found.toReversed()) {
        const read = await rpc
          .getTransaction(signature as Signature, {
            encoding: 'json',
            commitment: 'finalized',
            maxSupportedTransactionVersion: 0,
          })
          .send()
        const at = read?.transaction.message.accountKeys.indexOf(account) ?? -1
        const amountIn = (list: readonly { accountIndex: number; uiTokenAmount: { amount: string } }[] | undefined) =>
          BigInt(list?.find(({ accountIndex }) => accountIndex === at)?.uiTokenAmount.amount ?? 0)
        const change =
          amountIn(read?.meta?.postTokenBalances as never) - amountIn(read?.meta?.preTokenBalances as never)
        if (change > 0n) amounts.push(change)
      }
      return amounts
    },
  }
}

/** Starts the local Solana, and the EVM networks if they are wanted. */
async function startChains({ finalityBlocks, slotMs, hasEvm = false }: Options) {
  const solana = await startLocalSolana({
    ...(finalityBlocks === undefined ? {} : { finalityBlocks }),
    ...(slotMs === undefined ? {} : { slotMs }),
  })
  const evm = hasEvm ? await startLocalChains() : undefined
  return { solana, evm, control: evm ? joinChains(evm, solana).control : solana.control }
}

/** The service with workers that scan and pay on a local Solana, a customer, and a client that is not ours. */
export async function startSolana(options: Options = {}) {
  const { solana, evm, control } = await startChains(options)
  const settings = { SVC_LEASE_MS: '3000', ...evm?.settings, ...solana.settings, ...options.settings }
  const api = await startWithWorkers(settings, undefined, { control, settings })
  afterAll(api.stop)
  const { customerId, organizationId } = await makeActive(api, 'US')
  const rows = <Row extends object>(text: string, values: unknown[] = []) =>
    api.app.database.query<Row>({ text, values })
  const client = readSolana(solana.rpcUrls.SOLANA)
  /** Waits for a state of the world while the scanners look at once. */
  const until = <Result>(check: () => Promise<Result> | Result): Promise<Result> =>
    eventually(() => {
      api.app.chains.wake()
      return check()
    })
  const makeWallet = async () => {
    const account = await createAccount(api, serviceWalletOf(customerId, 'SOLANA'))
    return { wallet: account.paymentAccountId, address: account.svcCryptoWallet?.address.address ?? '' }
  }
  const makeExternal = async (currency = 'USDC') => {
    const address = makeSolanaAddress()
    const wish = externalWalletOf(customerId, { chain: 'SOLANA', currency, address })
    return { external: (await createAccount(api, wish)).paymentAccountId, address }
  }
  return {
    api,
    control,
    solana,
    evm,
    settings,
    customerId,
    organizationId,
    rows,
    until,
    makeWallet,
    makeExternal,
    ...client,
    rpcUrl: solana.rpcUrls.SOLANA,
    /** A service wallet with tokens that came from outside. */
    fundWallet: async (amount: bigint) => {
      const made = await makeWallet()
      await control.faucet('SOLANA', { key: newId(), address: made.address, currency: 'USDC', amount: String(amount) })
      const shown = `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, '0')}`
      await until(async () => expect(await availableIn(api, made.wallet, 'USDC', 'SOLANA')).toBe(shown))
      return made
    },
    /** Asks for a payment from a wallet to an address of its own. */
    pay: async (wallet: string, amount = '10'): Promise<Transaction & { to: string }> => {
      const { external, address: to } = await makeExternal()
      const wish = { customerId, from: [wallet, 'USDC', 'SOLANA', amount], to: [external, 'USDC', 'SOLANA'] } as const
      return { ...(await createTransaction(api, wish as never)), to }
    },
    /** The transfers to an address as Svc has seen them, with the deposits that they became. */
    seenAt: (address: string) =>
      rows<{ externalId: string; state: string; amount: string; from: string; depositStatus: string | null }>(
        `select sighting.external_id as "externalId", sighting.state, sighting.amount::text as amount,
                sighting.from_address as "from", deposit.status as "depositStatus"
           from svc.sightings as sighting
           left join svc.deposits as deposit on deposit.method = sighting.method and deposit.book = sighting.book
            and deposit.external_id = sighting.external_id
          where sighting.address = $1 order by sighting.block_number, sighting.external_id`,
        [address],
      ),
  }
}
