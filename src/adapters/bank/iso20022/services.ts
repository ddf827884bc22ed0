import type { BankService } from '../../../catalog/bank-limits.ts'

export type IsoService = Exclude<BankService, 'ACH' | 'ACH_SAME_DAY'>

type ServiceFacts = {
  serviceLevel?: string
  /** A code of ours and our bank's; the SEPA schemes and wires need none. */
  localInstrument?: string
  chargeBearer: 'SLEV' | 'DEBT'
  /** The clearing system whose member numbers name banks: ISO 20022 external code set, clearing system identification. */
  clearingSystem?: 'USABA' | 'CACPA' | 'INFSC'
  /** The longest name of a party. */
  nameLength: number
}

/** The codes by which a pain.001 asks for a service. SLEV: charges follow the scheme. DEBT: we pay them. */
// biome-ignore format: a table is read by column
export const isoServices: Readonly<Record<IsoService, ServiceFacts>> = {
  SEPA:    { serviceLevel: 'SEPA',                             chargeBearer: 'SLEV',                          nameLength: 70 },
  WIRE:    { serviceLevel: 'URGP',                             chargeBearer: 'DEBT', clearingSystem: 'USABA', nameLength: 140 },
  INTERAC: {                       localInstrument: 'INTERAC', chargeBearer: 'DEBT', clearingSystem: 'CACPA', nameLength: 80 },
  NEFT:    {                       localInstrument: 'NEFT',    chargeBearer: 'DEBT', clearingSystem: 'INFSC', nameLength: 140 },
  RTGS:    {                       localInstrument: 'RTGS',    chargeBearer: 'DEBT', clearingSystem: 'INFSC', nameLength: 140 },
  IMPS:    {                       localInstrument: 'IMPS',    chargeBearer: 'DEBT', clearingSystem: 'INFSC', nameLength: 140 },
}

export const isoServiceNames = Object.keys(isoServices) as readonly IsoService[]

/** Finds the service that codes ask for. */
export function serviceOf(
  serviceLevel: string | undefined,
  localInstrument: string | undefined,
): IsoService | undefined {
  return isoServiceNames.find((name) => {
    const facts = isoServices[name]
    return facts.serviceLevel === serviceLevel && facts.localInstrument === localInstrument
  })
}
