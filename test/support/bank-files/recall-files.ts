import { type TestApi, testMasterKey } from '../runner/api.ts'
import { makeDataFolder, svc, urlOf } from '../runner/process.ts'

/** A recalled payment as a bank tells it; an empty amount is left out. */
type RecallOf = { id: string; payment?: string; amount?: string; reasons?: readonly string[] }

export const txInf = ({
  id,
  payment = `<OrgnlTxId>${id}</OrgnlTxId>`,
  amount = '100.00',
  reasons = ['TECH'],
}: RecallOf) => `<TxInf><CxlId>C-${id}</CxlId>${payment}
${amount && `<OrgnlIntrBkSttlmAmt Ccy="EUR">${amount}</OrgnlIntrBkSttlmAmt>`}
${reasons.map((code) => `<CxlRsnInf><Rsn><Cd>${code}</Cd></Rsn></CxlRsnInf>`).join('')}</TxInf>`

export const recallFile = (id: string, underlying = txInf({ id }), more = '') => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.056.001.08"><FIToFIPmtCxlReq>
<Assgnmt><Id>A-${id}</Id><CreDtTm>2026-11-17T10:00:00Z</CreDtTm></Assgnmt>
<Undrlyg>${underlying}</Undrlyg>${more}</FIToFIPmtCxlReq></Document>`

/** Runs `svc` commands on the database of a test. */
export const commandsOf =
  (api: TestApi) =>
  async (...args: string[]) => {
    const secrets = { SVC_MASTER_KEY: testMasterKey.toString('base64'), SVC_DATA_DIR: await makeDataFolder() }
    const ran = svc(args, { DATABASE_URL: urlOf(api.database.owner), ...secrets })
    return { code: await ran.exited, output: ran.output() }
  }
