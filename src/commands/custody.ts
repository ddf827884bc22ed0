import { userInfo } from 'node:os'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { networkKinds } from '../catalog/network-kinds.ts'
import type { Config } from '../config.ts'
import { normalizeAddress } from '../custody/address.ts'
import type { Logger } from '../http/log.ts'
import { rotateSealingKey } from '../signer/rotation.ts'
import { readMnemonic, type SeedPurpose, seedPurposes, writeMnemonic } from '../signer/seed.ts'
import type { Entropies } from '../signer/seeds.ts'
import { findForeignAddresses } from '../signer/service.ts'
import { resumeSigning, stopSigning } from '../signer/signing/service.ts'
import {
  countAssigned,
  countFree,
  findLastExport,
  readSeeds,
  readServiceAddresses,
  registerReserve,
} from '../signer/store.ts'
import { type Custody, openCustody } from './signer.ts'

type Print = (line: string) => void

async function withCustody(config: Config, log: Logger, work: (custody: Custody) => Promise<number>): Promise<number> {
  const custody = await openCustody(config, log)
  try {
    return await work(custody)
  } finally {
    await custody.close()
  }
}

const actor = () => `command line of ${userInfo().username}`

/** Creates the two seeds, once. */
function init(config: Config, log: Logger, print: Print): Promise<number> {
  return withCustody(config, log, async ({ seedService }) => {
    const created = await seedService.create(actor())
    print(
      created.length > 0
        ? `Created the seeds of ${created.join(' and ')}.`
        : 'The seeds exist already; nothing was changed.',
    )
    if (created.length > 0) {
      print('Back them up now, before the first customer gets an address: svc custody export --i-understand')
    }
    return 0
  })
}

const exportWarning = [
  '# Anyone who reads the next lines can take all money of every customer and of the treasury.',
  '# Write them on paper or into a vault, never into a file, chat, ticket or shell history. Then clear this screen.',
  '# "svc custody import" reads the same lines.',
]

/** Prints the seeds to the terminal of an operator who confirmed the risk: the only way a seed leaves the signer. */
function exportSeeds(config: Config, log: Logger, print: Print): Promise<number> {
  return withCustody(config, log, async ({ seedService }) => {
    const seeds = await seedService.exportAll(actor())
    if (seeds.length === 0) throw new Error('There are no seeds yet. Run "svc custody init".')
    for (const line of exportWarning) print(line)
    for (const { purpose, entropy, fingerprint, retiredAt } of seeds) {
      const line = `${purpose}: ${writeMnemonic(entropy)}`
      print(
        retiredAt ? `# replaced ${retiredAt.toISOString()}, kept for late payments to its addresses: ${line}` : line,
      )
      print(`#   fingerprint ${fingerprint}`)
    }
    return 0
  })
}

/** Imports the lines that an export printed. */
async function importSeeds(config: Config, log: Logger, print: Print): Promise<number> {
  if (process.stdin.isTTY) print('Type the two lines that the export printed, then Ctrl-D.')
  const entropies = readPhrases(await text(process.stdin))
  return withCustody(config, log, async ({ seedService }) => {
    const done = await seedService.restore(entropies, actor())
    for (const purpose of seedPurposes) {
      const result =
        done[purpose] === 'RESEALED' ? 'was in use already and is now sealed with this signer key' : 'is now in use'
      print(`The seed of ${purpose} ${result}.`)
    }
    return 0
  })
}

/** Reads the phrases of standard input. Errors never quote a line: a wrong phrase may differ by one letter. */
function readPhrases(given: string): Entropies {
  const phraseOf = (purpose: SeedPurpose): Buffer => {
    const found = [...given.matchAll(new RegExp(`^\\s*${purpose}\\s*:(.*)$`, 'gim'))]
    const entropy = found.length === 1 ? readMnemonic(found[0]?.[1] ?? '') : undefined
    if (entropy) return entropy
    throw new Error(
      `Expected one line "${purpose}: word word …" with a BIP-39 phrase of 12 to 24 English words on standard input.`,
    )
  }
  const entropies = { WALLETS: phraseOf('WALLETS'), SERVICE: phraseOf('SERVICE') }
  if (entropies.WALLETS.equals(entropies.SERVICE)) throw new Error('WALLETS and SERVICE need different phrases.')
  return entropies
}

function status(config: Config, log: Logger, print: Print): Promise<number> {
  return withCustody(config, log, async ({ database }) => {
    const seeds = (await readSeeds(database)).filter((seed) => seed.retiredAt === null)
    if (seeds.length === 0) print('There are no seeds yet. Run "svc custody init".')
    for (const { seedId, purpose, fingerprint, signerKeyId, createdAt } of seeds) {
      const exported = (await findLastExport(database, seedId))?.toISOString() ?? 'NEVER: run "svc custody export"'
      print(`${purpose}  fingerprint ${fingerprint}, in use since ${createdAt.toISOString()}`)
      print(`  sealed with      signer key ${signerKeyId}`)
      print(`  backed up        ${exported}`)
      for (const { kind, role, address } of await readServiceAddresses(database, seedId))
        print(`  ${`${kind} ${role}`.toLowerCase().padEnd(17)}${address}`)
      if (purpose !== 'WALLETS') continue
      print(`  assigned         ${await countAssigned(database, seedId)}`)
      for (const kind of networkKinds) print(`  ${`free ${kind}`.padEnd(17)}${await countFree(database, seedId, kind)}`)
    }
    return 0
  })
}

/** Derives every stored address again. Exits with 1 when a stored address differs. */
function check(config: Config, log: Logger, print: Print): Promise<number> {
  return withCustody(config, log, async ({ database, seedService }) => {
    const violations: string[] = []
    for (const seed of await seedService.openAll())
      violations.push(...(await findForeignAddresses(database, seed, { onlyFree: false })))
    for (const violation of violations) print(`VIOLATED  ${violation}`)
    if (violations.length === 0) print('ok        every address is derived from its seed')
    return violations.length === 0 ? 0 : 1
  })
}

/** Replaces the key of seals. Exits with 1 when a former seal is wrong: then the former keys stay valid. */
function rotateSeals(config: Config, log: Logger, print: Print): Promise<number> {
  return withCustody(config, log, async ({ database, sealingKeys }) => {
    const { keyId, resealed, wrong, retired } = await rotateSealingKey(database, sealingKeys)
    print(`The sealing key ${keyId} is in use. It has sealed ${resealed} accounts and payouts anew.`)
    for (const sentence of wrong) print(`WRONG     ${sentence}`)
    print(retired.length > 0 ? `Retired ${retired.join(', ')}.` : 'No former key was retired.')
    return wrong.length === 0 ? 0 : 1
  })
}

/** Registers our reserve: "reserve EVM <address>"; undefined for other words. */
export function findReserveCommand([verb, kindName, text, ...rest]: readonly string[]): CustodyCommand | undefined {
  const kind = networkKinds.find((each) => each === kindName)
  if (verb !== 'reserve' || !kind || text === undefined || rest.length > 0) return undefined
  return (config, log, print) =>
    withCustody(config, log, async ({ database }) => {
      const address = normalizeAddress(kind, text)
      if (!address) throw new Error(`"${text}" is no ${kind} address.`)
      await database.inTx((tx) => registerReserve(tx, kind, address, actor()))
      print(`${address} is our reserve on ${kind}. Compare it letter by letter with its owner's.`)
      return 0
    })
}

/** Stops or resumes all signatures: "stop --reason text", "resume"; undefined for other words. */
export function findSwitchCommand(args: string[]): CustodyCommand | undefined {
  const [verb, ...words] = args
  const reason = verb === 'stop' ? readReason(words) : ''
  if (reason !== '') {
    return (config, log, print) =>
      withCustody(config, log, async ({ database }) => {
        await stopSigning(database, reason, actor())
        print('The signer signs nothing from now on. "svc custody resume" ends this.')
        return 0
      })
  }
  if (verb !== 'resume' || words.length > 0) return undefined
  return (config, log, print) =>
    withCustody(config, log, async ({ database }) => {
      const ended = await resumeSigning(database, actor())
      print(ended > 0 ? 'The signer signs again.' : 'Signing was not stopped; nothing was changed.')
      return 0
    })
}

function readReason(args: string[]): string {
  const { values } = parseArgs({ args, options: { reason: { type: 'string', default: '' } } })
  return values.reason.trim()
}

type CustodyCommand = (config: Config, log: Logger, print: Print) => Promise<number>

/** The commands by the words after "svc custody". */
export const custodyCommands: ReadonlyMap<string, CustodyCommand> = new Map<string, CustodyCommand>([
  ['init', init],
  ['status', status],
  ['check', check],
  ['import', importSeeds],
  ['rotate-seals', rotateSeals],
  ['export --i-understand', exportSeeds],
  [
    'export',
    async () => {
      throw new Error('This prints the seeds on your screen. Confirm it: svc custody export --i-understand')
    },
  ],
])
