import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { HDKey as Bip32Key } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js'
import { describe, expect, test } from 'vitest'
import { networkKinds } from '../../../src/catalog/network-kinds.ts'
import { openKeyring } from '../../../src/signer/derivation.ts'
import { createEntropy, writeMnemonic } from '../../../src/signer/seed.ts'
import type { AnswerTo } from '../../support/runner/answers.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { makeSearch, searchMemory, spellings, textSpellings } from '../../support/runner/memory.ts'
import { childrenOf, childWith, makeDataFolder, readDevEnv, svc, urlOf } from '../../support/runner/process.ts'

const handedOut = 5

/** Two unique seeds, and every secret derived from them that could spend, in every encoding. */
function makeCanary() {
  const entropies = { WALLETS: createEntropy(), SERVICE: createEntropy() }
  const needles = Object.entries(entropies).flatMap(([purpose, entropy]) => {
    const phrase = writeMnemonic(entropy)
    const seed = mnemonicToSeedSync(phrase)
    const bip32 = Bip32Key.fromMasterSeed(seed)
    const slip10 = Slip10Key.fromMasterSeed(seed)
    const keyring = openKeyring(seed)
    const keys = networkKinds.flatMap((kind) =>
      Array.from({ length: handedOut }, (_, at) => [`${kind} key ${at}`, keyring.keyAt(kind, at).privateKey] as const),
    )
    const nodes = {
      entropy,
      seed,
      'EVM master key': bip32.privateKey ?? new Uint8Array(),
      'EVM branch key': bip32.derive("m/44'/60'/0'/0").privateKey ?? new Uint8Array(),
      'Solana master key': slip10.privateKey,
      'Solana branch key': slip10.derive("m/44'/501'").privateKey,
      ...Object.fromEntries(keys),
    }
    return [
      ...textSpellings(`${purpose} phrase`, phrase),
      // Even a third of a phrase counts as a leak.
      ...textSpellings(`${purpose} words`, phrase.split(' ').slice(0, 8).join(' ')),
      ...Object.entries(nodes).flatMap(([name, bytes]) => spellings(`${purpose} ${name}`, bytes)),
    ]
  })
  const input = Object.entries(entropies).map(([purpose, entropy]) => `${purpose}: ${writeMnemonic(entropy)}\n`)
  const wallets = openKeyring(mnemonicToSeedSync(writeMnemonic(entropies.WALLETS)))
  const addresses = networkKinds.flatMap((kind) =>
    Array.from({ length: handedOut }, (_, at) => wallets.addressAt(kind, at).address),
  )
  return { input: input.join(''), needles, addresses }
}

/** Creates a customer and service wallets of each kind, and returns their addresses. */
async function takeWallets(baseUrl: string, apiKey: string): Promise<string[]> {
  const post = async <Path extends string>(route: Path, body: object) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const answer = await fetch(baseUrl + route, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.status).toBe(201)
    return (await answer.json()) as AnswerTo<'POST', Path>
  }
  const { customerId } = await post('/customers', { customerType: 'INDIVIDUAL', email: 'ada@example.com' })
  const addresses: string[] = []
  for (const cryptoWalletType of networkKinds) {
    for (let at = 0; at < handedOut; at++) {
      const wallet = { customerId, paymentAccountType: 'SVC_CRYPTO_WALLET', svcCryptoWallet: { cryptoWalletType } }
      addresses.push((await post('/payment-accounts', wallet)).svcCryptoWallet?.address.address ?? '')
    }
  }
  return addresses
}

const onlyProcess = (parent: number) => {
  const [child = 0, ...others] = childrenOf(parent)
  expect(others).toEqual([])
  return child
}

describe.runIf(process.platform === 'linux')('key material', () => {
  test('is in the memory of the signer, and of no other process, no log and no table', async () => {
    const database = await makeDatabase()
    const folder = await makeDataFolder()
    const settings = {
      DATABASE_URL: urlOf(database.owner),
      SVC_DATA_DIR: folder,
      PORT: '0',
      SVC_ADDRESS_POOL_SIZE: '60',
    }
    const canary = makeCanary()
    const migrated = svc(['migrate'], settings)
    expect(await migrated.exited, migrated.output()).toBe(0)
    const imported = svc(['custody', 'import'], settings, canary.input)
    expect(await imported.exited, imported.output()).toBe(0)

    const dev = svc(['dev'], settings)
    const worker = svc(['worker'], settings)
    await Promise.all([dev.prints(/keeps all data/), worker.prints(/the worker is running/)])
    const { baseUrl, apiKey } = await readDevEnv(folder)
    // The API shows these addresses; the search below looks for their keys.
    expect(await takeWallets(baseUrl, apiKey)).toEqual(canary.addresses)
    // The signer has used its keys by now: it has refilled the pool.
    const metrics = async () => (await fetch(`${baseUrl}/metrics`)).text()
    const free = async () => Number(/^svc_wallet_addresses_free (\d+)$/m.exec(await metrics())?.[1])
    await expect.poll(free).toBeGreaterThanOrEqual(60)

    const signerKey = (await readFile(path.join(folder, 'signer', 'signer.key'), 'utf8')).trim()
    const secrets = new Map([
      ...canary.needles,
      ...textSpellings('signer key file', signerKey),
      ...spellings('signer key', Buffer.from(signerKey.replace(/^.*_/, ''), 'base64')),
    ])
    const known = new Map(textSpellings('API key', apiKey))
    const api = onlyProcess(dev.child.pid ?? 0)
    const signer = childWith(api, 'signer')
    const workers = onlyProcess(worker.child.pid ?? 0)

    const found = searchMemory(api, new Map([...secrets, ...known]))
    expect(found).toContain('API key, one byte a character')
    expect(found.filter((name) => !name.startsWith('API key'))).toEqual([])
    expect(searchMemory(workers, secrets)).toEqual([])
    expect(searchMemory(dev.child.pid ?? 0, secrets)).toEqual([])
    for (const family of ['evm', 'solana']) expect(searchMemory(childWith(api, family), secrets)).toEqual([])
    // Control: the same search finds the keys in the signer, so it could have found them elsewhere.
    expect(searchMemory(signer, secrets)).toEqual(
      expect.arrayContaining(['WALLETS EVM branch key, raw', 'WALLETS Solana branch key, raw', 'signer key, raw']),
    )

    const search = makeSearch(secrets)
    const find = (text: string) => {
      const found = new Set<string>()
      search(Buffer.from(text), found)
      return [...found]
    }
    expect(find(`${canary.input}${signerKey}`)).toHaveLength(6) // two phrases, their first words, and the key, which is base64 itself
    for (const { output } of [migrated, imported, dev, worker]) expect(find(output())).toEqual([])
    const owner = openForTest({ connection: database.owner })
    const tables = await owner.query<{ name: string }>({
      text: `select table_name as name from information_schema.tables where table_schema = 'svc'`,
    })
    for (const { name } of tables) {
      const rows = await owner.query<{ row: string }>({ text: `select t::text as row from svc.${name} as t` })
      expect([name, find(rows.map(({ row }) => row).join('\n'))]).toEqual([name, []])
    }
    expect(await svc(['custody', 'check'], settings).exited).toBe(0)
  }, 240_000)
})
