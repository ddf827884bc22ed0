import { type NetworkKind, type ServiceRole, serviceRoles } from '../../catalog/network-kinds.ts'
import type { KeyPair } from '../derivation.ts'
import type { OpenSeed } from '../seeds.ts'

/** The most keys of wallets that stay derived: one wallet often pays many times in a row. */
const mostKept = 500

/** Derives the keys of a kind of network that sign, from every seed, retired ones included: tokens may lie at any of them. */
export function createSigningKeys(kind: NetworkKind, openSeeds: () => Promise<OpenSeed[]>) {
  let seeds: readonly OpenSeed[] = []
  const service = new Map<string, KeyPair>()
  const wallets = new Map<string, KeyPair>()
  const load = async () => {
    seeds = await openSeeds()
    service.clear()
    wallets.clear()
    for (const { purpose, keyring } of seeds) {
      if (purpose !== 'SERVICE') continue
      for (const [index, role] of serviceRoles.entries()) {
        const pair = keyring.keyAt(kind, index)
        service.set(`${role} ${pair.address}`, pair)
      }
    }
  }
  return {
    /** Finds the key of a treasury or relayer of ours; undefined when no seed has this address in this role. */
    ofService: async (role: ServiceRole, address: string): Promise<KeyPair | undefined> => {
      if (!service.has(`${role} ${address}`)) await load()
      return service.get(`${role} ${address}`)
    },

    /** Finds the key of a customer's wallet; undefined when the seed derives another address at this place. */
    ofWallet: async (seedId: string, index: number, address: string): Promise<KeyPair | undefined> => {
      const find = () => seeds.find((seed) => seed.seedId === seedId && seed.purpose === 'WALLETS')
      if (!find()) await load()
      const place = `${seedId} ${index}`
      const pair = wallets.get(place) ?? find()?.keyring.keyAt(kind, index)
      if (pair && !wallets.has(place)) {
        if (wallets.size >= mostKept) wallets.delete(wallets.keys().next().value ?? '')
        wallets.set(place, pair)
      }
      return pair?.address === address ? pair : undefined
    },
  }
}

export type SigningKeys = ReturnType<typeof createSigningKeys>
