import { pinyinKey } from './spelling/chinese.ts'
import { soundOf } from './spelling/sound.ts'
import { variantGroups } from './spelling/spelling-variants.ts'

// How common a given or family name is among the people of its own region. A list holds the
// namesakes of few people, so a common name looks rare there.
const tiers: readonly { weight: number; names: string }[] = [
  {
    // more than three in a hundred
    weight: 0.34,
    names: `muhammad mohammed mohamed mohammad ahmad ahmed ali hasan husayn mahmud ibrahim khalid mustafa abdallah abdah abdulah jose juan maria garcia hernandez martinez lopez gonzalez rodriguez kim lee yi ri
      park pak choi choe wang li zhang liu chen nguyen tran singh kumar khan aleksandr sergei vladimir john james michael hossein abdul kaur mehmet hussain`,
  },
  {
    // one to three in a hundred
    weight: 0.43,
    names: `umar yusuf said abdrahman hamid salih nasir sulayman salim tariq jamal walid rashid karim samir adil majid hamza bilal musa isa uthman abdaziz masri luis carlos jesus miguel francisco antonio manuel jorge
      pedro perez sanchez ramirez flores torres gomez diaz rivera cruz morales reyes yang huang zhao wu zhou xu sun ma zhu hu guo he lin jung jeong jong chung kang cho jo
      yoon yun jang chang lim le pham huynh hoang phan vu vo dang andrei aleksei dmitri nikolai ivan mikhail yuri igor viktor oleg pavel ivanov smirnov kuznetsov robert david
      william richard joseph thomas mary smith johnson williams brown jones sharma patel das shah devi ahmet yilmaz kaya demir fatma ayse mehdi reza abbas mohammadi hosseini
      ahmadi karimi sato suzuki takahashi tanaka elena olga natalia tatiana irina svetlana ana rosa fatima silva santos oliveira souza amir rahman islam hossain begum rezaei`,
  },
  {
    // four to ten in a thousand
    weight: 0.52,
    names: `maryam mariam aisha zaynab khadija layla amina faysal abdkarim jabir hisham harbi shammari zahrani ghamdi qahtani utaybi mutayri nabil sami zayd qasim masri sayyid
      alejandro fernando rafael ricardo eduardo javier roberto daniel sergio hector raul mario victor ramon arturo oscar enrique gustavo julio cesar alberto guadalupe patricia
      carmen gutierrez ortiz chavez ramos ruiz mendoza alvarez castillo jimenez romero moreno herrera medina vargas castro mendez pereira costa ferreira rodrigues almeida lima
      popov vasiliev petrov sokolov mikhailov novikov fedorov morozov volkov lebedev konstantin evgeny anatoly valery vasily boris maxim roman denis leonid anna ekaterina yulia
      marina lyudmila gao luo zheng liang xie song tang deng han cao feng yu dong xiao cheng cai pan yuan tian jiang du ye wei su lu ding ren shen han oh seo so shin sin kwon
      hwang ahn an hong jeon ryu yoo charles christopher matthew anthony mark steven paul andrew george kenneth edward brian kevin ronald timothy jason jeffrey ryan miller davis
      wilson anderson taylor thomas moore jackson martin white harris clark lewis robinson walker young jennifer linda elizabeth barbara susan gupta verma mishra yadav reddy nair
      malik hussein rajesh sanjay amit vijay suresh ramesh sunil ashok anil imran iqbal asif moradi rahimi jafari ebrahimi hashemi mousavi ghasemi sadeghi mohsen saeed majid hamid
      ito yamamoto watanabe nakamura kobayashi kato sahin celik yildiz yildirim ozturk aydin osman hatice emine zeynep murat omer pierre jean muller schmidt rossi bui do ngo duong ly`,
  },
  {
    // up to four in a thousand
    weight: 0.62,
    names: `farid munir sharif hatim ayman usama imad anwar fuad riyad ziyad ammar bassam ghassan mahir talal rami badr jihad harbi shammari zahrani ghamdi qahtani utaybi mutayri
      jaburi hamdani hakim najjar haddad baghdadi halabi shami khatib hashimi asadi saadi mansur darwish awad hamdan aziz amin idris yunus ismail dawud harun yahya zakariya
      aguilar salazar guzman rojas munoz velazquez contreras guerrero estrada sandoval dominguez vega soto delgado pena rios alvarado maldonado valencia acosta cardenas juarez
      cabrera campos fuentes carrillo nunez espinoza figueroa cortes avila molina leon navarro gabriela veronica sandra leticia martha claudia silvia teresa joaquin diego martin
      guillermo alfredo pablo andres felipe alfonso ignacio joao paulo marcos luiz gomes ribeiro alves carvalho lopes martins
      alekseev semenov egorov pavlov kozlov stepanov nikolaev orlov andreev makarov nikitin zakharov zaitsev soloviev borisov yakovlev grigoriev romanov vorobiev sergeev frolov
      aleksandrov dmitriev korolev gusev kiselev ilyin maksimov polyakov sorokin vinogradov kovalev belov medvedev antonov tarasov zhukov baranov filippov komarov davydov belyaev
      gerasimov bogdanov osipov sidorov matveev titov markov mironov krylov kulikov karpov vlasov melnikov denisov gavrilov tikhonov kazakov afanasiev danilov savelyev
      timofeev fomin chernov abramov martynov efimov shevchenko kovalenko bondarenko tkachenko kravchenko melnik boyko kovalchuk oliynyk shevchuk polishchuk gennady vyacheslav
      vitaly petr grigory stanislav ruslan kirill artem arkady timur yaroslav anton galina valentina nina vera lyubov
      hall allen king wright scott hill green adams baker nelson campbell mitchell carter roberts phillips evans turner parker collins edwards stewart morris murphy cook rogers
      morgan cooper peterson reed bailey bell kelly howard ward cox richardson wood watson brooks bennett gray hughes price myers long foster sanders ross powell sullivan russell
      fisher henderson gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel gregory frank alexander raymond patrick jack dennis jerry jessica sarah karen
      lisa nancy betty margaret ashley kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca laura helen peter simon alan philip adam arthur henry joan alice
      jacob joshua donald daniel albert walter harold carl roger lawrence sharon cynthia kathleen amy angela
      pillai rao bhatt bhat siddiqui qureshi sheikh akhtar butt mirza gill sidhu perera fernando bandara mehta joshi jain agarwal chaudhry iyer ravi deepak arun manoj rakesh
      rahul tahir nadeem shahid zafar javed kamran aslam hafeez gul noor naseer bashir priya sunita anita pooja lakshmi dawood zaman uddin alam chowdhury sarkar roy ghosh banerjee
      rostami shirazi akbari salehi heidari kazemi najafi amini tehrani bagheri soleimani masoud gholamreza davood farhad mojtaba morteza esmail javad bahram kamran zahra fatemeh
      arslan dogan kilic aslan cetin kara koc kurt ozkan simsek polat korkmaz cakir erdogan ozdemir yavuz acar ramazan halil suleyman abdullah recep fatih kadir hakan kemal elif
      yoshida yamada sasaki yamaguchi matsumoto inoue kimura hayashi saito shimizu yamazaki mori abe ikeda hashimoto ishikawa ogawa okada hasegawa goto murakami kondo sakamoto
      endo aoki fujita nishimura fukuda ota miura okamoto matsuda nakajima hiroshi takashi kenji kazuo akira makoto takeshi yuko keiko
      schneider fischer weber meyer wagner becker schulz hoffmann bernard dubois durand petit moreau russo ferrari esposito bianchi romano jansen bakker visser hansen johansen
      johansson andersson nielsen jensen larsen papadopoulos jovanovic petrovic nikolic markovic kowalski nowak wisniewski horvat novak popescu ionescu nagy kovacs toth szabo
      michel philippe alain hans klaus wolfgang giuseppe giovanni marco luca jan lars erik anders georgios dimitrios nikos zoran dragan milan goran piotr krzysztof tomasz andrzej
      okafor okeke adeyemi bello abubakar mensah owusu boateng traore diallo diop ndiaye keita coulibaly toure diarra kamau mwangi otieno ochieng moyo ncube sibanda dube dlamini
      nkosi ndlovu tesfaye bekele tadesse abebe banda phiri emmanuel kwame kofi abdi emeka chinedu mamadou amadou ousmane aminata fatou
      ko go moon mun son yang bae baek heo ho no noh nam sim shim ha jun ming hui ping xin hai jie yong young hyun min sung ji hee chol kyong myong jin
      zeng peng lü su fu fang shi zhong xiong jin wan yao dai qin gu meng qian bai hou shao mao chang yi kong wan lai`,
  },
]

const byText = new Map<string, number>()
const byKey = new Map<string, number>()
for (const { weight, names } of tiers) {
  for (const name of names.trim().split(/\s+/)) {
    if (!byText.has(name)) byText.set(name, weight)
    for (const key of keysOf(name)) if (!byKey.has(key)) byKey.set(key, weight)
  }
}

/** The name in any spelling; a Chinese syllable has only its own. */
function keysOf(name: string): string[] {
  if (pinyinKey(name) !== undefined) return []
  return [`=${soundOf(name)}`, ...(variantGroups.get(name) ?? []).map((group) => `v${group}`)]
}

const maxKnown = 50_000
const known = new Map<string, number | undefined>()

/** The weight of a name that is common in its region; undefined for any other. */
export function commonNameWeight(name: string): number | undefined {
  if (known.has(name)) return known.get(name)
  const weight = findWeight(name)
  if (known.size < maxKnown) known.set(name, weight)
  return weight
}

function findWeight(name: string): number | undefined {
  const own = byText.get(name)
  if (own !== undefined) return own
  for (const key of keysOf(name)) {
    const weight = byKey.get(key)
    if (weight !== undefined) return weight
  }
  return undefined
}
