import { writeBase58 } from '../../../../lib/addresses/base58.ts'
import { RpcError } from '../../rpc-error.ts'
import type { Account } from '../engine.ts'
import { programs, readMint, readTokenAccount, toUiAmount } from '../token-accounts.ts'
import { addressOf, badParams, numberOf, oneOf, type Settings, settingsOf } from './params.ts'
import { type Method, requireUpTo, type View } from './view.ts'

const encodings = ['base58', 'base64', 'jsonParsed'] as const
type Encoding = (typeof encodings)[number]
const mostBase58 = 128
const mostAccounts = 100
const noRentEpoch = 18_446_744_073_709_551_615n

export const accountMethods: Readonly<Record<string, Method>> = {
  getAccountInfo: (view, [address, config]) => {
    const settings = settingsOf(config)
    const slot = view.slotFor(settings)
    return { context: view.context(slot), value: present(view, addressOf(address), slot, settings, 'base58') }
  },
  getMultipleAccounts: (view, [addresses, config]) => {
    const settings = settingsOf(config)
    if (!Array.isArray(addresses)) throw badParams('Invalid params: expected a list of addresses.')
    requireUpTo(addresses.length, mostAccounts, 'inputs')
    const slot = view.slotFor(settings)
    const value = addresses.map((address) => present(view, addressOf(address), slot, settings, 'base64'))
    return { context: view.context(slot), value }
  },
  getBalance: (view, [address, config]) => {
    const slot = view.slotFor(settingsOf(config))
    return { context: view.context(slot), value: view.account(addressOf(address), slot)?.lamports ?? 0n }
  },
  getTokenAccountBalance: (view, [address, config]) => {
    const slot = view.slotFor(settingsOf(config))
    const account = view.account(addressOf(address), slot)
    if (!account) throw badParams('Invalid param: could not find account')
    const token = readTokenAccount(account)
    const mint = token && readMint(view.account(token.mint, slot))
    if (!token || !mint) throw badParams('Invalid param: not a Token account')
    return { context: view.context(slot), value: toUiAmount(token.amount, mint.decimals) }
  },
  getTokenSupply: (view, [address, config]) => {
    const slot = view.slotFor(settingsOf(config))
    const mint = readMint(view.account(addressOf(address), slot))
    if (!mint) throw badParams('Invalid param: not a Token mint')
    return { context: view.context(slot), value: toUiAmount(mint.supply, mint.decimals) }
  },
  getTokenAccountsByOwner: (view, [owner, filter, config]) => {
    const settings = settingsOf(config)
    const slot = view.slotFor(settings)
    const matches = matcherOf(view, settingsOf(filter), slot)
    const value = view.chain.state.heldBy(addressOf(owner)).flatMap((pubkey) => {
      const account = view.account(pubkey, slot)
      const token = readTokenAccount(account)
      if (!account || !token || token.owner !== owner || !matches(account, token.mint)) return []
      return [{ pubkey, account: present(view, pubkey, slot, settings, 'base58') }]
    })
    return { context: view.context(slot), value }
  },
  getMinimumBalanceForRentExemption: (view, [length]) =>
    view.chain.engine.rentExemption(numberOf(length, 'the length')),
}

function matcherOf(
  view: View,
  { mint, programId }: Settings,
  slot: number,
): (account: Account, mint: string) => boolean {
  if (mint !== undefined) {
    const wanted = addressOf(mint)
    if (!readMint(view.account(wanted, slot))) throw badParams('Invalid param: could not find mint')
    return (_account, held) => held === wanted
  }
  const wanted = addressOf(programId)
  if (wanted !== programs.token && wanted !== programs.token2022) {
    throw badParams('Invalid param: unrecognized Token program id')
  }
  return ({ owner }) => owner === wanted
}

function present(view: View, address: string, slot: number, settings: Settings, fallback: Encoding): unknown {
  const account = view.account(address, slot)
  return account ? presentAccount(view, account, slot, settings, fallback) : null
}

/** Shows an account as a node does. */
export function presentAccount(view: View, account: Account, slot: number, settings: Settings, fallback: Encoding) {
  const { lamports, owner, data, isExecutable } = account
  const encoding = oneOf(settings.encoding, [...encodings, 'base64+zstd'], fallback)
  if (encoding === 'base64+zstd') throw badParams('Invalid params: base64+zstd is not available on this node.')
  const part = slice(data, settings.dataSlice)
  const parsed = encoding === 'jsonParsed' ? parseAccount(view, account, slot) : undefined
  return {
    lamports,
    owner,
    data: parsed ?? encode(part, encoding === 'base58' ? 'base58' : 'base64'),
    executable: isExecutable,
    rentEpoch: noRentEpoch,
    space: data.length,
  }
}

function encode(data: Uint8Array, encoding: 'base58' | 'base64'): [string, string] {
  if (encoding === 'base64') return [Buffer.from(data).toString('base64'), 'base64']
  if (data.length <= mostBase58) return [writeBase58(data), 'base58']
  const hint = 'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.'
  throw new RpcError(hint, -32_600)
}

function slice(data: Uint8Array, given: unknown): Uint8Array {
  if (given === undefined || given === null) return data
  const { offset, length } = settingsOf(given)
  const from = numberOf(offset, 'offset')
  return data.subarray(from, from + numberOf(length, 'length'))
}

function parseAccount(view: View, account: Account, slot: number): unknown {
  const program = account.owner === programs.token2022 ? 'spl-token-2022' : 'spl-token'
  const wrap = (type: string, info: unknown) => ({ program, parsed: { type, info }, space: account.data.length })
  const token = readTokenAccount(account)
  const decimals = token && readMint(view.account(token.mint, slot))?.decimals
  if (token && decimals !== undefined) {
    const { mint, owner, amount, state, delegate, delegatedAmount, nativeReserve, closeAuthority } = token
    return wrap('account', {
      isNative: nativeReserve !== undefined,
      mint,
      owner,
      state,
      tokenAmount: toUiAmount(amount, decimals),
      ...(delegate === undefined ? {} : { delegate, delegatedAmount: toUiAmount(delegatedAmount, decimals) }),
      ...(nativeReserve === undefined ? {} : { rentExemptReserve: toUiAmount(nativeReserve, decimals) }),
      ...(closeAuthority === undefined ? {} : { closeAuthority }),
    })
  }
  const mint = readMint(account)
  if (!mint) return undefined
  const { authority, supply, isInitialized, freezeAuthority } = mint
  return wrap('mint', {
    mintAuthority: authority ?? null,
    supply: String(supply),
    decimals: mint.decimals,
    isInitialized,
    freezeAuthority: freezeAuthority ?? null,
  })
}
