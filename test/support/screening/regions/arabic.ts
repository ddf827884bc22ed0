import { coinArabic, compound, pickRanked, pickSome, pool, type Region, type Word } from './pool.ts'

const given =
  pool(`Muhammad/Mohammed/Mohamed/Mohammad=محمد Ahmad/Ahmed=أحمد Ali/Aly=علي Hasan/Hassan=حسن Husayn/Hussein/Hussain=حسين Khalid/Khaled=خالد
  Ibrahim/Ebrahim=إبراهيم Mahmud/Mahmoud=محمود Yusuf/Youssef/Yousef=يوسف Umar/Omar=عمر Mustafa/Mostafa/Moustafa=مصطفى Said/Saeed=سعيد
  Salih/Saleh=صالح Abdallah/Abdullah=عبدالله Abd_al-Rahman/Abdulrahman/Abdelrahman=عبدالرحمن Nasir/Nasser=ناصر Sulayman/Suleiman=سليمان
  Salim/Salem=سالم Tariq/Tarek=طارق Jamal/Gamal=جمال Walid/Waleed=وليد Rashid/Rasheed/Rachid=رشيد Karim/Kareem=كريم Faysal/Faisal=فيصل
  Uthman/Othman/Osman=عثمان Musa/Moussa=موسى Isa/Issa=عيسى Hamza/Hamzah=حمزة Bilal/Belal=بلال Mahir/Maher=ماهر Sami/Samy=سامي
  Abd_al-Aziz/Abdulaziz/Abdelaziz=عبدالعزيز Hisham/Hesham=هشام Nabil/Nabeel=نبيل Farid/Fareed=فريد Munir/Mounir=منير Jabir/Jaber=جابر
  Sharif/Sherif/Cherif=شريف Hamid/Hameed=حميد Abd_al-Karim/Abdulkarim/Abdelkrim=عبدالكريم Adil/Adel=عادل Majid/Majed=ماجد Samir/Sameer=سمير
  Zayd/Zaid/Zeid=زيد Qasim/Kassem=قاسم Bassam=بسام Ziyad/Ziad=زياد Ammar=عمار Ghassan=غسان Hatim/Hatem=حاتم Riyad/Riad=رياض Jihad=جهاد
  Fuad/Fouad=فؤاد Ramzi/Ramzy=رمزي Lutfi/Lotfi=لطفي Ayman/Aiman=أيمن Usama/Osama/Oussama=أسامة Imad/Emad=عماد Anwar=أنور Harith/Hareth=حارث
  Fadil/Fadel=فاضل Talal=طلال Badr/Bader=بدر Rami/Ramy=رامي Thamir/Thamer=ثامر Dhiyab/Diab=ذياب Nur_al-Din/Noureddine/Nureddin=نورالدين`)
const women = pool(
  `Fatima/Fatma=فاطمة Maryam/Mariam=مريم Aisha/Aicha=عائشة Zaynab/Zainab=زينب Khadija/Khadijah=خديجة Amina/Amena=أمينة Layla/Leila=ليلى`,
)
const family =
  pool(`al-Masri/el-Masry=المصري al-Harbi=الحربي al-Shammari=الشمري al-Zahrani=الزهراني al-Ghamdi=الغامدي al-Qahtani/al-Kahtani=القحطاني
  al-Utaybi/al-Otaibi=العتيبي al-Mutayri/al-Mutairi=المطيري al-Jaburi/al-Jabouri=الجبوري al-Duri/al-Douri=الدوري al-Tikriti=التكريتي
  al-Hamdani=الحمداني al-Hakim=الحكيم al-Najjar/el-Naggar=النجار al-Haddad/Haddad=الحداد al-Baghdadi=البغدادي al-Halabi=الحلبي al-Shami=الشامي
  al-Libi=الليبي al-Tunisi/al-Tounsi=التونسي al-Sudani=السوداني al-Kurdi=الكردي al-Khatib/el-Khateeb=الخطيب al-Rawi=الراوي al-Qaysi/al-Kaisi=القيسي
  al-Zubaydi/al-Zubaidi=الزبيدي al-Asadi=الأسدي al-Saadi=السعدي al-Rubayi/al-Rubaie=الربيعي al-Hashimi/al-Hashemi=الهاشمي al-Iraqi=العراقي
  al-Yamani=اليماني al-Sharif=الشريف al-Sayyid/el-Sayed=السيد al-Hajj=الحاج Hamdan=حمدان Awad=عوض Nasrallah=نصرالله Darwish=درويش Mansur/Mansour=منصور`)
const roots =
  pool(`Zawahir=ظواهر Qarad=قراد Hashran=حشران Dulaym/Dulaim=دليم Samarra=سامرا Mashhadan=مشهدان Kubays=كبيس Jawarn=جوارن Barghuth=برغوث
  Shawish=شاويش Tarabuls=طرابلس Qadhdhaf=قذاف Zarqaw=زرقاو Maqdis=مقدس Qaradaw=قرضاو Filistin=فلسطين Hawar=هوار Ramahan=رماحن Fakhur=فاخور
  Sarraj=سراج Bayyat=بيات Jazzar=جزار Khawlan=خولان Marran=مران Sinwar=سنوار Dayf=ضيف Haniyy=هني Mughniy=مغني Tabatab=طباطب Shukayr=شكير
  Khalayl=خلايل Burays=بريص Ruways=رويس Tamim=تميم Ajlun=عجلون Qanbar=قنبر Wahish=وحيش Hallaq=حلاق Bitar=بيطار Fayyum=فيوم`)
const tails = pool(`i/y=ي an/ane=ان ani=اني awi/aoui=اوي`)

/** Adds the article of a family name. */
const withArticle = ({ latin, own }: Word): Word => ({
  latin: latin.map((each) => `al-${each}`),
  ...(own === undefined ? {} : { own: `ال${own}` }),
})

export const arabic: Region = {
  name: 'Arabic',
  share: 24,
  make: (random) => {
    const first = random.chance(0.1) ? pickRanked(random, women) : pickRanked(random, given)
    const fathers = pickSome(random, given, random.below(4)).filter((each) => each !== first)
    const shape = random.below(20)
    const last =
      shape < 3
        ? pickRanked(random, family)
        : shape < 5
          ? pickRanked(random, given)
          : shape < 6
            ? withArticle(compound(random, roots, tails))
            : shape < 18
              ? withArticle(coinArabic(random))
              : coinArabic(random)
    return { given: [first], middle: fathers.filter((each) => each !== last), family: [last] }
  },
}
