import {
  type Address,
  type AddressesByLookupTableAddress,
  appendTransactionMessageInstructions,
  address as asAddress,
  type Commitment,
  compressTransactionMessageUsingAddressLookupTables,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
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
import { expect } from 'vitest'
import { tokens } from '../../../src/catalog/currencies.ts'
import { eventually } from '../runner/eventually.ts'

export const usdcMint: Address = asAddress(tokens['USDC/SOLANA'].testContract)

/** Finds the token account of a wallet. */
export async function tokenAccountOf(owner: Address, mint = usdcMint, tokenProgram: Address = TOKEN_PROGRAM_ADDRESS) {
  const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram })
  return account
}

type Signing = {
  by?: KeyPairSigner
  blockhash?: Blockhash
  tables?: AddressesByLookupTableAddress
  version?: 0 | 'legacy'
}
type Blockhash = Parameters<typeof setTransactionMessageLifetimeUsingBlockhash>[0]

/** A client of Solana that knows only the address of a node, with a wallet of its own. */
export async function connectSolana(rpcUrl: string) {
  const rpc = createSolanaRpc(rpcUrl as 'http://127.0.0.1')
  const wallet = await generateKeyPairSigner()
  const latest = async (commitment: Commitment = 'confirmed') =>
    (await rpc.getLatestBlockhash({ commitment }).send()).value

  const sign = async (instructions: Instruction[], { by = wallet, blockhash, tables = {} }: Signing = {}) => {
    const lifetime = blockhash ?? (await latest())
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (each) => setTransactionMessageFeePayerSigner(by, each),
      (each) => setTransactionMessageLifetimeUsingBlockhash(lifetime, each),
      (each) => appendTransactionMessageInstructions(instructions, each),
      (each) => compressTransactionMessageUsingAddressLookupTables(each, tables),
    )
    const signed = await signTransactionMessageWithSigners(message)
    return { wire: getBase64EncodedWireTransaction(signed), signature: getSignatureFromTransaction(signed), lifetime }
  }

  const submit = (wire: Awaited<ReturnType<typeof sign>>['wire'], skipPreflight = false) =>
    rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight, preflightCommitment: 'confirmed' }).send()

  const statusOf = async (signature: Signature) => {
    const { value } = await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send()
    return value[0] ?? null
  }

  /** Waits until a transaction has reached a commitment, and returns its status. */
  const reach = (signature: Signature, commitment: Commitment) =>
    eventually(
      async () => {
        const status = await statusOf(signature)
        const levels = ['processed', 'confirmed', 'finalized']
        expect(levels.indexOf(status?.confirmationStatus ?? '')).toBeGreaterThanOrEqual(levels.indexOf(commitment))
        return status
      },
      { interval: 10 },
    )

  return {
    rpc,
    wallet,
    latest,
    sign,
    submit,
    statusOf,
    reach,
    /** Signs and submits a transaction, and waits until it has reached a commitment. */
    send: async (instructions: Instruction[], signing?: Signing, commitment: Commitment = 'processed') => {
      const { wire, signature } = await sign(instructions, signing)
      await submit(wire)
      await reach(signature, commitment)
      return signature
    },
    tokensOf: async (owner: Address, commitment: Commitment = 'processed', mint = usdcMint) => {
      const { value } = await rpc
        .getTokenAccountsByOwner(owner, { mint }, { encoding: 'jsonParsed', commitment })
        .send()
      return value.reduce((sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount), 0n)
    },
    /** The instructions that pay tokens to a wallet, whose token account they create if it is missing. */
    payment: async (to: Address, amount: bigint, from: KeyPairSigner = wallet): Promise<Instruction[]> => {
      const [source, destination] = [await tokenAccountOf(from.address), await tokenAccountOf(to)]
      const account = { payer: from, owner: to, ata: destination, mint: usdcMint }
      const transfer = { source, mint: usdcMint, destination, authority: from, amount, decimals: 6 }
      return [getCreateAssociatedTokenIdempotentInstruction(account), getTransferCheckedInstruction(transfer)]
    },
  }
}

export type SolanaClient = Awaited<ReturnType<typeof connectSolana>>
