import { randomBytes } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import {
  type Address,
  compileTransaction,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit'
import {
  findAssociatedTokenPda,
  parseCreateAssociatedTokenIdempotentInstruction,
  parseTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { expect, test } from 'vitest'
import { writeSolanaAddress } from '../addresses/solana-address.ts'
import { writeSignature, writeTransaction } from './message.ts'
import { openSigningKey, publicKeyOf, signMessage } from './signature.ts'
import { associatedAccountOf, isOnCurve } from './token-account.ts'
import { createsAccountFor, referenceKeyOf, type TokenTransferFacts, writeTransferMessage } from './transfer.ts'

const keys = Array.from({ length: 12 }, (_, at) => new Uint8Array(32).fill(at + 1))
const addressOf = (at: number) => writeSolanaAddress(ed25519.getPublicKey(keys[at] as Uint8Array))
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const facts: TokenTransferFacts = {
  relayer: addressOf(0),
  from: addressOf(1),
  to: addressOf(2),
  mint,
  decimals: 6,
  amount: 2n ** 63n + 5n,
  reference: referenceKeyOf('an obligation'),
  blockhash: addressOf(3),
  computeUnitPrice: 12_345n,
  createsAccount: true,
}

test('token accounts are those of the published library', async () => {
  for (const at of keys.keys()) {
    const owner = addressOf(at) as Address
    const [expected, bump] = await findAssociatedTokenPda({
      owner,
      mint: mint as Address,
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
    })
    expect(associatedAccountOf(owner, mint), `bump ${bump}`).toBe(expected)
    expect(isOnCurve(Buffer.from(ed25519.getPublicKey(keys[at] as Uint8Array)))).toBe(true)
  }
})

test('the published library reads our transfer: who signs, what it creates and moves', async () => {
  const { bytes, signers } = writeTransferMessage(facts)
  expect(signers).toEqual([facts.relayer, facts.from])
  const signatures = [0, 1].map((at) => ed25519.sign(bytes, keys[at] as Uint8Array))
  const { messageBytes, signatures: read } = getTransactionDecoder().decode(writeTransaction(bytes, signatures))
  expect(Object.keys(read)).toEqual(signers)
  expect(writeSignature(signatures[0] as Uint8Array)).toHaveLength(88)
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes))
  expect(message.feePayer.address).toBe(facts.relayer)
  const [, , creation, transfer] = message.instructions as never[]
  const created = parseCreateAssociatedTokenIdempotentInstruction(creation as never).accounts
  expect(created).toMatchObject({ owner: { address: facts.to }, payer: { address: facts.relayer, role: 3 } })
  const { accounts, data } = parseTransferCheckedInstruction(transfer as never)
  expect(data).toMatchObject({ amount: facts.amount, decimals: 6 })
  expect(accounts).toMatchObject({
    source: { address: associatedAccountOf(facts.from, mint), role: 1 },
    destination: { address: associatedAccountOf(facts.to, mint), role: 1 },
    authority: { address: facts.from, role: 2 },
    mint: { address: mint, role: 0 },
  })
  // Compiled anew by the library, the message has the same length: nothing is left over.
  expect((compileTransaction(message as never) as { messageBytes: Uint8Array }).messageBytes).toHaveLength(
    messageBytes.length,
  )
})

test('each obligation has a reference of its own', () => {
  expect(referenceKeyOf('an obligation')).toBe(facts.reference)
  expect(referenceKeyOf('another')).not.toBe(facts.reference)
})

test('what goes back to its sender creates no account', () => {
  expect(['PAYOUT', 'RETURN', 'REFUND'].map(createsAccountFor)).toEqual([true, false, false])
  const { bytes } = writeTransferMessage({ ...facts, createsAccount: false })
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(bytes))
  expect(message.instructions).toHaveLength(3)
  expect(parseTransferCheckedInstruction(message.instructions[2] as never).data.amount).toBe(facts.amount)
})

test('signatures and public keys are those of another library', () => {
  for (let round = 0; round < 20; round += 1) {
    const [secret, message] = [randomBytes(32), randomBytes(200 + round)]
    const key = openSigningKey(secret)
    expect(publicKeyOf(key)).toEqual(Buffer.from(ed25519.getPublicKey(secret)))
    expect(signMessage(key, message)).toEqual(Buffer.from(ed25519.sign(message, secret)))
  }
})
