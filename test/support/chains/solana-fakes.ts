import { type Address, generateKeyPairSigner, type Instruction, type KeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeAccount3Instruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
  getSyncNativeInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { programs } from '../../../src/lib/solana/programs.ts'
import { usdcMint } from './solana-client.ts'
import { tokenAccountOf } from './solana-world.ts'

export const token2022 = programs.token2022 as Address

/** A mint of the stranger's own, of either program, with tokens for an owner. */
export async function mintOwn(
  by: KeyPairSigner,
  owner: Address,
  program: Address,
  amount = 5_000_000n,
): Promise<Instruction[]> {
  const mint = await generateKeyPairSigner()
  const [ata] = await findAssociatedTokenPda({ owner, mint: mint.address, tokenProgram: program })
  const at = { programAddress: program }
  return [
    getCreateAccountInstruction({
      payer: by,
      newAccount: mint,
      lamports: 10_000_000n,
      space: 82n,
      programAddress: program,
    }),
    getInitializeMint2Instruction({ mint: mint.address, decimals: 6, mintAuthority: by.address }, at),
    getCreateAssociatedTokenIdempotentInstruction({
      payer: by,
      owner,
      ata,
      mint: mint.address,
      tokenProgram: program,
    }),
    getMintToInstruction({ mint: mint.address, token: ata, mintAuthority: by, amount }, at),
  ]
}

/** Real tokens in a token account that has the right owner, and is not the one that follows from owner and mint. */
export async function payElsewhere(by: KeyPairSigner, owner: Address): Promise<Instruction[]> {
  const account = await generateKeyPairSigner()
  const source = await tokenAccountOf(by.address)
  return [
    getCreateAccountInstruction({
      payer: by,
      newAccount: account,
      lamports: 3_000_000n,
      space: 165n,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeAccount3Instruction({ account: account.address, mint: usdcMint, owner }),
    getTransferCheckedInstruction({
      source,
      mint: usdcMint,
      destination: account.address,
      authority: by,
      amount: 7_000_000n,
      decimals: 6,
    }),
  ]
}

const wrappedSol = 'So11111111111111111111111111111111111111112' as Address

/** Coins in a token account of our wallet, under the mint that stands for SOL itself. */
export async function wrapCoins(by: KeyPairSigner, owner: Address): Promise<Instruction[]> {
  const [ata] = await findAssociatedTokenPda({ owner, mint: wrappedSol, tokenProgram: TOKEN_PROGRAM_ADDRESS })
  return [
    getCreateAssociatedTokenIdempotentInstruction({ payer: by, owner, ata, mint: wrappedSol }),
    getTransferSolInstruction({ source: by, destination: ata, amount: 5_000_000n }),
    getSyncNativeInstruction({ account: ata }),
  ]
}

/** Real tokens that go to another account and back; that account is closed, and its rent goes to our wallet. */
export async function goAndReturn(by: KeyPairSigner, owner: Address): Promise<Instruction[]> {
  const account = await generateKeyPairSigner()
  const own = await tokenAccountOf(by.address)
  const move = (source: Address, destination: Address) =>
    getTransferCheckedInstruction({
      source,
      mint: usdcMint,
      destination,
      authority: by,
      amount: 7_000_000n,
      decimals: 6,
    })
  return [
    getCreateAccountInstruction({
      payer: by,
      newAccount: account,
      lamports: 3_000_000n,
      space: 165n,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeAccount3Instruction({ account: account.address, mint: usdcMint, owner: by.address }),
    move(own, account.address),
    move(account.address, own),
    getCloseAccountInstruction({ account: account.address, destination: owner, owner: by }),
  ]
}
