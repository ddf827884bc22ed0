import { writeBase58 } from '../../../../lib/addresses/base58.ts'
import { RpcError } from '../../rpc-error.ts'
import { addressesIn } from '../execution.ts'
import type { Landed, TokenBalance } from '../journal-entry.ts'
import { toUiAmount } from '../token-accounts.ts'
import { decodeTransaction, isWritable, type WireTransaction } from '../transaction.ts'
import { oneOf, optionalNumber, type Settings } from './params.ts'
import { parseInstruction } from './parsed.ts'

const encodings = ['json', 'jsonParsed', 'base58', 'base64'] as const
type Encoding = (typeof encodings)[number]

/** Shows a transaction as a node does: its content in the wanted encoding, its outcome, its version. */
export function presentTransaction(landed: Landed, settings: Settings) {
  const encoding = oneOf(settings.encoding, encodings, 'json')
  const transaction = decodeTransaction(Buffer.from(landed.raw, 'base64'))
  const { version } = transaction
  const highest = optionalNumber(settings, 'maxSupportedTransactionVersion')
  if (version !== 'legacy' && (highest === undefined || highest < version)) {
    const hint = `"maxSupportedTransactionVersion": ${version}`
    throw new RpcError(
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with ` +
        `the following configuration parameter: ${hint}`,
      -32_015,
    )
  }
  return {
    transaction: presentContent(transaction, landed, encoding),
    meta: presentMeta(transaction, landed, encoding),
    ...(highest === undefined ? {} : { version }),
  }
}

function presentContent(transaction: WireTransaction, landed: Landed, encoding: Encoding): unknown {
  const { signatures, keys, blockhash, instructions, lookups, version } = transaction
  if (encoding === 'base64') return [landed.raw, 'base64']
  if (encoding === 'base58') return [writeBase58(transaction.bytes), 'base58']
  const tables = lookups.map(({ table, writable, readonly }) => ({
    accountKey: table,
    writableIndexes: writable,
    readonlyIndexes: readonly,
  }))
  const addressTableLookups = version === 'legacy' ? {} : { addressTableLookups: tables }
  if (encoding === 'jsonParsed') {
    const addresses = addressesIn(landed, transaction)
    return {
      signatures,
      message: {
        accountKeys: addresses.map((pubkey, number) => ({
          pubkey,
          signer: number < transaction.signerCount,
          source: number < keys.length ? 'transaction' : 'lookupTable',
          writable: isWritable(transaction, number),
        })),
        recentBlockhash: blockhash,
        instructions: instructions.map(({ program, accounts, data }) =>
          parseInstruction(addresses, { programIdIndex: program, accounts, data: writeBase58(data), stackHeight: 1 }),
        ),
        ...addressTableLookups,
      },
    }
  }
  return {
    signatures,
    message: {
      header: {
        numRequiredSignatures: transaction.signerCount,
        numReadonlySignedAccounts: transaction.readonlySignerCount,
        numReadonlyUnsignedAccounts: transaction.readonlyOtherCount,
      },
      accountKeys: keys,
      recentBlockhash: blockhash,
      instructions: instructions.map(({ program, accounts, data }) => ({
        programIdIndex: program,
        accounts,
        data: writeBase58(data),
        stackHeight: 1,
      })),
      ...addressTableLookups,
    },
  }
}

function presentMeta(transaction: WireTransaction, landed: Landed, encoding: Encoding) {
  const { err, fee, preBalances, postBalances, preTokens, postTokens, logs, inner, loaded, units, returned } = landed
  const isParsed = encoding === 'jsonParsed'
  const addresses = isParsed ? addressesIn(landed, transaction) : []
  return {
    err,
    status: err === null ? { Ok: null } : { Err: err },
    fee: BigInt(fee),
    preBalances: preBalances.map(BigInt),
    postBalances: postBalances.map(BigInt),
    preTokenBalances: preTokens.map(presentTokens),
    postTokenBalances: postTokens.map(presentTokens),
    innerInstructions: inner.map(({ index, instructions }) => ({
      index,
      instructions: isParsed ? instructions.map((each) => parseInstruction(addresses, each)) : instructions,
    })),
    logMessages: logs,
    rewards: [],
    ...(isParsed ? {} : { loadedAddresses: loaded }),
    computeUnitsConsumed: units,
    ...(returned ? { returnData: returned } : {}),
  }
}

function presentTokens({ amount, decimals, ...tokens }: TokenBalance) {
  return { ...tokens, uiTokenAmount: toUiAmount(BigInt(amount), decimals) }
}
