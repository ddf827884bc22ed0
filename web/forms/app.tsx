import './styles/styles.ts'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { FormContext, useForm } from './fields/context.ts'
import { api, isOver } from './model/api.ts'
import { tellParent } from './model/parent.ts'
import { stepsOf } from './model/steps.ts'
import { FormStore } from './model/store.ts'
import { CheckPage } from './pages/check-page.tsx'
import { ClosingNotice } from './pages/closing-notice.tsx'
import { ElsewhereNotice } from './pages/elsewhere-notice.tsx'
import { EndedPage } from './pages/ended-page.tsx'
import { LoadFailed } from './pages/layout.tsx'
import { LeaveButton } from './pages/leave-button.tsx'
import { RefillPage } from './pages/refill-page.tsx'
import { Ribbon } from './pages/ribbon.tsx'
import { StatusPage } from './pages/status-page.tsx'
import { StepPage } from './pages/step-page.tsx'
import { startForm } from './start.tsx'
import { texts } from './texts/words.ts'

/** `name` gives the first page its address, without a step of its own for the browser's buttons. */
type UsedPage = {
  page: string
  place: string | undefined
  go(page: string, place?: string): void
  name(page: string): void
}

/** The page of the address, such as #/contact, so that the browser's buttons go back and forward. */
function usePage(): UsedPage {
  const pageOf = () => location.hash.replace(/^#\//, '')
  const [page, setPage] = useState(pageOf())
  const place = useRef<string | undefined>(undefined)
  // Before the page is shown: a customer may leave it as soon as it is seen.
  useLayoutEffect(() => {
    const follow = () => setPage(pageOf())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  // A page that the browser's buttons bring back starts at its heading.
  useEffect(() => {
    place.current = undefined
  }, [page])
  return {
    page,
    place: place.current,
    go: (next, at) => {
      place.current = at
      location.hash = `#/${next}`
    },
    name: (first) => {
      history.replaceState(null, '', `#/${first}`)
      setPage(first)
    },
  }
}

function Pages() {
  const { store, catalog } = useForm()
  const { state } = store
  const { page, place, go, name } = usePage()
  const steps = stepsOf(state, catalog)
  const isRefill = state.corrections !== undefined
  const step =
    steps.find(({ id }) => id === page) ??
    (isRefill ? undefined : (steps.find(({ id }) => id === state.page) ?? steps[0]))
  useLayoutEffect(() => {
    // A page that shows no answers has no people. The place of the customer stays for the next session.
    if (!step || isRefill || store.isEnded || state.status !== 'CREATED') return
    // Names the first page as well: the browser's button finds the way back to it, and the page of another device is not
    // taken for it.
    if (page !== step.id) name(step.id)
    store.setPage(step.id)
  }, [step?.id, state.status, store.isEnded])
  useEffect(() => {
    // The page of a person would now be about another one.
    if (store.elsewhere.moves > 0 && step?.person !== undefined) go(isRefill ? '' : 'people')
  }, [store.elsewhere.moves])
  if (store.isLeaving && store.hasFailedToLeave) return <EndedPage />
  if (state.status !== 'CREATED' && state.status !== 'NEEDS_ADDITIONAL_INFORMATION') return <StatusPage />
  if (store.isEnded) return <EndedPage />
  // In a refill the pages of people are beside the list of corrections, if an issue opens them.
  const mayEditPeople = state.corrections?.some(({ opens }) => opens.includes('kybData.associatedPersons'))
  if (isRefill && (step?.person === undefined || !mayEditPeople)) {
    // Other corrections are another page, also when this one has not seen the time between them.
    return <RefillPage key={JSON.stringify(state.corrections)} onGo={go} />
  }
  if (step === undefined || step.kind === 'check') return <CheckPage onGo={go} />
  return <StepPage key={step.id} step={step} place={place} onGo={go} />
}

function App({ store }: { store: FormStore }) {
  const [, redraw] = useState(0)
  useEffect(() => store.listen(() => redraw((count) => count + 1)), [store])
  const isOpen = ['CREATED', 'NEEDS_ADDITIONAL_INFORMATION'].includes(store.state.status)
  return (
    <>
      {store.state.isSandbox && <Ribbon />}
      <div class="shell">
        <ElsewhereNotice />
        {isOpen && <ClosingNotice session={store} last={texts.closingForGood} />}
        <Pages />
        <LeaveButton />
      </div>
    </>
  )
}

const root = document.getElementById('app')
if (root) {
  void startForm(root, {
    read: () => Promise.all([api.readCatalog(), api.readState()]),
    open: ([catalog, state]) => {
      const store = new FormStore(state)
      tellParent(store, () => store.state.status)
      return () => (
        <FormContext.Provider value={{ store, catalog }}>
          <App store={store} />
        </FormContext.Provider>
      )
    },
    fail: (error) => <LoadFailed isEnded={isOver(error)} ended={texts.sessionEndedHint} />,
  })
}
