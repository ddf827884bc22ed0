import type { OpenCustomer } from '../customers/sealed-customer.ts'
import type { CustomerService } from '../customers/service.ts'
import { compareZone, findZonePictures, isCompared, type MachineZone } from './checks/documents/machine-zone.ts'

/** Reads the machine-readable zone of a stored picture; undefined when none can be read within the reader's limits. */
export type ZoneReader = (bytes: Buffer) => Promise<MachineZone | undefined>

// A business may have hundreds of pictures, and an outcome is promised within ten minutes.
const mostPictures = 20
const mostMs = 120_000

/**
 * Reads zones that were not read yet, or whose compared data has changed, and stores each comparison with its picture.
 * Returns the customer with the comparisons.
 */
export async function readZones(
  customers: Pick<CustomerService, 'readIdentity' | 'readImage' | 'storeReadings'>,
  readZone: ZoneReader,
  opened: OpenCustomer,
): Promise<OpenCustomer> {
  const identity = customers.readIdentity(opened)
  const unread = findZonePictures(identity).filter((picture) => !isCompared(picture))
  const startedMs = performance.now()
  let current = opened
  for (const picture of unread.slice(0, mostPictures)) {
    if (performance.now() - startedMs > mostMs) break
    const zone = await readZone(await customers.readImage(opened, picture.image.blobId))
    picture.image.machineZone = compareZone(zone, picture)
    current = await customers.storeReadings(current, identity)
  }
  return current
}
