import { openDatabase } from '../../../src/db/database.ts'
import { readMnemonic } from '../../../src/signer/seed.ts'
import { createSeedService } from '../../../src/signer/seeds.ts'
import { openSigner } from '../../../src/signer/service.ts'
import { makePrepared, type TestDatabase } from '../runner/database.ts'

/** Phrases that everybody knows, so nothing derived from them is worth anything. */
export const knownPhrases = {
  WALLETS: 'test test test test test test test test test test test junk',
  SERVICE: 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
}

export const testSignerKey = Buffer.alloc(32, 9)

/** A fresh database with free addresses of each kind. Deriving them takes half a second, so one is filled for all. */
export function makeDatabaseWithAddresses(): Promise<TestDatabase> {
  return makePrepared('addresses', fillAddressPool)
}

/** Does what a running signer does, once: `count` free addresses of each kind, or a few more. */
export async function fillAddressPool(database: TestDatabase, count = 50): Promise<void> {
  const signers = openDatabase(database.signer)
  try {
    const seedService = createSeedService(signers, testSignerKey)
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

export function entropyOf(phrase: string): Buffer {
  const entropy = readMnemonic(phrase)
  if (!entropy) throw new Error('not a BIP-39 phrase')
  return entropy
}
