import { setTimeout } from 'node:timers/promises'
import {
  type Address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  pipe,
  type Signature,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { tokens } from '../../src/catalog/currencies.ts'
import { newId } from '../../src/lib/ids.ts'
import type { ChainControl } from '../../src/sandbox/chains/control.ts'
import type { PlainClient } from './plain-evm-client.ts'

const pollMs = 20
/** The most signatures that a node accepts in one question. */
const mostAsked = 256

/** A client that knows only @solana/kit and a node: it sends transfers that it has signed in advance. */
export async function openPlainSolanaClient(rpcUrl: string, control: ChainControl): Promise<PlainClient> {
  const rpc = createSolanaRpc(rpcUrl as 'http://127.0.0.1')
  const owner = await generateKeyPairSigner()
  for (const [currency, amount] of [
    ['NATIVE', 10n ** 12n],
    ['USDC', 10n ** 12n],
  ] as const)
    await control.faucet('SOLANA', { key: newId(), address: owner.address, currency, amount: String(amount) })
  const mint = tokens['USDC/SOLANA'].testContract as Address
  const accountOf = async (of: Address) =>
    (await findAssociatedTokenPda({ owner: of, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]

  /** Signs a transfer. The amounts differ, because equal transactions of one blockhash are one transaction. */
  const sign = async (receiver: Address, amount: bigint) => {
    const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
    const [source, destination] = [await accountOf(owner.address), await accountOf(receiver)]
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (each) => setTransactionMessageFeePayerSigner(owner, each),
      (each) => setTransactionMessageLifetimeUsingBlockhash(lifetime, each),
      (each) =>
        appendTransactionMessageInstructions(
          [
            getCreateAssociatedTokenIdempotentInstruction({ payer: owner, owner: receiver, ata: destination, mint }),
            getTransferCheckedInstruction({ source, mint, destination, authority: owner, amount, decimals: 6 }),
          ],
          each,
        ),
    )
    return getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message))
  }
  const isFinal = async (signatures: readonly Signature[]): Promise<boolean> => {
    for (let at = 0; at < signatures.length; at += mostAsked) {
      const { value } = await rpc.getSignatureStatuses(signatures.slice(at, at + mostAsked)).send()
      if (value.some((status) => status?.err)) throw new Error('a transfer of the reference failed')
      if (value.some((status) => status?.confirmationStatus !== 'finalized')) return false
    }
    return true
  }
  return {
    transferAll: async (receiver, count) => {
      const signed = await Promise.all(
        Array.from({ length: count }, (_, at) => sign(receiver as Address, 1_000_000n + BigInt(at))),
      )
      const started = performance.now()
      const signatures = await Promise.all(
        signed.map((wire) => rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send()),
      )
      while (!(await isFinal(signatures))) await setTimeout(pollMs)
      return (performance.now() - started) / 1_000
    },
  }
}
