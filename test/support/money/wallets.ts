import { openDatabase } from '../../../src/db/database.ts'
import { createEntropy, readMnemonic } from '../../../src/signer/seed.ts'
import { createSeedService } from '../../../src/signer/seeds.ts'
import { openSigner } from '../../../src/signer/service.ts'
import { makePrepared, type TestDatabase } from '../runner/database.ts'
import { testSignerKey } from '../secrets/signer.ts'

/** Publicly known phrases: addresses derived from them never hold value. */
export const knownPhrases = {
  WALLETS: 'test test test test test test test test test test test junk',
  SERVICE: 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
}

/** A fresh database with free addresses of each kind, cloned from one template: deriving takes half a second. */
export function makeDatabaseWithAddresses(): Promise<TestDatabase> {
  return makePrepared('addresses', fillAddressPool)
}

/** Fills the pool once as a running signer does: at least `count` free addresses of each kind. */
export async function fillAddressPool(database: TestDatabase, count = 50): Promise<void> {
  const signers = openDatabase(database.signer)
  try {
    const seedService = createSeedService({ database: signers, signerKey: testSignerKey })
    await seedService.restore(
      { WALLETS: entropyOf(knownPhrases.WALLETS), SERVICE: entropyOf(knownPhrases.SERVICE) },
      'a test',
    )
    const signer = await openSigner(signers, seedService, { poolSize: count })
    while ((await signer.refill()) > 0);
  } finally {
    await signers.close()
  }
}

/** Imports another seed for our own addresses, as an operator does: the treasuries so far are former ones. */
export async function importServiceSeed({ database }: { database: TestDatabase }): Promise<void> {
  const signers = openDatabase(database.signer)
  try {
    const seeds = createSeedService({ database: signers, signerKey: testSignerKey })
    await seeds.restore({ WALLETS: entropyOf(knownPhrases.WALLETS), SERVICE: createEntropy() }, 'a test')
    await openSigner(signers, seeds, { poolSize: 1 })
  } finally {
    await signers.close()
  }
}

export function entropyOf(phrase: string): Buffer {
  const entropy = readMnemonic(phrase)
  if (!entropy) throw new Error('not a BIP-39 phrase')
  return entropy
}
