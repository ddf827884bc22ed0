import { useRef, useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { api } from '../model/api.ts'
import { texts } from '../texts/words.ts'

/** The statuses in which a verification has or can get an outcome. A correction is sent as it is before its outcome. */
const decidable = ['UNDER_REVIEW', 'NEEDS_ADDITIONAL_INFORMATION']
const fillable = ['CREATED', 'NEEDS_ADDITIONAL_INFORMATION']

/** Tools of the sandbox: sample data, and the outcome of the verification. */
export function Ribbon() {
  const { store, catalog } = useForm()
  const codes = catalog.issueCodes ?? {}
  const [code, setCode] = useState('DOC_QUALITY_POOR')
  const { act, isBusy, hasFailed } = useTurns()
  const { status } = store.state
  const decide = (outcome: string, issues?: string[]) =>
    act(async () => {
      if (store.state.status === 'NEEDS_ADDITIONAL_INFORMATION' && outcome !== 'REJECT') {
        await store.flush()
        await api.submit(store.state.revision)
      }
      store.accept(await api.decide({ outcome, ...(issues ? { issues } : {}) }))
    })
  const fill = () =>
    act(async () => {
      const { fillCorrections, fillWithSamples } = await import('./samples.ts')
      await (store.state.status === 'CREATED' ? fillWithSamples(store) : fillCorrections(store))
    })
  return (
    <aside class="ribbon" aria-label={texts.sandbox.ribbon}>
      <strong>{texts.sandbox.ribbon}</strong>
      {fillable.includes(status) && (
        <button type="button" class="small" aria-disabled={isBusy} onClick={() => void fill()}>
          {isBusy ? texts.sandbox.filling : texts.sandbox.fill}
        </button>
      )}
      {decidable.includes(status) && (
        <>
          <button type="button" class="small" onClick={() => void decide('APPROVE')}>
            {texts.sandbox.approve}
          </button>
          <label>
            {texts.sandbox.ask}{' '}
            <select value={code} onChange={(event) => setCode(event.currentTarget.value)}>
              {Object.entries(codes).map(([category, list]) => (
                <optgroup key={category} label={category}>
                  {list.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </optgroup>
              ))}
            </select>
          </label>
          <button type="button" class="small" onClick={() => void decide('NEEDS_INFO', [code])}>
            {texts.sandbox.decide}
          </button>
        </>
      )}
      {[...decidable, 'ACTIVE'].includes(status) && (
        <button type="button" class="small" onClick={() => void decide('REJECT')}>
          {texts.sandbox.reject}
        </button>
      )}
      {hasFailed && <span role="status">{texts.sandbox.failed}</span>}
      <span class="ribbon-hint">{texts.sandbox.hint}</span>
    </aside>
  )
}

/** Lets a button that is pressed while another one works wait for its turn. */
function useTurns() {
  const [isBusy, setBusy] = useState(false)
  const [hasFailed, setFailed] = useState(false)
  const last = useRef(Promise.resolve())
  const act = (work: () => Promise<void>) => {
    last.current = last.current.then(async () => {
      setBusy(true)
      setFailed(false)
      await work().catch(() => setFailed(true))
      setBusy(false)
    })
    return last.current
  }
  return { act, isBusy, hasFailed }
}
