// Spellings of one name that no rule of sound.ts makes equal. Each line is one name in lower case.

const variants = `
  muhammad mohammed mohamed mohammad muhammed mohamad muhamed muhamad mohamud mohd mohamet mehmet mahomed magomed mamadou muhammet mohammod
  ahmad ahmed ahmet ahmat akhmed
  mahmud mahmoud mahmood mehmood mahmut
  husayn hussein husain hussain hossein hossain huseyin hussien hosein houssein
  hasan hassan hassane
  yusuf yousef youssef yousuf yusef jusuf yosef yousof yusif
  ibrahim ebrahim ibraheem brahim
  sulayman suleiman soleiman suleyman sulaiman soliman solomon suliman sulejman slimane
  umar omar omer oumar
  uthman osman othman usman ousmane
  khalid khaled halid khalit
  said saeed sayed sayyid saed saiyid syed seyed seyyed
  abdah abdulla abdollah
  jamal gamal djamel cemal jamel
  jabir gaber jaber djaber
  najib naguib nagib nedjib
  qaddafi gaddafi kadafi gadhafi qadhafi kaddafi qadafi khadafi gadafi
  rashid rasheed rachid reshid
  tariq tarek tarik
  faysal faisal feisal faycal
  nasir nasser naser nassir
  mustafa moustafa mostafa mustapha
  musa mousa moussa mussa
  isa eissa issa eisa aissa
  yahya yehia yahia jahja
  zayd zaid zeid zayid
  walid waleed oualid
  qasim kassem qassem kasim kasem qasem ghassem
  sadiq sadegh sadek sadik siddiq
  abu abou abi ebu
  aisha ayesha aicha ayshe aysha
  fatima fatemeh fatma fatimah fatoumata
  alexander aleksandr alexandr alexandre oleksandr aliaksandr aleksander
  alexei alexey aleksei aleksey oleksiy oleksii aliaksei alexej
  andrei andrey andriy andrii andrej andrzej
  dmitri dmitry dmitriy dmytro dimitri dzmitry dimitry
  evgeny evgeni yevgeny yevgeniy evgenii evgeniy yevhen yevgeni eugene jewgeni
  georgy georgi georgiy georgii heorhii giorgi
  grigory grigori grigoriy hryhoriy grigorii
  igor ihor
  ivan iwan
  john jon
  joseph josef jozef iosif josip
  mikhail mykhailo mihail mihajlo mikhael
  nikolai nikolay nikolaj mykola
  oleg oleh
  olga olha
  pavel pavlo pawel
  peter petr pyotr petro piotr petar
  sergei sergey serhii serhiy sergej siarhei serguei
  vasily vasili vasiliy vasyl vassily wassili
  viktor victor wiktor
  vladimir volodymyr wladimir uladzimir vladimer
  yakov iakov jakov jacob jakob
  yulia yuliya julia iuliia yuliia
  yuri yury yuriy iurii yurii juri youri iouri
  natalia natalya nataliya nataliia natalja
  tatiana tatyana tetiana tatjana
  yelena elena olena jelena
  katherine catherine ekaterina yekaterina kateryna katharina
  stephen steven stefan stepan stephan
  philip philippe filip philipp filipp
  gadzhi haji hajji hadji haci
  mahdi mehdi mahdy mahdavi
  reza rida ridha riza redha
  kazim kazem kadhim kadim kadhem qadim
  murtaza morteza murtada mortada murtadha
  mujtaba mojtaba mujtaba
  ismail esmail ismael smail esmaeil ismaeel esmaiel
  dawud davud davoud daoud dawood davood daud dawoud
  jawad javad jouad djawad jawwad
  taqi taghi taki
  baqir bagher baqer bagir baqeri
  jafar jaafar djaafar cafer jaffar
  haydar haidar heydar heidar hyder haider
  ghulam gholam gulam golam
  fadl fazl fadel
  ramadan ramazan ramezan ramadhan
  riyad riad riyadh riyaz
  nur noor nour nour
  sayf saif seif
  zakariya zakaria zekeriya zakariyya
  yaqub yaghoub yakub yacoub yaqoub yaakoub
  ayyub ayoub ayub eyup ayyoub
  yunus younes younis yunis younus
  harun haroon haroun
  abdallah abdulla abdah
  aziz azeez aziz
  ghasemi qasemi ghassemi qassemi kasimi qasimi
  sadeghi sadeqi sadiqi
  bagheri baqeri baghery
  rezaei rezaie rezai rezayi rezaee
  mousavi musavi moosavi mussawi
  adil adel
  majid majed macid
  fahd fahad
  hatim hatem
  jihad gihad cihad
  najjar naggar nadjar
  osama usama oussama ousama
  nureddin nuraldin noureddine nuruddin nouraldin
  saladin salahuddin salaheddine salahaldin
  alireza aliriza
  chaudhry choudhary chowdhury chaudhary choudhry
  elena yelena olena helena
  lyubov liubov
  fedor fyodor fiodor
  semen semyon
  artem artyom
  petr pyotr
  nguyen ngyuen`

const nicknames = `
  alexander aleksandr alex sasha sacha sandy sanya shura
  alexei alyosha lyosha
  andrew andy drew
  anthony antonio tony toni
  anatoly tolya
  benjamin ben benny
  boris borya
  charles charlie chuck
  christopher chris kit
  daniel dan danny
  david dave davey
  dmitri dima mitya
  edward ed eddie ted ned
  elizabeth liz beth betty lisa eliza lizzie
  evgeny zhenya
  francisco paco pancho curro kiko
  frederick fred freddy freddie
  georgy gosha zhora
  gennady gena
  guadalupe lupe
  ignacio nacho
  igor gosha igorek
  ivan vanya
  james jim jimmy jamie
  jennifer jen jenny
  jesus chuy chucho
  john jack johnny
  jose pepe chepe
  joseph joe joey
  katherine kate katie kathy katya cathy
  konstantin kostya
  lawrence larry
  leonid lenya
  manuel manolo manny
  margaret maggie peggy meg
  maria masha marusya mari
  matthew matt
  maxim max
  michael mike mick mickey
  mikhail misha
  natalia natasha
  nicholas nick nico
  nikolai nikolay kolya
  patrick pat paddy
  pavel pasha
  peter pete petya
  rafael rafa
  richard rick dick rich ricky
  robert bob rob bobby robbie
  roberto beto
  ronald ron ronnie
  samuel sam sammy
  sergei seryozha serezha
  stephen steve
  tatiana tanya
  theodore ted teddy fyodor fedor
  thomas tom tommy
  timothy tim
  vasily vasya
  viktor vitya vic
  vladimir vova volodya vlad
  vyacheslav slava
  stanislav stas slava
  william bill will billy liam willy
  yevgeny zhenya
  yulia yulya
  yuri yura`

export type WordGroups = ReadonlyMap<string, readonly number[]>

function group(lines: string): WordGroups {
  const groups = new Map<string, number[]>()
  for (const [number, line] of lines.trim().split('\n').entries()) {
    for (const word of new Set(line.trim().split(' '))) groups.set(word, [...(groups.get(word) ?? []), number])
  }
  return groups
}

/** The names that a word is a spelling of, and those it is short for. A word can be in several groups. */
export const variantGroups = group(variants)
export const nicknameGroups = group(nicknames)
